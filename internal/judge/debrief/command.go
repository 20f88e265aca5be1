package debrief

import (
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/shell"
)

// command is one command of a call's line, or all of a line that cannot be
// parsed. What is asked of it often is found once; equal lines share theirs.
type command struct {
	shell.Command
	turn       *turn
	line       string
	at         int    // its place in the line
	text       string // its words, blank-separated
	unreadable bool
	nature     nature // see look

	read interface{ Match(shell.Pattern) bool } // once it is asked for
}

// nature is what a command's failure means.
type nature struct {
	known  bool
	asks   bool   // status 1 is an answer
	probes bool   // asks whether something is there
	looks  bool   // reads and prints only
	calls  bool   // asks another machine, or a server
	checks bool   // looks at part of a project at a time
	inline bool   // a program on the line itself
	tests  uint32 // bit i: it runs tests of languages[i]
}

// commands reads the line. A line that cannot be parsed is one command, which
// matches by its words.
func (t *turn) commands(line string) []*command {
	if seen, ok := t.lines[line]; ok {
		return seen
	}
	var parsed []shell.Command
	var err error
	var all []*command
	if !contained(func() { parsed, err = shell.Parse(line) }) || err != nil {
		all = []*command{{turn: t, line: line, text: spaced(line), unreadable: true}}
	}
	for i, c := range parsed {
		all = append(all, &command{Command: c, turn: t, line: line, at: i, text: spaced(strings.Join(c.Words, " "))})
	}
	t.lines[line] = all
	return all
}

func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// testRuns are, for each language, the patterns of all that runs its tests.
func (t *turn) testRuns() [][]string {
	if t.testsOf != nil {
		return t.testsOf
	}
	for _, l := range languages {
		patterns := slices.Concat(l.runners, umbrellas())
		for _, x := range t.Tests {
			if x.Ecosystem == "" || x.Ecosystem == l.ecosystem {
				patterns = append(append(patterns, x.Run), x.Matches...)
			}
		}
		t.testsOf = append(t.testsOf, patterns)
	}
	return t.testsOf
}

// read reads patterns, each once a turn: there are many commands.
func (t *turn) read(texts []string) []*shell.Pattern {
	list := make([]*shell.Pattern, len(texts))
	for i, text := range texts {
		if t.patterns[text] == nil {
			p := shell.ReadPattern(text)
			t.patterns[text] = &p
		}
		list[i] = t.patterns[text]
	}
	return list
}

// matches tells whether one of the patterns names the command.
func (c *command) matches(patterns ...string) bool { return c.fits(c.turn.read(patterns)) }

func (c *command) fits(patterns []*shell.Pattern) bool {
	switch {
	case c.read != nil:
	case c.unreadable:
		c.read = shell.ReadLoose(c.line)
	default:
		c.read = c.Spellings()
	}
	return slices.ContainsFunc(patterns, func(p *shell.Pattern) bool { return c.read.Match(*p) })
}

// suspect tells whether the command may have failed its line.
func (c *command) suspect() bool {
	return c.unreadable || len(c.Words) > 0 && c.MayHaveFailed() && !c.trivial()
}

// name is the program, without its folder.
func (c *command) name() string {
	if len(c.Words) == 0 {
		return ""
	}
	return path.Base(c.Words[0])
}

// idle tells whether the command failed because there was nothing to do.
func (c *command) idle(output string) bool {
	low := strings.ToLower(output[:min(len(output), 4*headShown)])
	switch c.name() {
	case "rm", "rmdir", "unlink":
		return strings.Contains(low, "no such file or directory") && !strings.Contains(low, "denied")
	case "git":
		return containsAny(low, "nothing to commit", "no changes added to commit", "nothing added to commit", "no stash entries found", "already exists", "did not match any file")
	}
	return false
}

// trivial tells commands that hardly ever fail.
func (c *command) trivial() bool {
	switch c.name() {
	case "cd", "pushd", "popd", "echo", "printf", "export", "set", "source", ".", "true", "sleep", "date", "exit", "unset", "mkdir", ":", "":
		return true
	}
	return false
}

// look finds the command's nature.
func (c *command) look() nature {
	if c.nature.known {
		return c.nature
	}
	n := nature{known: true}
	n.probes = c.name() == "command" // with -v, else the parser would have taken it off
	n.asks = c.matches("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "git grep", "diff", "cmp", "comm", "test", "[", "expr", "false", "jq -e",
		"git diff --exit-code", "git diff --quiet", "git diff --no-index", "git diff --check", "git diff-index", "git diff-files", "git check-ignore",
		"git merge-base", "git show-ref", "systemctl is-active")
	n.calls = c.matches("curl", "wget", "http", "https", "nc", "ncat", "telnet", "ping", "dig", "nslookup", "host", "redis-cli", "grpcurl", "websocat", "openssl s_client")
	n.probes = n.probes || c.matches("which", "type", "hash", "whereis", "pgrep", "pidof", "pg_isready",
		"git rev-parse", "git ls-files --error-unmatch", "git cat-file", "git config")
	n.looks = !c.unreadable && !c.MayEdit() && c.matches("ls", "cat", "head", "tail", "less", "file", "stat", "wc", "find", "fd", "tree", "du", "df", "readlink", "realpath", "jq", "sed -n", "awk",
		"ps", "lsof", "ss", "netstat", "kill", "pkill", "killall", "man", "help", "env", "printenv", "xxd", "strings", "column", "sort", "uniq", "cut",
		"git status", "git log", "git show", "git show-ref", "git merge-base", "git rev-list", "git rev-parse", "git for-each-ref", "git fetch", "git branch", "git blame", "git diff", "git ls-files", "git ls-tree", "git ls-remote", "git remote", "git describe", "git tag", "git reflog", "git stash list",
		"go doc", "go list", "go env", "go version", "npm view", "npm ls", "npm outdated", "pip show", "pip list", "docker ps", "docker logs", "docker inspect", "docker images",
		"kubectl get", "kubectl describe", "kubectl logs", "systemctl status", "journalctl", "gh pr view", "gh issue view", "gh run view", "gh pr checks")
	for i, patterns := range c.turn.testRuns() {
		if c.matches(patterns...) {
			n.tests |= 1 << i
		}
	}
	n.checks = n.tests != 0 || c.matches("go build", "go vet", "tsc", "eslint", "mypy", "pyright", "ruff check", "pylint", "flake8", "cargo check", "cargo clippy", "golangci-lint", "staticcheck")
	n.inline = c.matches("python -c", "node -e", "node -p", "node --eval", "ruby -e", "perl -e", "php -r", "deno eval")
	c.nature = n
	return n
}

// formatters change files in a way that no test run would see.
var formatters = []string{"gofmt", "goimports", "gofumpt", "gci", "go fmt", "golangci-lint fmt", "prettier", "black", "isort", "yapf", "autopep8",
	"ruff format", "rustfmt", "cargo fmt", "clang-format", "shfmt", "stylua", "dprint", "mix format", "dart format", "terraform fmt", "deno fmt",
	"biome format", "npm format", "npm fmt", "pnpm format", "yarn format", "make fmt", "make format", "just fmt", "just format"}

// installers write manifests, lock files and what they fetch, and no code of the
// project's own. They take their time, in which a person may well write some.
var installers = []string{"npm install", "npm i", "npm ci", "npm add", "npm update", "pnpm install", "pnpm i", "pnpm add", "yarn install", "yarn add", "bun install", "bun add",
	"pip install", "uv sync", "uv add", "uv pip", "uv lock", "poetry install", "poetry add", "poetry lock", "pdm install", "pdm add", "pipenv install",
	"go get", "go mod tidy", "go mod download", "cargo fetch", "cargo add", "cargo update", "bundle install", "composer install", "composer require", "mix deps.get",
	"docker build", "docker pull", "docker compose pull", "docker compose build", "brew install", "apt install", "apt-get install"}

// mayEdit tells whether the command can change more files than it names: `rm
// tmp.go` and `go test ./... > log` cannot.
func (c *command) mayEdit() bool {
	if c.unreadable {
		return true
	}
	bare := c.Command
	if !slices.ContainsFunc(bare.Writes, func(w string) bool { return strings.ContainsAny(w, "$`") }) {
		bare.Writes = nil
	}
	unnamed := func(path string) bool { return strings.ContainsAny(path, "$`") }
	return bare.MayEditOthers() || slices.ContainsFunc(bare.Edits(), unnamed)
}
