package debrief

import (
	"slices"
	"strconv"
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

// failureMark finds what a failed test, build or tool leaves in its output: a
// word such as FAIL, a count of failures that is not 0, a non-zero exit named.
// Weaker signs, which passing tests print too (error:, panic:, Traceback),
// count only where nothing says that all passed. It returns the line, "" for
// none.
func failureMark(output string) string {
	if !hinted(strings.ToLower(output)) {
		return ""
	}
	weak, passed := "", false
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(plain(line))
		low := strings.ToLower(line)
		if praised(line) || !hinted(low) {
			passed = passed || passLine(line)
			continue
		}
		if counted(line) || exitNamed(low) || strongPhrase(line, low) {
			return line
		}
		if passLine(line) {
			passed = true
		} else if weak == "" && weakMark(low) {
			weak = line
		}
	}
	if passed {
		return ""
	}
	return weak
}

// hinted tells whether a text in small letters can hold any mark at all. Most
// lines cannot, and looking closely at each costs a hook its time.
func hinted(low string) bool {
	return containsAny(low, "fail", "error", "exit", "rc=", "rc:", "not ok", "***", "panic", "traceback", "fatal", "uncaught", "elifecycle", "npm err",
		"not found", "no module", "not recognized", "no such file", "no test", "not compile", "segmentation", "core dumped", "✗", "✘", "×", "✖", "❌")
}

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

func beginsAny(line string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(line, p) })
}

// passes tells whether the output says that something passed.
func passes(output string) bool { return anyLine(output, passLine) }

// anyLine tells whether a line of the output, without colours and blanks around
// it, is of a kind.
func anyLine(output string, is func(line string) bool) bool {
	for line := range strings.Lines(output) {
		if is(strings.TrimSpace(plain(line))) {
			return true
		}
	}
	return false
}

// plain takes the colours out of a line.
func plain(line string) string {
	for {
		from := strings.Index(line, "\x1b[")
		if from < 0 {
			return line
		}
		to := from + 2
		for to < len(line) && (line[to] >= '0' && line[to] <= '9' || line[to] == ';' || line[to] == '?') {
			to++
		}
		line = line[:from] + line[min(to+1, len(line)):]
	}
}

// praised tells a line that reports one passed test, whose name may speak of
// failures.
func praised(line string) bool {
	if beginsAny(line, []string{"✓", "✔", "√"}) || beginsAny(line, tools.Outputs().One) {
		return true
	}
	return strings.HasSuffix(line, " ... ok") || strings.HasSuffix(line, " ... ignored") || strings.Contains(line, " PASSED") && !strings.Contains(line, "FAILED")
}

// passLine tells a line that sums up that all went well.
func passLine(line string) bool {
	if line == "PASS" || line == "OK" {
		return true
	}
	if beginsAny(line, tools.Outputs().Passed) || beginsAny(line, []string{"All tests passed", "all tests passed"}) {
		return true
	}
	if strings.Contains(line, "BUILD SUCCESS") {
		return true
	}
	if !containsAny(line, "passed", "passing", "successes") {
		return false
	}
	passed := false
	count(line, func(word string, n int) {
		passed = passed || n > 0 && (word == "passed" || word == "passing" || word == "successes")
	})
	return passed
}

// counted tells a line with FAIL, FAILED or FAILURE as a word, or with a count
// of failures or errors above 0.
func counted(line string) bool {
	bad := false
	count(line, func(word string, n int) {
		switch word {
		case "FAIL", "FAILED", "FAILURE":
			bad = bad || n != 0
		case "fail", "failed", "failing", "failure", "failures", "error", "errors", "Fail", "Failed", "Failures", "Errors", "ERRORS", "FAILURES":
			bad = bad || n > 0
		}
	})
	return bad && !strings.Contains(line, "(0 errors")
}

// exitNamed tells a line in small letters that names an exit status other than
// 0: exit status 1, exited with code 2, EXIT=1, rc: 3.
func exitNamed(low string) bool {
	for _, word := range []string{"exit", "exited", "exit_code", "exitcode", "rc"} {
		for from := 0; ; {
			i := strings.Index(low[from:], word)
			if i < 0 {
				break
			}
			at := from + i
			from = at + len(word)
			if at > 0 && (inWord(low[at-1]) || low[at-1] == '.') {
				continue
			}
			rest := low[from:]
			for {
				trimmed := strings.TrimLeft(rest, " :=_()$?'\"`")
				for _, filler := range []string{"status", "code", "with", "value", "was", "non-zero", "ed"} {
					trimmed = strings.TrimPrefix(trimmed, filler)
				}
				if trimmed == rest {
					break
				}
				rest = trimmed
			}
			if rest != low[from:] && leading(rest) > 0 {
				return true
			}
		}
	}
	return false
}

func strongPhrase(line, low string) bool {
	if strings.HasPrefix(low, "not ok") {
		return !strings.Contains(low, "# todo") && !strings.Contains(low, "# skip")
	}
	for _, p := range []string{"✗", "✘", "×", "✖", "❌"} {
		if strings.HasPrefix(line, p) {
			return !strings.Contains(low, " 0 problems") && !strings.Contains(low, "(0 errors")
		}
	}
	if strings.HasPrefix(low, "make") && strings.Contains(low, "***") || strings.Contains(low, "sh: ") && strings.HasSuffix(low, ": not found") {
		return true
	}
	return containsAny(low, tools.Outputs().Failed...) ||
		containsAny(low, "tests failed", "test failed", "failed to compile", "command not found", "not recognized as an internal")
}

func weakMark(low string) bool {
	if containsAny(low, "[no test files]", "no tests to run", "no tests ran", "no test files") {
		return true // nothing was run, unless something else was
	}
	if low == "error: (none)" { // how Gemini's shell says that all went well
		return false
	}
	for _, p := range []string{"error:", "error[", "panic:", "traceback (most recent call last)", "fatal:", "fatal error", "uncaught ", "segmentation fault"} {
		if strings.HasPrefix(low, p) {
			return true
		}
	}
	return containsAny(low, ": error:", ": error ts", "syntaxerror:", "modulenotfounderror:", "importerror:", "core dumped", "no such file or directory")
}

// told is an output without the lines at its head in which a client names the
// exit status and the time it took.
func told(output string) string {
	rest := output
	for range 4 {
		line, after, _ := strings.Cut(rest, "\n")
		if low := strings.ToLower(line); !exitNamed(low) && !strings.HasPrefix(low, "wall time:") && low != "output:" {
			break
		}
		rest = after
	}
	return strings.TrimSpace(rest)
}

// count calls f with each word of the line and the number that counts it: the
// one after it in `Failures: 2`, `errors=2` and `# fail 2`, the one before it
// in `2 failed`; -1 if there is none.
func count(line string, f func(word string, n int)) {
	for i := 0; i < len(line); i++ {
		if !inWord(line[i]) {
			continue
		}
		from := i
		for i < len(line) && (inWord(line[i]) || isDigit(line[i])) {
			i++
		}
		after := i
		for after < len(line) && line[after] == ' ' {
			after++
		}
		n := -1
		if after < len(line) && (line[after] == ':' || line[after] == '=') {
			n = leading(strings.TrimLeft(line[after+1:min(after+20, len(line))], " "))
		}
		if n < 0 && from > 0 && line[from-1] == ' ' {
			n = trailing(strings.TrimRight(line[max(0, from-20):from], " "))
		}
		if n < 0 && after > i && line[0] == '#' {
			n = leading(line[after:min(after+20, len(line))])
		}
		f(line[from:i], n)
	}
}

// inWord tells bytes of words; those of letters beyond ASCII are taken for one.
func inWord(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

const digits = "0123456789"

// leading is the whole number that s begins with, -1 if there is none.
func leading(s string) int { return number(s[:len(s)-len(strings.TrimLeft(s, digits))]) }

// trailing is the whole number that s ends with.
func trailing(s string) int {
	before := strings.TrimRight(s, digits)
	if n := len(before); n > 0 && (before[n-1] == '.' || before[n-1] == '-' || before[n-1] == ':' || inWord(before[n-1])) {
		return -1 // part of 0.5, 2024-01-01, 10:30, v2
	}
	return number(s[len(before):])
}

// number reads a count; -1 if s is none.
func number(s string) int {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || len(s) > 9 {
		return -1
	}
	return int(n)
}
