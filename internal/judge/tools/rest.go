package tools

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// rest reads the lines that no format knows, by words that programs share.
type rest struct {
	strict         bool   // only what comes after the formats' own lines counts
	failed         string // the first line that says so
	weak           string // the first that may: it counts only where nothing passed
	passed, none   bool
	passes, counts int
}

// clear drops what was said before a line that a format knows.
func (r *rest) clear() {
	if r.strict {
		*r = rest{strict: true}
	}
}

func (r *rest) read(line string) {
	if !hinted(line) {
		return
	}
	low := lower(line)
	if praised(line) {
		r.passed = true
		return
	}
	t := tallied(line)
	switch {
	case t.failed > 0, ExitNamed(low), t.failed < 0 && failing(line, low):
		r.failed = cmp.Or(r.failed, line)
		r.counts = max(r.counts, t.failed)
	case containsAny(low, noTests), t.nothing():
		r.none = true
	case t.green(), fits(`^(?:PASS|OK)$`, line), begins(low, "all tests passed|all specs passed"):
		r.passed = true
		r.passes = max(r.passes, t.passed, t.total)
	case weak(low):
		r.weak = cmp.Or(r.weak, line)
	}
}

// hinted reports whether a line may say anything at all. Most cannot, and to look
// closely at each costs a hook its time.
func hinted(line string) bool {
	marked := strings.ContainsFunc(line, func(r rune) bool { return r >= utf8.RuneSelf || r == '*' })
	return marked || containsAny(line[:min(len(line), maxLine)], hints)
}

// tally is what a line counts; -1 is what it does not.
type tally struct{ passed, failed, total int }

// tallied reads the counts of a line: `3 failed, 2 passed`, `12 examples, 0
// failures`, `Failed: 1, Passed: 3`.
func tallied(line string) tally {
	t := tally{-1, -1, -1}
	if strings.ContainsAny(line, digits) {
		eachCount(strings.TrimPrefix(line, "ℹ "), func(word string, n int) {
			switch word = lower(word); {
			case Among(wordsPassed, word):
				t.passed = max(t.passed, n)
			case Among(wordsFailed, word):
				t.failed = max(t.failed, n)
			case Among(wordsRun, word):
				t.total = max(t.total, n)
			}
		})
	}
	switch {
	case strings.Contains(line, "(0 errors"):
		t.failed = 0
	case t.failed < 0 && strings.Contains(line, "FAIL") && fits(capitals, line):
		t.failed = 1
	}
	return t
}

// capitals are FAIL, FAILED or FAILURE as a word, which no 0 follows.
const capitals = `(?:^|[^A-Za-z_\x{80}-\x{10ffff}])FAIL(?:ED|URE)?(?:$|[^A-Za-z_:=\x{80}-\x{10ffff}]|:(?:$|[^ ]| $| [^0])|=(?:$|[^0]))`

// green reports whether a line counts tests, at least one, and no failure.
func (t tally) green() bool {
	return t.failed <= 0 && (t.passed > 0 || t.total > 0 && t.failed == 0)
}

// nothing reports whether a line counts tests, and none.
func (t tally) nothing() bool { return max(t.failed, 0) == 0 && max(t.passed, t.total) == 0 }

// praised reports whether a line is about one passed test, whose name may speak
// of failures.
func praised(line string) bool {
	return begins(line, "✓|✔|√|✅|(pass) |=== RUN|--- PASS|PASS |ok |ok\t") || fits(` \.\.\. (?:ok|ignored)$`, line) ||
		strings.Contains(line, " PASSED") && !strings.Contains(line, "FAIL")
}

// failing reports whether a line names a failure in words that many programs
// use. low is the line in small letters.
func failing(line, low string) bool {
	switch {
	case strings.HasPrefix(low, "not ok"):
		return !containsAny(low, "# todo|# skip")
	case begins(line, "✗|✘|×|✖|❌|✕|⨯"):
		return !containsAny(low, " 0 problems|(0 errors")
	}
	return containsAny(low, failingTexts) || Absent(low)
}

// Absent reports whether a line in small letters is a shell's that found no such
// program.
func Absent(low string) bool {
	return containsAny(low, "command not found|not recognized as an internal") || strings.HasSuffix(low, ": not found") && containsAny(low, "sh: |env: ")
}

// weak reports whether a line says that something is wrong in words that
// passing tests print too. Gemini's shell says error: (none) where all went well.
func weak(low string) bool {
	return low != "error: (none)" && (begins(low, weakBegins) || containsAny(low, weakTexts))
}

// eachCount calls f with each word of the line and the number that counts it:
// the one after it in `Failures: 2`, `errors=2` and `# fail 2`, the one before
// it in `2 failed`; -1 if there is none.
func eachCount(line string, f func(word string, n int)) {
	for i := 0; i < len(line); i++ {
		if !inWord(line[i]) {
			continue
		}
		from := i
		for i < len(line) && (inWord(line[i]) || isDigit(line[i])) {
			i++
		}
		f(line[from:i], counted(line, line[:from], line[i:]))
	}
}

// counted is the number that counts the word between two parts of a line.
func counted(line, before, after string) int {
	n := -1
	blank := strings.TrimLeft(after, " ")
	if strings.HasPrefix(blank, ":") || strings.HasPrefix(blank, "=") {
		n = leading(strings.TrimLeft(blank[1:], " "))
	}
	if n < 0 && strings.HasSuffix(before, " ") {
		n = trailing(strings.TrimRight(before, " "))
	}
	if n < 0 && line[0] == '#' && blank != after {
		n = leading(blank)
	}
	return n
}

// inWord reports whether a byte is part of a word; those of letters beyond ASCII
// are taken for one.
func inWord(b byte) bool {
	small := b | 0x20
	return b == '_' || b >= 0x80 || small >= 'a' && small <= 'z'
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

const digits = "0123456789"

// leading is the whole number that s begins with, -1 if there is none.
func leading(s string) int { return number(s[:len(s)-len(strings.TrimLeft(s, digits))]) }

// trailing is the whole number that s ends with; -1 for part of 0.5, 2024-01-01, 10:30, v2.
func trailing(s string) int {
	before := strings.TrimRight(s, digits)
	if n := len(before); n > 0 && (strings.IndexByte(".-:", before[n-1]) >= 0 || inWord(before[n-1])) {
		return -1
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
