package tools

import "strings"

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
	case t.failed > 0 || ExitNamed(low) || t.failed != 0 && failing(line, low):
		if r.failed == "" {
			r.failed = line
		}
		r.counts = max(r.counts, t.failed)
		r.passes = max(r.passes, t.passed)
	case foundNone(low), t.nothing():
		r.none = true
	case t.green() || line == "PASS" || line == "OK" || begins(low, "all tests passed|all specs passed"):
		r.passed = true
		r.passes = max(r.passes, t.passed, t.total)
	case r.weak == "" && weak(low):
		r.weak = line
	}
}

// hinted reports whether a line may say anything at all. Most cannot, and to look
// closely at each costs a hook its time.
func hinted(line string) bool {
	for i := 0; i < len(line); i++ {
		if line[i] >= 0x80 || line[i] == '*' {
			return true
		}
	}
	return containsAny(line[:min(len(line), maxLine)], hints)
}

// tally is what a line counts; -1 is what it does not.
type tally struct{ passed, failed, total int }

// tallied reads the counts of a line: `3 failed, 2 passed`, `12 examples, 0
// failures`, `Failed: 1, Passed: 3`.
func tallied(line string) tally {
	t := tally{-1, -1, -1}
	if !strings.ContainsAny(line, digits) {
		if capital(line) {
			t.failed = 1
		}
		return t
	}
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
	if t.failed < 0 && capital(line) {
		t.failed = 1
	}
	if strings.Contains(line, "(0 errors") {
		t.failed = 0
	}
	return t
}

// capitals are FAIL, FAILED or FAILURE as a word, which no 0 follows.
const capitals = `(?:^|[^A-Za-z_\x{80}-\x{10ffff}])FAIL(?:ED|URE)?(?:$|[^A-Za-z_:=\x{80}-\x{10ffff}]|:(?:$|[^ ]| $| [^0])|=(?:$|[^0]))`

func capital(line string) bool {
	return strings.Contains(line, "FAIL") && expression(capitals).MatchString(line)
}

// green reports whether a line counts tests, at least one, and no failure.
func (t tally) green() bool {
	return t.failed <= 0 && (t.passed > 0 || t.total > 0 && t.failed == 0)
}

// nothing reports whether a line counts tests, and none.
func (t tally) nothing() bool {
	return t.failed <= 0 && t.passed <= 0 && t.total <= 0 && (t.passed == 0 || t.total == 0)
}

// praised reports whether a line is about one passed test, whose name may speak
// of failures.
func praised(line string) bool {
	if begins(line, "✓|✔|√|✅|(pass) |=== RUN|--- PASS|PASS |ok |ok\t") {
		return true
	}
	return strings.HasSuffix(line, " ... ok") || strings.HasSuffix(line, " ... ignored") || strings.Contains(line, " PASSED") && !strings.Contains(line, "FAIL")
}

// failing reports whether a line names a failure in words that many programs
// use. low is the line in small letters.
func failing(line, low string) bool {
	if strings.HasPrefix(low, "not ok") {
		return !containsAny(low, "# todo|# skip")
	}
	if begins(line, "✗|✘|×|✖|❌|✕|⨯") {
		return !containsAny(low, " 0 problems|(0 errors")
	}
	return containsAny(low, failingTexts) || Absent(low)
}

// Absent reports whether a line in small letters is a shell's that found no such
// program.
func Absent(low string) bool {
	return containsAny(low, "command not found|not recognized as an internal") || strings.HasSuffix(low, ": not found") && containsAny(low, "sh: |env: ")
}

// foundNone reports whether a line says that no test was found, or no project to
// look for tests in.
func foundNone(low string) bool {
	return containsAny(low, noTests)
}

// weak reports whether a line says that something is wrong in words that
// passing tests print too.
func weak(low string) bool {
	if low == "error: (none)" { // how Gemini's shell says that all went well
		return false
	}
	return begins(low, weakBegins) || containsAny(low, weakTexts)
}
