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
	case t.green() || line == "PASS" || line == "OK" || strings.HasPrefix(low, "all tests passed") || strings.HasPrefix(low, "all specs passed"):
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
	return containsAny(line[:min(len(line), maxLine)], "ass", "ASS", "ail", "AIL", "rror", "RROR", "xit", "XIT", "rc=", "rc:", "RC=", "RC:", "ucce", "UCCE", "ok", "OK", "est", "EST", "pec", "xample", "cenario",
		"uite", "hecks", "ssert", "run", "not ", "anic", "race", "ncaught", "atal", "dumped", "such file", "egment")
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
		switch lower(word) {
		case "passed", "pass", "passing", "passes", "succeeded", "successes", "success", "ok":
			t.passed = max(t.passed, n)
		case "fail", "failed", "failing", "failure", "failures", "fails", "error", "errors", "errored":
			t.failed = max(t.failed, n)
		case "test", "tests", "example", "examples", "run", "runs", "spec", "specs", "scenario", "scenarios", "assertion", "assertions", "suite", "suites", "checks":
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

// capital reports whether FAIL, FAILED or FAILURE stands in the line as a word.
func capital(line string) bool {
	for from := 0; ; {
		i := strings.Index(line[from:], "FAIL")
		if i < 0 {
			return false
		}
		at := from + i
		from = at + len("FAIL")
		if at > 0 && inWord(line[at-1]) {
			continue
		}
		end := from
		for end < len(line) && inWord(line[end]) {
			end++
		}
		if word := line[at:end]; (word == "FAIL" || word == "FAILED" || word == "FAILURE") && !strings.HasPrefix(line[end:], ": 0") && !strings.HasPrefix(line[end:], "=0") {
			return true
		}
	}
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
	for _, mark := range [...]string{"✓", "✔", "√", "✅", "(pass) ", "=== RUN", "--- PASS", "PASS ", "ok ", "ok\t"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return strings.HasSuffix(line, " ... ok") || strings.HasSuffix(line, " ... ignored") || strings.Contains(line, " PASSED") && !strings.Contains(line, "FAIL")
}

// failing reports whether a line names a failure in words that many programs
// use. low is the line in small letters.
func failing(line, low string) bool {
	if strings.HasPrefix(low, "not ok") {
		return !strings.Contains(low, "# todo") && !strings.Contains(low, "# skip")
	}
	for _, mark := range [...]string{"✗", "✘", "×", "✖", "❌", "✕", "⨯"} {
		if strings.HasPrefix(line, mark) {
			return !strings.Contains(low, " 0 problems") && !strings.Contains(low, "(0 errors")
		}
	}
	return containsAny(low, "tests failed", "test failed", "failed to compile", "could not compile", "build failed", "compilation failed", "some tests did not pass", "no module named") || Absent(low)
}

// Absent reports whether a line in small letters is a shell's that found no such
// program.
func Absent(low string) bool {
	return strings.Contains(low, "command not found") || strings.Contains(low, "not recognized as an internal") ||
		strings.HasSuffix(low, ": not found") && (strings.Contains(low, "sh: ") || strings.Contains(low, "env: "))
}

// foundNone reports whether a line says that no test was found, or no project to
// look for tests in.
func foundNone(low string) bool {
	return containsAny(low, "could not locate gemfile", "could not find a composer.json", "does not contain a project or solution file", "does not contain a gradle build", "there is no pom in this directory",
		"no tests found", "no test files", "no tests to run", "no tests ran", "no test found", "no tests were found", "no tests were executed", "no tests executed", "no tests match", "no examples found", "no test is available", "no test matches", "no test suites found")
}

// weak reports whether a line says that something is wrong in words that
// passing tests print too.
func weak(low string) bool {
	if low == "error: (none)" { // how Gemini's shell says that all went well
		return false
	}
	for _, p := range [...]string{"error:", "error[", "panic:", "traceback (most recent call last)", "fatal:", "fatal error", "uncaught ", "segmentation fault"} {
		if strings.HasPrefix(low, p) {
			return true
		}
	}
	return containsAny(low, ": error:", ": error ts", "syntaxerror:", "modulenotfounderror:", "importerror:", "core dumped", "no such file or directory")
}

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
