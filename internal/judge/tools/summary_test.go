package tools

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// What a line that ran some programs printed, and whether it is red, green or
// none; "" where it does not say.
func TestSummary(t *testing.T) {
	for name, c := range map[string]struct{ programs, output, want string }{
		"a count of passed tests":                        {"", "12 passed", "green"},
		"a count of failed tests":                        {"", "1 failed, 11 passed", "red"},
		"nothing":                                        {"", "", ""},
		"words without a count":                          {"", "hello\nworld", ""},
		"coloured, with carriage returns":                {"", "\x1b[32m12 passed\x1b[0m\r\n\x1b[31m1 failed\x1b[0m\r\n", "red"},
		"a link around the count":                        {"", "\x1b]8;;http://x\x1b\\1 failed\x1b]8;;\x1b\\", "red"},
		"errors beside passes (bun)":                     {"bun", "\n 62 pass\n 0 fail\n 2 errors\nRan 62 tests across 9 files. [1.00s]", "red"},
		"suites red, tests green (jest)":                 {"jest", "Test Suites: 1 failed, 2 passed, 3 total\nTests:       5 passed, 5 total\n", "red"},
		"a failed snapshot (jest)":                       {"jest", "Test Suites: 1 passed, 1 total\nTests:       5 passed, 5 total\nSnapshots:   1 failed, 1 total", "red"},
		"coverage missed (jest)":                         {"jest", "Test Suites: 1 passed, 1 total\nTests:       5 passed, 5 total\nJest: \"global\" coverage threshold for lines (90%) not met: 80%", "red"},
		"coverage missed (pytest)":                       {"pytest", "FAIL Required test coverage of 90% not reached. Total coverage: 80.00%\n=== 3 passed in 0.1s ===", "red"},
		"all skipped (pytest)":                           {"pytest", "=== 3 skipped in 0.1s ===", "none"},
		"all skipped (jest)":                             {"jest", "Test Suites: 1 skipped, 0 of 1 total\nTests:       3 skipped, 3 total\n", "none"},
		"all skipped (go test -v)":                       {"go", "=== RUN   TestA\n--- SKIP: TestA (0.00s)\nPASS\nok  \tx/a\t0.1s", "none"},
		"a file that is not there (pytest)":              {"pytest", "=== no tests ran in 0.00s ===\nERROR: file or directory not found: tests/no.py", "none"},
		"the beginning of a red run only (pytest)":       {"pytest", "collected 3 items\n\ntests/test_a.py .F.    [100%]\n\n=== FAILURES ===\n___ test_a ___\n", "red"},
		"words of the tests before a green end":          {"pytest", "tests/a.py::t PASSED [ 50%]\n2 errors found, exit code 1\nFAILED to connect\n=== 3 passed in 0.1s ===", "green"},
		"the same words, of a program not known":         {"", "2 errors found\n3 passed", "red"},
		"an exit status after a green end":               {"pytest", "=== 3 passed in 0.1s ===\nEXIT=1", "red"},
		"an exit status of 0":                            {"pytest", "=== 3 passed in 0.1s ===\nEXIT=0", "green"},
		"what a passing Go test prints":                  {"go", "=== RUN   TestA\n    a_test.go:3: FAIL: 3 failed\n--- PASS: TestA (0.00s)\nPASS\nok  \tx/a\t0.1s", "green"},
		"another test's failure, in a passing one's log": {"go", "=== RUN   TestA\n    --- FAIL: TestInner (0.00s)\n--- PASS: TestA (0.00s)\nPASS\nok  \tx/a\t0.1s", "green"},
		"no test files at all":                           {"go", "?   \tx/a\t[no test files]\n?   \tx/b\t[no test files]", "none"},
		"two runners, the second red":                    {"go vitest", "ok  \tx/a\t0.1s\n Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)", "red"},
		"two runners, the first red":                     {"go pytest", "FAIL\tx/a\t0.1s\nFAIL\n=== 3 passed in 0.1s ===", "red"},
		"a program that is not installed":                {"npm", "sh: 1: jest: not found", "red"},
		"the target below make failed":                   {"make", "ok  \tx/a\t0.1s\nmake: *** [Makefile:3: test] Error 2", "red"},
		"make had nothing to do":                         {"make", "make: Nothing to be done for 'test'.", "none"},
		"Docker's label before each line":                {"make", "api-1  | ok  \tx/a\t0.1s\nweb_1  | FAIL src/a.test.ts\nweb_1  | Tests:       1 failed, 2 total", "red"},
		"a time before each line":                        {"npm", "2026-01-02T03:04:05.678Z Test Suites: 1 failed, 1 total\n2026-01-02T03:04:05.678Z Tests:       1 failed, 1 total", "red"},
		"turbo's label":                                  {"turbo", "@a/web:test: Tests:       2 passed, 2 total", "green"},
		"pnpm's label":                                   {"pnpm", "packages/web test: Tests:       1 failed, 1 passed, 2 total", "red"},
		"a build that went well":                         {"mvn", "[INFO] BUILD SUCCESS", "green"},
		"unhandled errors beside green tests (vitest)":   {"vitest", " Test Files  1 passed (1)\n      Tests  1 passed (1)\n     Errors  1 error\n", "red"},
		"a test that may fail (TAP)":                     {"tap", "ok 1 - a\nnot ok 2 - b # TODO later\n1..2\n# pass 1", "green"},
		"no tests, then a build that went well (gradle)": {"gradle", "> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s", "none"},
		"a flaky test that passed at last (playwright)":  {"playwright", "  1 flaky\n    [chromium] › a.spec.ts:3:1 › adds\n  2 passed (3.1s)", "green"},
		"a progress bar over a red end":                  {"dart", "00:00 +1: a\r00:01 +1 -1: b [E]\r00:02 +1 -1: Some tests failed.", "red"},
		"zero tests with an exit status of 0 (cargo)":    {"cargo", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out", "none"},
		"what the last lines of a red Go run hold":       {"go", "FAIL", "red"},
		"the head of an error, without any test (weak)":  {"make", "error: cannot open file", "red"},
		"the same before what passed":                    {"make", "error: cannot open file\n=== 3 passed in 0.1s ===", "green"},
		"a passed test whose name speaks of failure":     {"", "✓ 1 failed call is told\n5 passed", "green"},
		"a Python traceback in a script":                 {"python", "Traceback (most recent call last):\n  File \"a.py\"\nValueError: x", "red"},
	} {
		var runners []*Tool
		for program := range strings.FieldsSeq(c.programs) {
			runners = append(runners, Find(program))
		}
		if got := state(Summarize(c.output, runners...)); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func state(s Summary) string {
	switch {
	case s.Red:
		return "red"
	case s.Green:
		return "green"
	case s.None:
		return "none"
	}
	return ""
}

// The line to quote is the runner's own failing line, wherever it stands.
func TestSummaryLine(t *testing.T) {
	for name, c := range map[string]struct{ program, output, want string }{
		"pytest's, not its header":  {"pytest", "=== test session starts ===\nrootdir: /src\n" + strings.Repeat("x\n", 500) + "=== FAILURES ===\nE   assert 1 == 2\nFAILED a.py::test_x - assert 1 == 2\n=== 1 failed in 0.1s ===", "FAILED a.py::test_x - assert 1 == 2"},
		"vitest's, not a ruler":     {"vitest", "⎯⎯⎯ Failed Tests 1 ⎯⎯⎯\n\n FAIL  src/a.test.ts > adds\nAssertionError: x", "FAIL  src/a.test.ts > adds"},
		"the test, not the package": {"go", "--- FAIL: TestA (0.00s)\n    a_test.go:3: x\nFAIL\nFAIL\tx/a\t0.1s", "--- FAIL: TestA (0.00s)"},
		"the panic":                 {"go", "--- FAIL: TestA (0.00s)\npanic: boom [recovered]\n\tpanic: boom\nFAIL\tx/a\t0.1s", "panic: boom [recovered]"},
		"the test, not make's line": {"make", "--- FAIL: TestA (0.00s)\nFAIL\tx/a\t0.1s\nmake: *** [Makefile:2: test] Error 1", "--- FAIL: TestA (0.00s)"},
		"a shell's":                 {"npm", "npm error code 127\nsh: 1: jest: not found", "sh: 1: jest: not found"},
		"nothing where all is well": {"go", "ok  \tx/a\t0.1s", ""},
	} {
		if got := Find(c.program).Summary(c.output).Line; got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// What is named is bounded, and the rest is not forgotten.
func TestSummaryIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "FAILED a.py::test_%d - x\n", i)
	}
	if s := Find("pytest").Summary(b.String()); len(s.Failures) != maxFailures || !s.More || !s.Red {
		t.Errorf("got %d failures, more %t", len(s.Failures), s.More)
	}
	if s := Find("pytest").Summary("FAILED a.py::" + strings.Repeat("x", 10_000)); len(s.Failures) != 0 || !s.More || !s.Red {
		t.Errorf("a long name: got %+v", s)
	}
}

// No output makes a reader fail, and what it says holds together.
func FuzzSummary(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.output)
	}
	names := []string{"make", "go", "pytest", "unittest", "jest", "vitest", "bun", "mocha", "cargo", "rake", "phpunit", "mvn", "dotnet", "swift", "bats", "ctest", ""}
	f.Fuzz(func(t *testing.T, output string) {
		for _, name := range names {
			s := Find(name).Summary(output)
			states := 0
			for _, is := range []bool{s.Red, s.Green, s.None} {
				if is {
					states++
				}
			}
			switch {
			case states > 1:
				t.Errorf("%s: more than one of red, green and none: %+v", name, s)
			case len(s.Failures) > maxFailures:
				t.Errorf("%s: %d failures", name, len(s.Failures))
			case len(s.Failures) > 0 && !s.Red, s.Failed > 0 && !s.Red:
				t.Errorf("%s: failures, and not red: %+v", name, s)
			case s.Red && s.Line == "" && len(s.Failures) > 0 && utf8.ValidString(output):
				t.Errorf("%s: no line: %+v", name, s)
			case s.Passed < 0 || s.Failed < 0:
				t.Errorf("%s: counts below 0: %+v", name, s)
			}
		}
	})
}

func BenchmarkSummary(b *testing.B) {
	noise := strings.Repeat("    some words that a test prints, with a number 12 and a path a/b.go\n", 560) // 40 KB
	for name, output := range map[string]string{
		"noise":  noise,
		"pytest": noise + "FAILED a.py::test_x - x\n=== 1 failed, 2 passed in 0.1s ===\n",
		"go-v":   strings.Repeat("=== RUN   TestA\n    a_test.go:3: x\n--- PASS: TestA (0.00s)\n", 690) + "PASS\nok  \tx/a\t0.1s\n",
	} {
		for _, program := range []string{"go", "pytest", "make"} {
			b.Run(name+" by "+program, func(b *testing.B) {
				b.SetBytes(int64(len(output)))
				for b.Loop() {
					Find(program).Summary(output)
				}
			})
		}
	}
}
