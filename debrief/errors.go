package debrief

import (
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/shell"
)

// failuresShown bounds the failed commands that are named.
const failuresShown = 3

// failures are the shell calls that failed by structure, were not meant to be
// able to, and have not been made good since. Of the same command the newest.
func (t *turn) failures() []call {
	var left []call
	seen := map[string]bool{}
	for _, c := range slices.Backward(t.calls) {
		if c.Kind != piton.CallShell || !failedCall(c.Call) {
			continue
		}
		keep := false
		contained(func() { keep = !c.expected() && !t.resolved(c) })
		if key := strings.Join(strings.Fields(c.failing()), " "); keep && !seen[key] {
			seen[key] = true
			left = append(left, c)
		}
	}
	slices.Reverse(left)
	return left
}

// unresolved words the failures as actions, the ones aside that a demand
// already asks to run again.
func (t *turn) unresolved(failures []call, demands []demand) []string {
	var texts []string
	more := 0
	for _, c := range slices.Backward(failures) {
		if slices.ContainsFunc(demands, func(d demand) bool { return !d.advice && len(c.runs(d.patterns)) > 0 }) {
			continue
		}
		if len(texts) == failuresShown {
			more++
			continue
		}
		kind, line := nameError(c.Output, t.isTest(c))
		text := quote(c.failing()) + " failed and has not succeeded since (" + kind
		if line != "" {
			text += ": " + quote(line)
		}
		texts = append(texts, text+"): make it good, or say why it may stay")
	}
	slices.Reverse(texts)
	if more > 0 {
		texts[len(texts)-1] += fmt.Sprintf("; and %d more failed commands before", more)
	}
	return texts
}

// suspects are the commands that may have failed the line; in a line that
// cannot be parsed, none.
func (c call) suspects() []shell.Command {
	var all []shell.Command
	for _, cmd := range c.commands {
		if len(cmd.Words) > 0 && cmd.MayHaveFailed() && !trivial(cmd) {
			all = append(all, cmd)
		}
	}
	return all
}

// trivial tells commands that hardly ever fail a line.
func trivial(c shell.Command) bool {
	return slices.Contains([]string{"cd", "pushd", "popd", "echo", "printf", "export", "set", "source", ".", "true", "sleep", "date", "exit", "unset", "mkdir", ":"}, c.Words[0])
}

// failing is the command to name: the only one that can have failed, else the
// line.
func (c call) failing() string {
	if s := c.suspects(); len(s) == 1 {
		return strings.Join(s[0].Words, " ")
	}
	return c.Command
}

// expected tells failures that are answers, or that left nothing behind: a
// search without a hit, a look at what is not there, a program that is not
// installed, a line typed wrong, a limit that struck.
func (c call) expected() bool {
	status := 1
	if c.ExitCode != nil {
		status = *c.ExitCode
	}
	if slices.Contains([]int{124, 127, 130, 141, 143}, status) || unavailable(c.Output) || misused(c.Output) {
		return true
	}
	suspects := c.suspects()
	if len(suspects) == 0 {
		return !c.unreadable && (len(c.commands) == 0 || c.failureMark() == "")
	}
	denied := mentions(c.Output, "permission denied", "no such file")
	kind, _ := nameError(c.Output, false)
	quiet := kind == "error" && failureMark(told(c.Output)) == ""
	looks := true
	for _, cmd := range suspects {
		if asks(cmd) && status == 1 && !denied && quiet || cmd.DryRun() || probes(cmd) {
			return true
		}
		looks = looks && (onlyLooks(cmd) || asks(cmd) && !denied && status == 1)
	}
	if looks {
		return true
	}
	return kind == "import error" && slices.ContainsFunc(suspects, inline)
}

// asks tells commands whose exit status 1 is an answer.
func asks(c shell.Command) bool {
	return matchesAny(c, "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "git grep", "diff", "cmp", "comm", "test", "[", "expr", "false",
		"git diff --exit-code", "git diff --quiet", "git diff --no-index", "git diff --check", "git diff-index", "git diff-files", "git check-ignore", "git merge-base",
		"git show-ref", "systemctl is-active", "jq -e")
}

// probes tells commands that ask whether something is there.
func probes(c shell.Command) bool {
	if c.Words[0] == "command" {
		return true // -v, else the shell's parser would have unwrapped it
	}
	return matchesAny(c, "which", "type", "hash", "whereis", "pgrep", "pidof", "git rev-parse", "git ls-files --error-unmatch", "git cat-file", "git config", "pg_isready")
}

// onlyLooks tells commands that read and print; where one fails, nothing is
// left behind.
func onlyLooks(c shell.Command) bool {
	return matchesAny(c, "ls", "cat", "head", "tail", "less", "file", "stat", "wc", "find", "fd", "tree", "du", "df", "readlink", "realpath", "jq", "sed -n", "awk",
		"ps", "lsof", "ss", "netstat", "kill", "pkill", "killall", "man", "help", "env", "printenv", "xxd", "strings", "column", "sort", "uniq", "cut",
		"git status", "git log", "git show", "git branch", "git blame", "git diff", "git ls-files", "git ls-tree", "git ls-remote", "git remote", "git describe", "git tag", "git reflog", "git stash list",
		"go doc", "go list", "go env", "go version", "npm view", "npm ls", "npm outdated", "pip show", "pip list", "docker ps", "docker logs", "docker inspect", "docker images",
		"kubectl get", "kubectl describe", "kubectl logs", "systemctl status", "journalctl", "gh pr view", "gh issue view", "gh run view", "gh pr checks") && !c.MayEdit()
}

// inline tells a program given on the line itself, which mostly is a question:
// python -c "import x".
func inline(c shell.Command) bool {
	return matchesAny(c, "python -c", "node -e", "node -p", "node --eval", "ruby -e", "perl -e", "php -r", "deno eval")
}

// isTest tells a call that runs tests.
func (t *turn) isTest(c call) bool {
	for _, x := range t.Tests {
		if len(c.runs(append([]string{x.Run}, x.Matches...))) > 0 {
			return true
		}
	}
	return len(c.runs(everyRunner())) > 0 || len(c.runs(umbrellas())) > 0
}
