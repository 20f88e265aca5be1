package debrief_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// After an edit of a.go, does the line prove it?
func TestWhatProves(t *testing.T) {
	changed := func() *script { return turn().edit("a.go") }
	var lines []string
	const passed, broken = "ok  \tshop/a\t0.1s\n", "--- FAIL: TestX (0.00s)\nFAIL\tshop/a\t0.1s\nFAIL\n"
	for _, c := range []struct {
		name   string
		script *script
		proves bool
	}{
		{"the umbrella", changed().run("make test", ""), true},
		{"the ecosystem's own", changed().run("go test ./...", passed), true},
		{"after cd", changed().run("cd /home/ann/shop && make test", ""), true},
		{"in a wrapper", changed().run("CI=1 timeout 60 go test -race ./...", passed), true},
		{"in bash -c", changed().run(`bash -c "go test ./..."`, passed), true},
		{"in a subshell", changed().run("(cd a && go test ./...)", passed), true},
		{"behind env and sudo", changed().run("env A=1 timeout 60 sudo -u ann go test ./...", passed), true},
		{"of what xargs is given", changed().run("go list ./... | xargs go test", passed), true},
		{"make in another folder", changed().run("make -C a test", ""), true},
		{"in a container", changed().mounted("").run("docker compose exec -T web sh -c 'cd /a && go test ./...'", passed), true},
		{"go's own tool", changed().run("go tool gotestsum ./...", ""), true},
		{"a script of npm's in a workspace", turn().edit("a.ts").run("npm run -w web test", ""), true},
		{"a runner of npx", turn().edit("a.ts").run("npx -y vitest@latest run", ""), true},
		{"in uv", turn().edit("a.py").run("uv run --frozen python -m unittest", "OK"), true},
		{"tox that only lints", turn().edit("a.py").run("tox -e lint", ""), false},
		{"the shell's own test", turn().edit("a.py").run("test -f a.py && [ -f b.py ]", ""), false},
		{"a build without its tests", turn().edit("A.java").run("./gradlew build -x test", "BUILD SUCCESSFUL"), false},
		{"a run of nothing", changed().run("go test -run '^$' ./...", passed), false},
		{"a run that executes nothing", changed().run("go test -exec true ./...", passed), false},
		{"a run whose choice fits no test", changed().run("go test -v -run TestNoSuch ./...", "testing: warning: no tests to run\nPASS\nok  \tshop\t0.01s [no tests to run]"), false},
		{"a run whose choice fits a test of one package", changed().run("go test -run TestX ./...", "ok  \tshop/a\t0.01s [no tests to run]\nok  \tshop/b\t0.01s"), true},
		{"a dry run", changed().run("make -n test", "go test ./..."), false},
		{"a runner that no file names", changed().run("gotestsum", ""), true},
		{"a scoped run", changed().run("go test ./a", passed), true},
		{"the test file itself", turn().edit("tests/test_a.py").run("python tests/test_a.py", "OK"), true},
		{"another script", turn().edit("tests/test_a.py").run("python tools/a.py", "OK"), false},
		{"echo", changed().run(`echo "go test ./..."`, "go test ./..."), false},
		{"a search for it", changed().run(`grep -r "go test" .`, "x"), false},
		{"a comment", changed().run("ls # go test ./...", ""), false},
		{"a here-document", changed().run("cat > x.sh <<E\ngo test ./...\nE", ""), false},
		{"another command", changed().run("go build ./...", ""), false},
		{"help", changed().run("go test --help", "usage"), false},
		{"before the edit", turn().run("make test", "").edit("a.go"), false},
		{"between two edits", changed().run("make test", "").edit("b.go"), false},
		{"between edits of two categories", changed().run("make test", "").edit("README.md"), true},
		{"before an edit by the shell", changed().run("make test", "").run("sed -i s/a/b/ a.go", "").file(debrief.File{Path: "a.go", ModTime: begin.Add(35 * time.Second)}), false},
		{"before a generator wrote", changed().run("make test", "").run("go generate ./...", "").file(debrief.File{Path: "a.go", ModTime: begin.Add(35 * time.Second)}), false},
		{"before a formatter", changed().run("make test", "").run("gofmt -w a.go", "").file(debrief.File{Path: "a.go", ModTime: begin.Add(35 * time.Second)}), true},
		{"before a linter that left the file as it was", changed().run("make test", "").run("golangci-lint run --fix a.go", ""), true},
		{"before rm of something else, soon after the edit", changed().run("make test", "").run("rm -f /tmp/x out.log", "").file(debrief.File{Path: "a.go", ModTime: begin.Add(29500 * time.Millisecond)}), true},
		{"before rm of a file that HEAD never had", changed().run("make test", "").run("rm scratch.go", "").file(debrief.File{Path: "scratch.go", Created: true, Deleted: true}), true},
		{"before rm of a file of HEAD", changed().run("make test", "").run("rm b.go", "").file(debrief.File{Path: "b.go", Deleted: true}), false},
		{"before rm of nobody knows what", changed().run("make test", "").run("rm $X", "").file(debrief.File{Path: "a.go", ModTime: begin.Add(35 * time.Second)}), false},
		{"before an edit that failed", changed().run("make test", "").call(agent.Call{Kind: agent.CallEdit, Paths: []string{root + "/a.go"}}, failed), true},
		{"on the line that edits, after it", turn().run("sed -i s/a/b/ a.go && go test ./...", passed).file(debrief.File{Path: "a.go", ModTime: begin.Add(time.Second)}), true},
		{"on the line that edits, before it", turn().run("go test ./... && sed -i s/a/b/ a.go", passed).file(debrief.File{Path: "a.go", ModTime: begin.Add(7 * time.Second)}), false},
		{"a run that writes itself", turn().run("go test ./... -update", passed).file(debrief.File{Path: "testdata/x_gen.go", ModTime: begin.Add(7 * time.Second)}), true},
		{"failed", changed().run("make test", "boom", failed), false},
		{"failed by its exit code", changed().run("make test", "", status(2)), false},
		{"failed, then passed", changed().run("make test", "", failed).run("make test", ""), true},
		{"cut short by a person", changed().run("make test", "", interrupted), false},
		{"in the background by the client", changed().run("make test", passed, background), false},
		{"in the background by the shell", changed().run("make test &", ""), false},
		{"without a result", changed().run("make test", "", pending), false},
		{"behind a pipe, with a failure", changed().run("go test ./... 2>&1 | tail -3", broken), false},
		{"behind a pipe, without", changed().run("go test ./... 2>&1 | tail -3", passed), true},
		{"all packages, none of which has tests", changed().run("go test ./...", "?   \tm\t[no test files]\n?   \tm/a\t[no test files]\n"), true},
		{"all packages, whose tests the turn has deleted", changed().file(debrief.File{Path: "a_test.go", Deleted: true}).run("go test ./...", "?   \tm\t[no test files]\n"), false},
		{"all packages, and tests that the turn has tagged", changed().file(debrief.File{Path: "a_test.go"}).run("go test ./...", "?   \tm\t[no test files]\n"), false},
		{"all packages, in a project that has tests", changed().file(debrief.File{Path: "a.go", Home: &debrief.Home{Tested: true}}).run("go test ./...", "?   \tm\t[no test files]\n"), false},
		{"one package without tests", changed().run("go test ./a", "?   \tm/a\t[no test files]\n"), false},
		{"all packages, of which one has tests that were left out", changed().run("go test -run X ./...", "?   \tm\t[no test files]\nok  \tm/a\t0.1s [no tests to run]\n"), false},
		{"behind a pipe, and nothing was run", changed().run("go test ./... | tail -1", "?   \tm\t[no test files]"), false},
		{"behind a pipe, without a word", changed().run("go test ./... | tail -1", ""), false},
		{"behind a pipe with pipefail, failed", changed().run("set -o pipefail; go test ./... | tail -1", "", failed), false},
		{"|| true, with a failure", changed().run("make test || true", "2 failed, 3 passed"), false},
		{"|| true, without", changed().run("make test || true", "0 failed, 3 passed"), true},
		{"|| true, and nothing to see", changed().run("make test >/dev/null 2>&1 || true", ""), false},
		{"nothing to see, but the status", changed().run("make test >/dev/null 2>&1", ""), true},
		{"never run", changed().run("if false; then make test; fi", ""), false},
		{"behind an exit", changed().run("exit 0; make test", ""), false},
		{"a script that may not be there, in silence", turn().edit("a.ts").run("npm run test --if-present", ""), false},
		{"a script that may not be there, and is", turn().edit("a.ts").run("npm run test --if-present", "> shop@1.0.0 test\n> vitest run\n"), true},
		{"; echo, with a failure", changed().run("make test; echo done", "make: *** [test] Error 1\ndone"), false},
		{"; echo $?, not 0", changed().run("make test >/dev/null 2>&1; echo $?", "2"), false},
		{"; echo $?, 0", changed().run("make test >/dev/null 2>&1; echo $?", "0"), true},
		{"; echo exit=$?", changed().run("make test; echo exit=$?", "exit=1"), false},
		{"then a push that fails, but it passed", changed().run("go test ./... && git push", passed+"fatal: no remote", failed), true},
		{"in a chain that fails, and who knows where", changed().run("go vet ./... && go test ./...", "boom", failed), false},
		{"before ; and a grep without a hit", changed().run("go test ./... > log 2>&1; grep FAIL log", "Exit code 1", failed), false},
		{"while the changes are stashed", changed().run("git stash && go test ./... && git stash pop", passed), false},
		{"while they are stashed, and again with them", changed().run("git stash push -u -m x; go test ./...; git stash pop; go test ./...", passed), true},
		{"while something else is stashed", changed().run("git stash push -- notes.txt && go test ./... && git stash pop", passed), true},
		{"after a look at the stash", changed().run("git stash list; go test ./...", passed), true},
		{"a wrapper's own help", changed().run("timeout --help go test ./...", "usage"), false},
		{"what sudo may run", changed().run("sudo -l go test ./...", "/usr/bin/go"), false},
		{"behind a pipe, and no test was found", turn().edit("a.py").run("pytest -q 2>&1 | tail -1", "no tests ran in 0.01s"), false},
		{"no test found, and that is not a failure", turn().edit("a.ts").run("npx vitest run --passWithNoTests", "No test files found, exiting with code 0"), false},
		{"no test found in one workspace of two", turn().edit("a.ts").run("pnpm -r test", "web: No test files found, exiting with code 0\nNo tests found\n Tests  3 passed (3)"), true},
		{"a folder that bears the target's name", changed().run("make test", "make: 'test' is up to date."), false},
		{"a script of composer's", turn().edit("a.php").run("composer run-script test", "OK (3 tests, 3 assertions)"), true},
		{"in volta", turn().edit("a.ts").run("volta run --node 20 npm test", ""), true},
		{"in corepack", turn().edit("a.ts").run("corepack pnpm test", ""), true},
		{"gradle's dry run of tests", turn().edit("A.java").run("./gradlew test --test-dry-run", "BUILD SUCCESSFUL"), false},
		{"gradle's help of a task", turn().edit("A.java").run("./gradlew help --task test", "BUILD SUCCESSFUL"), false},
		{"in a line that cannot be parsed", changed().run("make test ; ( echo", ""), false},
		{"in a line that cannot be parsed and failed", changed().run("make test ; ( echo", "", failed), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.script.look()
			lines = append(lines, c.name+": "+strings.ReplaceAll(strings.Join(told(r), "; "), "\n", " / "))
			asked := r.Passed == ""
			if asked == c.proves {
				t.Errorf("proves: got %v, want %v; %q %+v", !asked, c.proves, r.Actions, r.Evidence)
			}
		})
	}
	recorded(t, "testdata/proves.txt", lines)
}

// recorded compares lines with those of a file.
func recorded(t *testing.T, file string, lines []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if want := strings.Split(strings.TrimSpace(string(text)), "\n"); err != nil || !slices.Equal(lines, want) {
		t.Errorf("%s (%v): want (-), got (+):\n%s", file, err, cmp.Diff(want, lines))
	}
}

// A marker's word in the output of a pipe decides.
func TestFailureMarks(t *testing.T) {
	for _, c := range []struct {
		output string
		fails  bool
	}{
		{"FAIL", true},
		{"FAIL\tshop/a [build failed]", true},
		{"--- FAIL: TestX (0.00s)", true},
		{"\x1b[31mFAIL\x1b[0m src/a.test.ts", true},
		{"FAILED tests/test_a.py::test_x - assert 1 == 2", true},
		{"=========== 2 failed, 3 passed in 0.12s ===========", true},
		{"=========== 1 error in 0.12s ===========", true},
		{"test result: FAILED. 3 passed; 1 failed; 0 ignored", true},
		{"Tests run: 5, Failures: 1, Errors: 0, Skipped: 0", true},
		{"FAILED (errors=1)", true},
		{"2 failed: a, b", true},
		{"Tests:       1 failed, 12 passed, 13 total", true},
		{"  3 failing", true},
		{"# fail 1", true},
		{"not ok 2 - adds", true},
		{"✗ adds two numbers", true},
		{"BUILD FAILURE", true},
		{"npm ERR! code ELIFECYCLE", true},
		{"make: *** [Makefile:3: test] Error 1", true},
		{"exit status 1", true},
		{"Process finished with exit code 2", true},
		{"Error: Process completed with exit code 1.", true},
		{"bash: pytest: command not found", true},
		{"/usr/bin/python: No module named pytest", true},
		{"error: could not compile `shop`", true},
		{"src/a.ts(3,5): error TS2304: Cannot find name 'x'.", true},
		{"panic: runtime error: index out of range", true},
		{"Traceback (most recent call last):", true},
		{"12 examples, 1 failure", true},

		{"", false},
		{"ok  \tshop/a\t0.1s", false},
		{"ok  \tshop/failure\t0.1s", false},
		{"--- PASS: TestFailsOn2Errors (0.00s)", false},
		{"=== RUN   TestFAIL", false},
		{"test handles_2_failures ... ok", false},
		{"✓ returns 2 errors (3 ms)", false},
		{"ok 3 - gives 2 errors", false},
		{"tests/test_a.py::test_2_failed PASSED", false},
		{"0 failed, 12 passed", false},
		{"test result: ok. 12 passed; 0 failed; 0 ignored", false},
		{"Tests run: 5, Failures: 0, Errors: 0, Skipped: 0", false},
		{"# fail 0", false},
		{"12 examples, 0 failures", false},
		{"no failures", false},
		{"# FAIL:  0", false},
		{"0 errors, 3 warnings", false},
		{"✖ 3 problems (0 errors, 3 warnings)", false},
		{"exit status 0", false},
		{"Exit code: 0", false},
		{"not ok 2 - later # TODO write it", false},
		{"error: expected by the test\n5 passed in 0.2s", false},
		{"console.error\n  Error: boom\nTests:       12 passed, 12 total", false},
		{"the failure rate fell", false},
		{"Output: ok\nError: (none)\nExit Code: 0", false},
		{"0.5 failed", false},
	} {
		t.Run(c.output, func(t *testing.T) {
			r := turn().edit("a.go").run("make test | tail -20", c.output).look()
			if got := len(r.Actions) > 0; got != c.fails {
				t.Errorf("fails: got %v, want %v; %+v", got, c.fails, r.Evidence)
			}
		})
	}
}

func TestEvidenceSaysWhy(t *testing.T) {
	for _, c := range []struct {
		name   string
		script *script
		counts bool
		why    string
	}{
		{"a whole run", turn().edit("a.go").run("go test ./...", ""), true, "succeeded"},
		{"hidden and failed", turn().edit("a.go").run("make test | tail", "FAIL x"), false, "its output says `FAIL x`"},
		{"hidden and silent", turn().edit("a.go").run("make test | tail", ""), false, "its output does not say how the tests went"},
		{"no status told, and red", turn().edit("a.go").run("go test ./...", "FAIL x", unsure), false, "its output says `FAIL x`"},
		{"no status told, and green", turn().edit("a.go").run("go test ./...", "ok  \tx/a\t0.1s", unsure), true, "its output says that tests passed"},
		{"no status told, and silent", turn().edit("a.go").run("go test ./...", "", unsure), false, "its output does not say how the tests went"},
		{"in the background", turn().edit("a.go").run("make test &", ""), false, "only started in the background"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.script.look()
			if len(r.Evidence) != 1 {
				t.Fatalf("got %+v", r.Evidence)
			}
			e := r.Evidence[0]
			if e.Category != "tests" || e.Counts != c.counts || !strings.Contains(e.Why, c.why) {
				t.Errorf("got %+v, want %v with %q", e, c.counts, c.why)
			}
		})
	}
}

func TestWhatCannotRunHereIsNotDemanded(t *testing.T) {
	r := turn().edit("Dockerfile").run("docker build .", "bash: docker: command not found", status(127)).look()
	wants(t, "actions", r.Actions)
	wants(t, "observations", r.Observations, "Docker files changed (`Dockerfile`): `docker build .` cannot run here")
	r = turn().edit("a.go").run("make test", "bash: make: command not found", status(127)).look()
	wants(t, "actions", r.Actions, "no test of it has run since: run `go test ./...`")
}
