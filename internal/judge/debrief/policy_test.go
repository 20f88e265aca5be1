package debrief_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// at places a changed file: where it lives, and what tests there are.
func (s *script) at(path string, h debrief.Home) *script {
	for i := range s.in.Files {
		if s.in.Files[i].Path == path {
			h.Manifest = true
			s.in.Files[i].Home = &h
		}
	}
	return s
}

func (s *script) declares(run string) *script {
	s.in.Declared = append(s.in.Declared, debrief.Test{Run: run})
	return s
}

func (s *script) person(words string) *script { s.in.Prompts = append(s.in.Prompts, words); return s }
func (s *script) says(words string) *script   { s.in.Words = []agent.Words{{Text: words}}; return s }

// Homes of files as projects have them.
var (
	goTested  = debrief.Home{Packaged: true, PackageTests: true, Tested: true}
	goUntried = debrief.Home{Packaged: true, Tested: true}
	tested    = debrief.Home{Tested: true}
	untested  = debrief.Home{}
)

// Facts of one hold ask for one command where that of one takes all that the other's does.
func TestOneCommandForTwoFacts(t *testing.T) {
	s := turn().edit("a.go", "sub/b.go").at("a.go", goTested).at("sub/b.go", goUntried)
	s.in.Narrow = func(_, _ string, files []string) string {
		if slices.Contains(files, "a.go") {
			return "go test . ./sub"
		}
		return "go test ./sub"
	}
	r := s.look()
	if len(r.Actions) != 2 || strings.Count(strings.Join(r.Actions, "\n"), "run `go test . ./sub`") != 2 {
		t.Errorf("got %q, want two facts and one command", r.Actions)
	}
}

func ownTest(test string) debrief.Home {
	return debrief.Home{Tested: true, Own: []string{test}}
}

// One fact holds, or none does; a line is for the person.
func TestSequences(t *testing.T) {
	const green, red = "ok  \tshop\t0.1s", "--- FAIL: TestF (0.00s)\nFAIL\nFAIL\tshop/a\t0.1s\nFAIL"
	for _, c := range []struct {
		name   string
		script *script
		class  debrief.Class // of the fact that holds; "": none does
		line   bool          // a person reads a line
		clear  bool          // all is called clear
	}{
		{"own tests idle", turn().edit("a.go").at("a.go", goTested), debrief.ClassOwnIdle, false, false},
		{"own tests idle, built", turn().edit("a.go").at("a.go", goTested).run("go build ./...", ""), debrief.ClassOwnIdle, false, false},
		{"no test names it, built", turn().edit("c/c.go").at("c/c.go", goUntried).run("go build ./...", ""), "", true, false},
		{"a page, built", turn().edit("page.astro").at("page.astro", tested).run("npx astro build", "done"), "", true, false},
		{"red lint of a part, then all lint passes", turn().edit("src/a.ts").at("src/a.ts", tested).run("npx eslint src", "src/a.ts\n  1:2  error  Unexpected any  no-explicit-any\n✖ 1 problem (1 error, 0 warnings)", failed).run("npm run lint", "> eslint ."), "", true, false},
		{"red lint of a part", turn().edit("src/a.ts").at("src/a.ts", tested).run("npx eslint src", "src/a.ts\n  1:2  error  Unexpected any  no-explicit-any\n✖ 1 problem (1 error, 0 warnings)", failed), debrief.ClassRed, true, false},
		{"a script that ran", turn().edit("tool.sh").run("bash tool.sh", "fine"), "", false, false},
		{"three files, a declared check, nothing ran", turn().edit("a.ts", "b.ts", "c.ts").at("a.ts", untested).at("b.ts", untested).at("c.ts", untested).declares("npm run typecheck"), debrief.ClassUntested, false, false},
		{"one file, a declared check, nothing ran", turn().edit("a.ts").at("a.ts", untested).declares("npm run typecheck"), debrief.ClassUntested, false, false},
		{"red, and said to be done", turn().edit("a.py").at("a.py", tested).run("pytest", "2 failed, 3 passed in 0.1s", failed).says("Done, all set."), debrief.ClassRed, false, false},
		{"red, and admitted", turn().edit("a.py").at("a.py", tested).run("pytest", "2 failed, 3 passed in 0.1s", failed).says("Done, but two tests still fail because of the clock."), "", true, false},
		{"failed looks and pushes beside green tests", turn().run("where luac", "", failed).edit("a.go").at("a.go", goTested).run("go test ./...", green).run("git push", "fatal: unable to access", failed), "", false, true},
		{"lint that a sandbox refused, green tests", turn().edit("a.go").at("a.go", goTested).run("golangci-lint run", "operation not permitted", failed).run("go test ./...", green), "", false, true},
		{"a wide failure, a narrow pass that takes it", turn().edit("a/a.go").at("a/a.go", goTested).run("go test ./...", red, failed).edit("a/a.go").at("a/a.go", goTested).run("go test ./a/", "ok  \tshop/a\t0.1s"), "", false, true},
		{"a failure, a pass that chooses another test", turn().edit("a/a.go").at("a/a.go", goTested).run("go test ./...", red, failed).edit("a/a.go").at("a/a.go", goTested).run("go test ./a -run TestOther", "ok  \tshop/a\t0.1s"), debrief.ClassRed, false, false},
		{"a count of failures", turn().edit("a.go").at("a.go", goTested).run("go test ./... | grep -c FAIL", "2"), "", true, false},
		{"a log that is read later", turn().edit("a/a.go").at("a/a.go", goTested).run("go test ./... > o.txt; echo done", "done").run("tail -3 o.txt", red), debrief.ClassRed, false, false},
		{"a log that is read later, green", turn().edit("a/a.go").at("a/a.go", goTested).run("go test ./... > o.txt 2>&1; echo done", "done").run("tail -3 o.txt", "ok  \tshop/a\t0.1s"), "", false, true},
		{"a log that nobody read", turn().edit("a/a.go").at("a/a.go", goTested).run("go test ./... > o.txt; echo done", "done"), "", true, false},
		{"green, then an edit over MCP", turn().edit("a.go").at("a.go", goTested).run("go test ./...", green).call(agent.Call{Kind: agent.CallEdit, Tool: "mcp__serena__replace_symbol_body", Paths: []string{"a.go"}}), debrief.ClassOwnIdle, false, false},
		{"no tests, says the person", turn().person("Rename it. No tests please.").edit("a.go").at("a.go", goTested), "", true, false},
		{"no tests, says the second sentence", turn().person("Rename it. Do not run the tests.").edit("a.go").at("a.go", goTested), "", true, false},
		{"a wrapper with its green sum", turn().edit("a.ts").at("a.ts", ownTest("a.test.ts")).run("fnm exec npm test", "Tests:       3 passed, 3 total"), "", false, true},
		{"modules of a workspace", turn().edit("m1/a.go").at("m1/a.go", debrief.Home{Project: "m1", Packaged: true, PackageTests: true, Tested: true}).run("go test ./m1/... ./m2/...", "ok  \tm1\t0.1s"), "", false, true},
		{"checks on another machine went well", turn().edit("a.py").at("a.py", tested).run("git push", "").run("gh pr checks 3 --watch", "test\tpass\t1m2s\thttps://example.org"), "", true, false},
		{"checks on another machine failed", turn().edit("a.py").at("a.py", tested).run("git push", "").run("gh pr checks 3", "test\tfail\t1m2s\thttps://example.org", failed), debrief.ClassIdle, false, false},
		{"tried, cannot run here, and said", turn().edit("a.py").at("a.py", ownTest("test_a.py")).run("python3 -m pytest test_a.py", "python3: No module named pytest", failed).says("Done. Tests: not run (pytest is not installed here)."), "", true, false},
		{"tried, cannot run here, and not said", turn().edit("a.py").at("a.py", ownTest("test_a.py")).run("python3 -m pytest test_a.py", "python3: No module named pytest", failed).says("Done, it works."), debrief.ClassOwnIdle, false, false},
		{"tried, cannot run here, and said to pass", turn().edit("a.py").at("a.py", ownTest("test_a.py")).run("python3 -m pytest test_a.py", "python3: No module named pytest", failed).says("All 3 tests pass. The option is not available on Windows."), debrief.ClassOwnIdle, false, false},
		{"a module of the change is missing, and said", turn().edit("a.py").at("a.py", ownTest("test_a.py")).run("pytest test_a.py", "ImportError while loading conftest\nE   ModuleNotFoundError: No module named 'a.c'", failed).says("The tests could not run here."), debrief.ClassOwnIdle, false, false},
		{"a wrong flag, and said", turn().edit("a/a.go").at("a/a.go", goTested).run("go test -rnu X ./...", "flag provided but not defined: -rnu", failed).says("The tests could not run here."), debrief.ClassOwnIdle, false, false},
		{"it ran before, then its program is gone", turn().edit("a.py").at("a.py", ownTest("test_a.py")).run("pytest test_a.py", "3 passed in 0.1s").edit("a.py").at("a.py", ownTest("test_a.py")).run("pytest test_a.py", "bash: pytest: command not found", failed).says("The tests could not run here."), debrief.ClassOwnIdle, false, false},
		{"a test file that is only compiled", turn().edit("b.py").at("b.py", ownTest("tests/test_b.py")).run("python -m py_compile tests/test_b.py", ""), debrief.ClassOwnIdle, false, false},
		{"a test file whose syntax is checked", turn().edit("a.rb").at("a.rb", ownTest("spec/a_spec.rb")).run("ruby -c spec/a_spec.rb", "Syntax OK"), debrief.ClassOwnIdle, false, false},
		{"a test file that ran", turn().edit("b.py").at("b.py", ownTest("tests/test_b.py")).run("python tests/test_b.py", "Ran 3 tests in 0.1s\n\nOK"), "", false, true},
		{"a runner told to go on, red", turn().edit("A.java").at("A.java", ownTest("ATest.java")).run("mvn -fn test", "Tests run: 3, Failures: 1, Errors: 0, Skipped: 0\nBUILD SUCCESS"), "", true, false},
		{"the status of another part of a pipe", turn().edit("a/a.go").at("a/a.go", goTested).run("go test ./... | tee x; exit ${PIPESTATUS[1]}", "--- FAIL: TestF (0.00s)\nFAIL\nFAIL\tshop/a\t0.1s\nFAIL"), debrief.ClassRed, false, false},
		{"tests skipped, in capitals", turn().edit("A.java").at("A.java", ownTest("ATest.java")).run("mvn -DskipTests=TRUE package", "BUILD SUCCESS"), debrief.ClassOwnIdle, false, false},
		{"tests excluded, in one word", turn().edit("A.java").at("A.java", ownTest("ATest.java")).run("./gradlew check -xtest", "BUILD SUCCESSFUL in 1s"), debrief.ClassOwnIdle, false, false},
		{"not tried, and said", turn().edit("a.py").at("a.py", ownTest("test_a.py")).says("Done. Tests: not run (pytest is not installed here)."), debrief.ClassOwnIdle, false, false},
		{"green tests beside a red lint in one call", turn().edit("a.py").at("a.py", tested).run("pytest | tail -3 && npm run lint | tail -3", "3 passed in 0.1s\nerror: script \"lint\" exited with code 1"), "", true, false},
		{"red tests behind a build in one call", turn().edit("a/a.go").at("a/a.go", goTested).run("go build ./... && go test ./... 2>&1 | tail -2", "ok  \tshop/z\t0.1s\nFAIL"), debrief.ClassRed, false, false},
		{"red tests beside a lint, by the script's line", turn().edit("a.ts").at("a.ts", tested).run("npm run lint; npm test 2>&1 | tail -3", "Tests:       3 passed, 3 total\nnpm error Lifecycle script \"test\" failed with error:"), debrief.ClassRed, false, false},
		{"red, and a button of the change is said to be red", turn().edit("a.py").at("a.py", tested).run("pytest", "2 failed, 3 passed in 0.1s", failed).says("Ready to go: the dialog shows ❌ on hover."), debrief.ClassRed, false, false},
		{"red, and said to be green now", turn().edit("a.py").at("a.py", tested).run("pytest", "2 failed, 3 passed in 0.1s", failed).says("Tests: ❌ → ✅ all green."), debrief.ClassRed, false, false},
		{"red tests beside a lint in one call", turn().edit("a.py").at("a.py", tested).run("pytest | tail -3 && npm run lint | tail -3", "1 failed, 3 passed in 0.1s\nerror: script \"lint\" exited with code 1"), debrief.ClassRed, false, false},
		{"idle", turn().edit("a.py").at("a.py", tested).run("git diff", "+x"), debrief.ClassIdle, false, false},
		{"documents", turn().edit("README.md"), "", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.script.look()
			var class debrief.Class
			if at := slices.IndexFunc(r.Facts, func(f debrief.Fact) bool { return f.Holds }); at >= 0 {
				class = r.Facts[at].Class
			}
			if class != c.class || (len(r.Lines) > 0) != c.line || (r.Passed != "") != c.clear {
				t.Errorf("got %q, lines %v, passed %q; want %q, a line %v, clear %v\nfacts %+v\nevidence %+v", class, r.Lines, r.Passed, c.class, c.line, c.clear, r.Facts, r.Evidence)
			}
			if held := len(r.Actions) > 0; held != (c.class != "") {
				t.Errorf("held %v: %q", held, r.Actions)
			}
			if strings.Contains(r.Message, "as a last resort") || len(r.Message) > 446 {
				t.Errorf("the message has %d bytes: %s", len(r.Message), r.Message)
			}
		})
	}
}
