package tools

import (
	"strconv"
	"strings"
)

// avaFormat reads AVA.
//
//	✘ [fail]: cart › adds Error
//	1 test failed
func avaFormat() format {
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " ")
		switch {
		case strings.HasPrefix(text, "✘ [fail]: "), strings.HasPrefix(text, "✖ [fail]: "):
			return s.fail(Failure{Test: strings.ReplaceAll(text[len("✘ [fail]: "):], " › ", " > ")}, line)
		case strings.HasPrefix(text, "✘ ") || strings.HasPrefix(text, "✖ "):
			if strings.Contains(text, " exited with a non-zero exit code") {
				return s.fail(Failure{File: first(text[len("✘ "):]), Broken: true}, line)
			}
			if strings.HasPrefix(text[len("✘ "):], "No tests found in ") || strings.Contains(text, "find any files to test") {
				return s.nothing()
			}
			return strings.HasPrefix(text[len("✘ "):], "Timed out while running tests") && s.red(line, byUnit)
		}
		n, rest, ok := strings.Cut(text, " ")
		if !ok || number(n) < 0 || len(text) == len(line) {
			return false
		}
		switch rest {
		case "test failed", "tests failed", "hook failed", "hooks failed", "uncaught exception", "uncaught exceptions", "unhandled rejection", "unhandled rejections":
			return s.counted(0, number(n), line)
		case "test passed", "tests passed":
			return s.counted(number(n), 0, line)
		}
		return false
	}
}

// uvuFormat reads uvu.
//
//	FAIL  cart "adds"
//	 Total:     2
//	 Passed:    1
func uvuFormat() format {
	total, skipped, passed := -1, 0, -1
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " ")
		word, rest, _ := strings.Cut(text, " ")
		n := number(strings.TrimSpace(rest))
		switch {
		case word == "FAIL" && strings.HasSuffix(rest, `"`) && strings.Contains(rest, `  "`) || word == "FAIL" && strings.HasSuffix(rest, `"`) && len(text) < len(line):
			suite, test, _ := strings.Cut(strings.TrimSpace(rest), ` "`)
			return s.fail(Failure{Test: strings.TrimSpace(suite) + " > " + strings.Trim(test, `"`)}, line)
		case n < 0 || !strings.HasPrefix(line, "  "):
			return false
		case word == "Total:":
			total = n
		case word == "Passed:" && total >= 0:
			passed = n
		case word == "Skipped:" && passed >= 0:
			skipped = n
			return s.counted(passed, total-passed-skipped, "Passed: "+strconv.Itoa(passed)+" of "+strconv.Itoa(total))
		default:
			return false
		}
		return true
	}
}

// jasmineFormat reads Jasmine.
//
//	Failures:
//	1) cart adds
//	3 specs, 1 failure, 1 pending spec
func jasmineFormat() format {
	listing := false
	return func(line string, s *sum) bool {
		switch n, rest, _ := strings.Cut(line, " "); {
		case line == "Failures:":
			listing = true
		case line == "Pending:" || strings.HasPrefix(line, "Suite error"):
			listing = false
		case listing && strings.HasSuffix(n, ")") && number(n[:len(n)-1]) > 0:
			return s.fail(Failure{Test: rest}, line)
		case number(n) >= 0 && (strings.HasPrefix(rest, "specs, ") || strings.HasPrefix(rest, "spec, ")):
			listing = false
			t := tallied(line)
			return s.counted(t.total-max(t.failed, 0)-max(numberBefore(line, " pending"), 0), t.failed, line)
		case strings.HasPrefix(line, "Incomplete: ") || strings.HasPrefix(line, "Overall: failed"):
			if strings.Contains(line, "No specs found") {
				return s.nothing()
			}
			return s.red(line, byCount)
		default:
			return false
		}
		return true
	}
}

// playwrightFormat reads Playwright.
//
//  1. [chromium] › a.spec.ts:3:1 › cart › adds ────
//     1 failed
//     [chromium] › a.spec.ts:3:1 › cart › adds ────
//     2 passed (3.1s)
func playwrightFormat() format {
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " ")
		if len(text) == len(line) {
			return strings.HasPrefix(line, "Error: No tests found") && s.nothing()
		}
		n, rest, ok := strings.Cut(text, " ")
		if !ok {
			return false
		}
		if strings.HasSuffix(n, ")") && number(n[:len(n)-1]) > 0 && strings.Contains(rest, " › ") {
			if f, ok := playwrightTest(rest); ok {
				return s.fail(f, line)
			}
			return false
		}
		if number(n) < 0 {
			return false
		}
		switch {
		case rest == "failed", rest == "interrupted", rest == "timed out":
			return s.counted(0, number(n), line)
		case strings.HasPrefix(rest, "error was not a part of any test"), strings.HasPrefix(rest, "errors were not a part of any test"):
			return s.red(line, byUnit)
		case strings.HasPrefix(rest, "passed (") && strings.HasSuffix(rest, ")"):
			return s.counted(number(n), 0, line)
		case rest == "flaky", rest == "skipped", rest == "did not run":
			return true
		}
		return false
	}
}

// playwrightTest reads `[chromium] › a.spec.ts:3:1 › cart › adds ────`.
func playwrightTest(text string) (Failure, bool) {
	text = strings.TrimRight(text, " ─")
	if strings.HasPrefix(text, "[") {
		_, text, _ = strings.Cut(text, " › ")
	}
	at, test, ok := strings.Cut(text, " › ")
	file, _, _ := strings.Cut(at, ":")
	return Failure{Test: strings.ReplaceAll(test, " › ", " > "), File: file}, ok && ends(file, scripts)
}

// karmaFormat reads Karma, and Web Test Runner.
//
//	Chrome 120.0 (Linux) cart adds FAILED
//	Executed 3 of 3 (1 FAILED) (0.1 secs / 0.0 secs)
func karmaFormat() format {
	return func(line string, s *sum) bool {
		text := strings.TrimLeft(line, " ")
		name, rest, executed := strings.Cut(text, "Executed ")
		switch {
		case executed && (name == "" || strings.HasSuffix(name, ": ")) && strings.Contains(rest, " of "):
			failed, ran := numberBefore(rest, " FAILED"), leading(rest)
			switch {
			case failed > 0:
				s.Failed = max(s.Failed, failed)
				return s.red(line, byCount)
			case ran == 0:
				return s.nothing()
			case strings.Contains(rest, "SUCCESS"):
				s.passed(0)
				s.Passed = max(s.Passed, ran)
			case strings.Contains(rest, "DISCONNECTED") || strings.Contains(rest, "ERROR"):
				return s.red(line, byCount)
			}
			return true
		case strings.HasPrefix(text, "TOTAL: ") && (strings.Contains(text, "SUCCESS") || strings.Contains(text, "FAILED")):
			if n := numberBefore(text, " FAILED"); n > 0 {
				return s.red(line, byCount)
			}
			return true
		case strings.HasSuffix(text, " FAILED") && strings.Contains(text, ") ") && (strings.HasPrefix(text, "Chrome") || strings.HasPrefix(text, "Firefox") || strings.HasPrefix(text, "HeadlessChrome") || strings.HasPrefix(text, "Safari")):
			_, test, _ := strings.Cut(text, ") ")
			return s.fail(Failure{Test: strings.TrimSuffix(test, " FAILED")}, line)
		case strings.Contains(text, " test files | "):
			_, counts, _ := strings.Cut(text, " | ")
			t := tallied(counts)
			return s.counted(t.passed, t.failed, line)
		}
		return false
	}
}

// denoFormat reads deno test.
//
//	adds => ./cart_test.ts:3:6
//	FAILED | 2 passed | 1 failed (10ms)
//	ok | 3 passed | 0 failed (5ms)
func denoFormat() format {
	listing := false
	return func(line string, s *sum) bool {
		switch test, at, named := strings.Cut(line, " => "); {
		case strings.HasPrefix(line, "FAILED | "), strings.HasPrefix(line, "ok | "):
			listing = false
			t := tallied(line)
			return s.counted(t.passed, max(t.failed, 0), line)
		case strings.TrimSpace(line) == "FAILURES" || strings.TrimSpace(line) == "ERRORS":
			listing = true
			return s.red(line, byExit)
		case named && listing:
			if file, ok := place(at+" ", scripts); ok {
				return s.fail(Failure{Test: strings.ReplaceAll(test, " ... ", " > "), File: file}, line)
			}
		case strings.Contains(line, " ... FAILED (") && strings.HasSuffix(line, "s)"):
			return s.red(line, byUnit)
		case line == "error: No test modules found":
			return s.nothing()
		case strings.HasSuffix(line, "(uncaught error)"):
			return s.fail(Failure{File: strings.TrimSpace(cutBefore(line, "(")), Broken: true}, line)
		}
		return false
	}
}
