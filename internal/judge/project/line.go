package project

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/shell"
)

// Reading is what can be told of a command line before it runs.
type Reading struct {
	Tests   bool   // it runs tests
	Nothing bool   // it runs none
	Said    string // why, where it runs none or nobody can tell
}

// testless are commands that run no test, whatever the project.
var testless = []string{"git", "hg", "svn", "gh", "ls", "cat", "ps", "pwd", "whoami", "uname", "hostname", "id", "df", "du", "free", "uptime", "which", "curl", "wget", "ping", "tar", "zip", "cp", "mv", "rm", "chmod", "chown", "kill",
	"gofmt", "prettier", "black", "isort", "pip", "brew", "apt", "apt-get", "code", "vim", "nano", "less", "more", "wc", "diff", "sort", "find", "fd", "rg", "awk", "sed", "jq", "history", "man", "help",
	"go version", "go env", "go list", "go mod", "go fmt", "go get", "go install", "go doc", "go help", "go clean", "go build", "go vet", "go work", "go telemetry",
	"npm install", "npm i", "npm ci", "npm ls", "npm version", "npm view", "npm outdated", "npm audit", "npm init", "npm publish", "pnpm install", "pnpm i", "pnpm ls", "yarn install", "yarn list", "yarn why", "bun install",
	"cargo build", "cargo check", "cargo clippy", "cargo fmt", "cargo doc", "cargo tree", "cargo version", "cargo metadata", "docker ps", "docker images", "docker build", "docker pull", "docker version", "docker info",
	"python -V", "node -v", "java -version", "dotnet build", "dotnet restore", "mvn compile", "gradle tasks", "uv sync", "uv pip", "poetry install", "bundle install", "composer install", "mix deps.get", "terraform version"}

// Read tells whether a command line runs tests in this work tree, as far as its
// words and the targets and scripts that it calls say so.
func (t *Tests) Read(line string) Reading {
	found, err := shell.Parse(line)
	if err != nil {
		return Reading{Said: "it cannot be read"}
	}
	nothing := Reading{Nothing: true, Said: "it runs no test"}
	for _, c := range found {
		if len(c.Words) == 0 {
			continue
		}
		at := t.top.at(c.Dir)
		if t.top.seek.isRunner(c) {
			if at != nil && t.hollowLine(at, c) == empty {
				nothing.Said = fmt.Sprintf("%q runs nothing, as its definition reads", strings.Join(c.Words, " "))
				continue
			}
			return Reading{Tests: true}
		}
		if at != nil && t.top.seek.calls(at, c.Words, maxHops) {
			return Reading{Tests: true}
		}
		if idle(c) || known(c) || len(c.Words) == 1 && slices.Contains([]string{"python", "python3", "node", "ruby", "sh", "bash"}, c.Words[0]) {
			continue
		}
		h, read := solid, ""
		if at != nil {
			h, read = t.hollowLine(at, c), t.lines(at, c)
		}
		if h == empty {
			nothing.Said = fmt.Sprintf("%q runs nothing, as its definition reads", strings.Join(c.Words, " "))
			continue
		}
		nothing = Reading{Said: fmt.Sprintf("%q is not a test runner that Piton knows%s", strings.Join(c.Words, " "), read)}
		break
	}
	return nothing
}

// known tells whether a command is one that runs no test.
func known(c shell.Command) bool {
	s := c.Spellings()
	return slices.ContainsFunc(testless, func(p string) bool { return s.Match(shell.ReadPattern(p)) })
}

// hollowLine judges what a command calls: a target or a script.
func (t *Tests) hollowLine(f *folder, c shell.Command) hollow {
	name, args := path.Base(c.Words[0]), operands(c.Words[1:])
	if slices.Contains([]string{"pnpm", "yarn", "bun"}, name) {
		name = "npm"
	}
	if slices.Contains(definers, name) {
		if len(args) > 1 && name == "npm" && strings.HasPrefix(args[0], "run") {
			args = args[1:]
		}
		h := empty
		for _, target := range args {
			h = min(h, t.top.seek.hollowTarget(f, name, target, maxHops))
		}
		if len(args) == 0 {
			return solid
		}
		return h
	}
	if text, ok := scriptText(f, c); ok {
		return t.top.seek.hollowText(text)
	}
	return solid
}

// lines says how much of a script was read.
func (t *Tests) lines(f *folder, c shell.Command) string {
	text, ok := scriptText(f, c)
	if !ok {
		return ""
	}
	return fmt.Sprintf(", and none of the %d lines of it calls one", strings.Count(strings.TrimRight(text, "\n"), "\n")+1)
}

// scriptText is the text of the shell script that a command runs.
func scriptText(f *folder, c shell.Command) (string, bool) {
	words := c.Words
	if slices.Contains([]string{"bash", "sh", "zsh", "dash", "source", "."}, words[0]) {
		words = operands(words[1:])
	}
	if len(words) == 0 || !strings.Contains(words[0], "/") && !strings.HasSuffix(words[0], ".sh") {
		return "", false
	}
	dir, base := path.Split(path.Clean(words[0]))
	g := f.at(dir)
	if g == nil {
		return "", false
	}
	text := g.read(base)
	return text, text != "" && shellScript(base, text)
}
