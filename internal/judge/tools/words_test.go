package tools

import (
	"slices"
	"strings"
	"testing"
)

// TestLines says what one line alone says that no runner's format has.
func TestLines(t *testing.T) {
	t.Parallel()
	for want, list := range map[string]string{
		"green 1/0": "1 passed", "green 12/0": "12 examples, 0 failures|12 tests passed (0 errors)",
		"green 3/0": "Passed: 3, Failed: 0|passed=3|# pass 3|ℹ pass 3|3 passed, 2 skipped",
		"green 0/0": "PASS|OK|All tests passed!|✓ adds|√ adds|✅ adds|a ... ok|a PASSED",
		"none 0/0":  "0 passed|0 tests|no tests found",
		"red 0/1":   "1 failed|# pass 1 # fail 1|not ok 1 - a|Failures: 1|errors=1|# fail 1|1 error|FAILED|x FAIL|FAIL: x|FAILURE=1|a FAIL PASSED",
		"red 0/2":   "2 failed|2 failed, 3 passed",
		"red 0/0": "exit status 1|exited with code 2|EXIT=1|rc: 3|✗ adds|✘ adds|× adds|❌ adds|bash: jest: command not found|" +
			"'jest' is not recognized as an internal or external command|sh: 1: jest: not found|env: jest: not found",
		"? 0/0": "|✔ adds|(pass) 1 failed|x|exit status 0|EXIT=0|FAILED: 0|FAIL=0|unfailing|2024-01-01 failed|v2 failed|0.5 failed|10:30 failed|9999999999 failed|not ok 1 # TODO a|not ok 1 # skip a|" +
			"✖ 0 problems|error: (none)|x: not found|page 3: not found",
	} {
		for line := range strings.SplitSeq(list, "|") {
			if got := spell(unknown.Summary(line)); cutAt(got) != want {
				t.Errorf("%q: got %s, want %s", line, got, want)
			}
		}
	}
}

func cutAt(spelled string) string {
	head, _, _ := strings.Cut(spelled, " | ")
	return head
}

// TestLabels says what stands before a line that another program printed.
func TestLabels(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"2026-01-02T03:04:05.678Z FAIL a":     "FAIL a",
		"03:04:05 FAIL a":                     "FAIL a",
		"[0] FAIL a":                          "FAIL a",
		"[03:04:05] [web] FAIL a":             "FAIL a",
		"[a] [b] [c] [d] FAIL a":              "[d] FAIL a",
		"web:test: FAIL a":                    "FAIL a",
		"web-1  | FAIL a":                     "FAIL a",
		"packages/web test: FAIL a":           "FAIL a",
		"[error] FAIL a":                      "[error] FAIL a",
		"[info] x":                            "[info] x",
		"[0] ":                                "[0] ",
		"[chromium] › a":                      "[chromium] › a",
		"12:3: FAIL a":                        "12:3: FAIL a",
		"FAIL a":                              "FAIL a",
		"[" + strings.Repeat("a", 90) + "] x": "[" + strings.Repeat("a", 90) + "] x",
	} {
		if got := unlabelled(line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
	got := slices.Collect(lines("\x1b[31ma\x1b[0m \t\n\n  b\rc\r\n\x1b]8;;x\ad\x1bMe"))
	if want := []string{"a", "  b", "c", "de"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for range lines("a\nb\n") {
		break
	}
}

// TestNaming says which file holds tests, and of which other file.
func TestNaming(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		test, file  string
		holds, owns bool
	}{
		{"a/x_test.go", "a/x.go", true, true},
		{"a/x_test.go", "a/y.go", true, false},
		{"a/x.go", "a/x.go", false, false},
		{"tests/test_x.py", "src/x.py", true, true},
		{"tests/test_x.py", "src/_x.py", true, true},
		{"tests/helper.py", "src/helper.py", false, false},
		{"a/x.test.ts", "a/x.ts", true, true},
		{"a/__tests__/x.ts", "a/x.ts", true, true},
		{"a/x/x.ts", "a/x.ts", false, false},
		{"a/cart.test.ts", "a/cart/index.ts", true, true},
		{"a/cart.test.ts", "a/shop/index.ts", true, false},
		{"src/cart/tests.rs", "src/cart.rs", true, true},
		{"src/cart/tests.rs", "src/cart/a.rs", true, true},
		{"src/cart/tests.rs", "src/shop.rs", true, false},
		{"app/tests.py", "app/models.py", true, true},
		{"app/tests.py", "lib/models.py", true, false},
		{"README", "README", false, false},
	} {
		e := OfFile(c.file)
		if e == nil {
			e = OfFile("x.go")
		}
		if holds, owns := e.Holds(c.test), e.Owns(c.test, c.file); holds != c.holds || owns != c.owns {
			t.Errorf("%s of %s: got %t %t", c.test, c.file, holds, owns)
		}
	}
	for file, want := range map[string]string{"a/x.go": "go", "x.test.ts": "node", "x.": "", "go": "", "a.b/go": "", "x.txt": ""} {
		if got := EcosystemOf(file); got != want {
			t.Errorf("%s: got %q, want %q", file, got, want)
		}
	}
	if got := Phrases("a b|c"); !slices.Equal(got, []string{"a b", "c"}) || Phrases("") != nil {
		t.Errorf("got %q", got)
	}
	if got := DefinitionFiles(); !strings.HasPrefix(got, "Rakefile ") || !Among(got, "Makefile") || !Among(got, "package.json") {
		t.Errorf("got %s", got)
	}
	if got := Patterns(Idle); !slices.Contains(got, "echo") || slices.Contains(got, "go") {
		t.Errorf("got %s", got)
	}
	if got := TestPatterns("go"); !slices.Contains(got, "go test") || slices.Contains(got, "go vet") || slices.Contains(got, "pytest") {
		t.Errorf("got %s", got)
	}
}
