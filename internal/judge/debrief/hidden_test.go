package debrief_test

import (
	"strings"
	"testing"
)

// Ways to run tests that hide how they went: what each prints of a red run and of a
// green one. A red run is never called passed, and a green one holds nobody.
func TestHiddenStatus(t *testing.T) {
	const (
		green = "ok  \tshop/a\t0.10s"
		red   = "--- FAIL: TestF (0.00s)\n    a_test.go:7: got 1\nFAIL\nFAIL\tshop/a\t0.10s\nFAIL"
		pyRed = "tests/test_a.py F\n=== 1 failed, 4 passed in 0.2s ==="
		pyOK  = "tests/test_a.py .....\n=== 5 passed in 0.2s ==="
	)
	goes, py := "a.go", "a.py"
	for _, c := range []struct {
		file, line, red, green string
		sees                   bool // the red run can be seen, and holds
	}{
		{goes, "go test ./... 2>&1 | grep -c FAIL", "3", "0", false},
		{goes, "go test ./... | grep -c ok", "0", "1", false},
		{goes, "go test ./... | wc -l", "5", "1", false},
		{goes, "go test ./... > /dev/null; echo finished", "finished", "finished", false},
		{goes, "go test ./... >/dev/null 2>&1; true", "", "", false},
		{goes, "go test ./... > ../out.txt 2>&1; echo done", "done", "done", false},
		{goes, "go test ./... || true", red, green, true},
		{goes, "go test ./...; echo done", red + "\ndone", green + "\ndone", true},
		{goes, "go test ./... | tail -1", "FAIL", green, true},
		{goes, "go test ./... | tail -3", "FAIL\nFAIL\tshop/a\t0.10s\nFAIL", green, true},
		{goes, "go test ./... | head -1", "--- FAIL: TestF (0.00s)", green, true},
		{goes, "go test ./... | grep -v '^ok'", red, "", true},
		{goes, "go test ./... | grep PASS", "", "", false},
		{goes, "go test -v ./... | grep PASS", "--- PASS: TestA (0.00s)", "--- PASS: TestA (0.00s)", false},
		{goes, "go test ./... | awk '{print $1}'", "---\na_test.go:7:\nFAIL", "ok", false},
		{goes, "go test ./... | cut -c1-2", "--\nFA", "ok", false},
		{goes, "go test ./... | sed -n 1p", "--- FAIL: TestF (0.00s)", green, true},
		{goes, "go test ./... | sort | uniq -c", "2 FAIL", "1 ok", false},
		{goes, "go test ./... | cat", red, green, true},
		{goes, "go test ./... 2>&1 | tee log.txt", red, green, true},
		{goes, "go test ./... | tee log.txt | tail -1", "FAIL", green, true},
		{goes, "go test ./... | xargs echo", "--- FAIL: TestF (0.00s)", green, false},
		{goes, "go test ./... &", "", "", false},
		{goes, "(go test ./... || echo)", red, green, true},
		{goes, "go test ./... ; git status --short", red + "\n M a.go", green + "\n M a.go", true},
		{goes, "go test ./... && echo yes || echo no", red + "\nno", green + "\nyes", true},
		{goes, "go test ./... > log && echo yes || echo no", "no", "yes", true},
		{goes, "go test ./... > log; echo rc=$?", "rc=1", "rc=0", true},
		{goes, "R=$(go test ./... 2>&1); echo ${#R}", "212", "18", false},
		{goes, "OUT=$(go test ./...); echo \"$OUT\"", red, green, true},
		{goes, "if go test ./... >/dev/null; then echo a; else echo b; fi", "b", "a", false},
		{goes, "! go test ./...", red, green, true},
		{goes, "go test ./... | grep -q FAIL", "", "", false},
		{goes, "go test ./... | grep -q FAIL; echo $?", "0", "1", false},
		{goes, "timeout 60 go test ./... | tail -2", "FAIL\tshop/a\t0.10s\nFAIL", green, true},
		{goes, "set +e; go test ./...; exit 0", red, green, true},
		{goes, "go test ./... | jq .", "", "", false},
		{goes, "go test -json ./... | grep -c '\"fail\"'", "2", "0", false},
		{goes, "go test -c ./... ; echo built", "built", "built", false},
		{goes, "go test -run XXX ./...", "ok  \tshop/a\t0.1s [no tests to run]", "ok  \tshop/a\t0.1s [no tests to run]", false},
		{goes, "make test | tail -1", "make: *** [Makefile:3: test] Error 1", green, true},
		{goes, "make -i test; echo ok", red + "\nok", green + "\nok", true},
		{py, "pytest | wc -l", "9", "4", false},
		{py, "pytest -q | tail -1", "1 failed, 4 passed in 0.2s", "5 passed in 0.2s", true},
		{py, "pytest -q 2>&1 | grep -c passed", "1", "1", false},
		{py, "pytest > log; echo finished", "finished", "finished", false},
		{py, "pytest || true", pyRed, pyOK, true},
		{py, "python -m pytest | grep passed", "=== 1 failed, 4 passed in 0.2s ===", "=== 5 passed in 0.2s ===", true},
		{py, "pytest | head -1", "tests/test_a.py F", "tests/test_a.py .....", false},
		{py, "pytest; rm -rf .cache", pyRed, pyOK, true},
		{py, "pytest --collect-only -q; echo ok", "5 tests collected\nok", "5 tests collected\nok", false},
		{py, "tox | tail -1", "  py: FAIL code 1", "  congratulations :)", false},
		{"a.ts", "npm test > log; echo finished", "finished", "finished", false},
		{"a.ts", "npm test 2>&1 | tail -4", "Tests:       1 failed, 3 passed, 4 total", "Tests:       4 passed, 4 total", true},
		{"a.ts", "npx jest | grep -c ✓", "3", "4", false},
		{"a.ts", "npx vitest run | tail -3", " Tests  1 failed | 3 passed (4)", " Tests  4 passed (4)", true},
		{"a.rs", "cargo test | grep -c panicked", "1", "0", false},
		{"a.rs", "cargo test 2>&1 | tail -1", "error: test failed, to rerun pass `--lib`", "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s", true},
		{"a.rs", "cargo test --no-run; echo ok", "ok", "ok", false},
		{"A.java", "mvn -q test | grep -c ERROR", "4", "0", false},
		{"a.cs", "dotnet test --no-build; true", "", "", false},
	} {
		t.Run(c.line, func(t *testing.T) {
			r := turn().edit(c.file).at(c.file, tested).run(c.line, c.red).look()
			if r.Passed != "" {
				t.Errorf("the red run %q is called passed by %s", c.red, r.Passed)
			}
			if held := len(r.Actions) > 0; c.sees && !held {
				t.Errorf("the red run %q holds nobody: %v", c.red, r.Lines)
			}
			r = turn().edit(c.file).at(c.file, tested).run(c.line, c.green).look()
			if red := strings.Join(r.Actions, ""); strings.Contains(red, "failed last") {
				t.Errorf("the green run %q holds: %s", c.green, red)
			}
		})
	}
}
