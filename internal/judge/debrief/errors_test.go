package debrief_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// settled is a turn whose only change needs nothing but is no document.
func settled() *script { return bare().edit("settings.yaml") }

func TestErrorsLeftBehind(t *testing.T) {
	for _, c := range []struct {
		name   string
		script *script
		want   []string
	}{
		{"a failure", settled().run("python app.py", "boom", failed), []string{"`python app.py` failed and has not succeeded since (error: `boom`)"}},
		{"by its exit code alone", settled().run("./deploy.sh", "", status(3)), []string{"`./deploy.sh` failed"}},
		{"an output like an error of a command that succeeded", settled().run("tail app.log", "Traceback (most recent call last):"), nil},
		{"cut short by a person", settled().run("python app.py", "boom", interrupted), nil},
		{"refused by a person", settled().run("python app.py", "The user doesn't want to proceed with this tool use.", failed), nil},
		{"grep without a hit", settled().run("grep x a.go", "", status(1)), nil},
		{"rg without a hit behind cd", settled().run("cd a && rg x", "Exit code 1", failed), nil},
		{"grep where it may not look", settled().run("grep -r x /etc", "grep: /etc/shadow: Permission denied", status(1)), []string{"permission problem"}},
		{"grep in a file that is not there", settled().run("grep x b.go", "grep: b.go: No such file or directory", status(2)), []string{"`grep x b.go` failed"}},
		{"diff that differs", settled().run("diff a b", "1c1", status(1)), nil},
		{"test of a file", settled().run("test -f x", "", status(1)), nil},
		{"[ of a file", settled().run("[ -f x ]", "", status(1)), nil},
		{"[[ of a file", settled().run("[[ -f x ]]", "", status(1)), nil},
		{"git diff --exit-code", settled().run("git diff --exit-code", "diff --git a b", status(1)), nil},
		{"which", settled().run("which cargo", "", status(1)), nil},
		{"command -v", settled().run("command -v cargo", "", status(1)), nil},
		{"pgrep", settled().run("pgrep node", "", status(1)), nil},
		{"a server that is not there", settled().run("curl -sf localhost:8080/health", "curl: (7) Failed to connect to localhost port 8080", status(7)), nil},
		{"a page that is not there", settled().run("curl -sSf localhost:8080/x | jq .", "curl: (22) The requested URL returned error: 404", status(22)), nil},
		{"a port that is closed", settled().run("nc -z localhost 8080", "", status(1)), nil},
		{"a build before a probe", settled().run("make build && curl -sf localhost:8080", "a.go:3:1: undefined: x", failed), []string{"compile error"}},
		{"grep without a hit, by xargs", settled().run("git ls-files | xargs grep -l x", "", status(123)), nil},
		{"git about a commit that is not there", settled().run("git merge-base --is-ancestor HEAD~9 HEAD", "fatal: Not a valid object name HEAD~9", status(128)), nil},
		{"a server that fails, mended, then a probe", settled().run("python app.py", "  File \"app.py\", line 3\nboom", failed).edit("app.py").run("curl -sf localhost:8080", "ok"), nil},
		{"a server that runs already", settled().run("node server.js", "Error: listen EADDRINUSE: address already in use :::3000", status(1)), nil},
		{"nothing to commit", settled().run("git add -A && git commit -m x", "On branch main\nnothing to commit, working tree clean", status(1)), nil},
		{"nothing to remove", settled().run("rm tmp.txt", "rm: cannot remove 'tmp.txt': No such file or directory", status(1)), nil},
		{"nothing to copy", settled().run("cp tmp.txt x", "cp: cannot stat 'tmp.txt': No such file or directory", status(1)), []string{"`cp tmp.txt x` failed"}},
		{"a commit that a hook refuses", settled().run("git commit -m x", "lint: a.go:3: unused", status(1)), []string{"`git commit -m x` failed"}},
		{"a program on the line that answers by its status", settled().run("node -e 'process.exit(1)'", "", status(1)), nil},
		{"a program on the line that fails", settled().run("node -e 'x()'", "ReferenceError: x is not defined", status(1)), []string{"`node -e x()` failed"}},
		{"a look at what is not there", settled().run("ls missing; cat missing", "No such file or directory", status(1)), nil},
		{"a program that is not there", settled().run("pyhton app.py", "bash: pyhton: command not found", status(127)), nil},
		{"a line typed wrong", settled().run("npm run biuld", "npm error Missing script: \"biuld\"", status(1)), nil},
		{"a question to Python", settled().run(`python -c "import yaml"`, "ModuleNotFoundError: No module named 'yaml'", failed), nil},
		{"a limit that struck", settled().run("timeout 5 ./server", "", status(124)), nil},
		{"a build before a look", settled().run("go build ./... && git rev-parse HEAD", "a.go:3:1: undefined: x", failed), []string{"compile error"}},
		{"git rev-parse outside of a repository", settled().run("git rev-parse HEAD", "fatal: not a git repository", status(128)), nil},
		{"a build before a grep without a hit", settled().run("go build ./... && grep x log", "a.go:3:1: undefined: x", failed), []string{"compile error: `a.go:3:1: undefined: x`"}},

		{"the same command later", settled().run("./deploy.sh", "boom", failed).run("./deploy.sh", ""), nil},
		{"the same command with other spaces and redirections", settled().run("./deploy.sh   prod", "boom", failed).run("cd . && ./deploy.sh prod 2>&1", ""), nil},
		{"the same command in one line with others", settled().run("./deploy.sh prod", "boom", failed).run("./build.sh && ./deploy.sh prod", ""), nil},
		{"the same command, failing again", settled().run("./deploy.sh", "boom", failed).run("./deploy.sh", "bang", failed), []string{"`./deploy.sh` failed and has not succeeded since (error: `bang`)"}},
		{"the same command before", settled().run("./deploy.sh", "").run("./deploy.sh", "boom", failed), []string{"boom"}},
		{"the same program with another subcommand", settled().run("npm run build", "boom", failed).run("npm install", ""), []string{"`npm run build`"}},
		{"the same subcommand otherwise", settled().run("pip install foo==1", "boom", failed).run("pip install foo==2", ""), nil},
		{"another script of the same interpreter", settled().run("python a.py", "boom", failed).run("python b.py", ""), []string{"`python a.py`"}},
		{"the same module with other arguments", settled().run("python -m tool a", "boom", failed).run("python -m tool b", ""), nil},
		{"another module", settled().run("python -m tool", "boom", failed).run("python -m other", ""), []string{"`python -m tool`"}},
		{"a program on the line, then another", settled().run("python -c 'x()'", "NameError: x", failed).run("python -c 'y()'", ""), nil},
		{"a line that cannot be parsed, again", settled().run("./x.sh ; (", "boom", failed).run("./x.sh ; (", ""), nil},
		{"a broader run", bare().edit("x.yaml").run("go test ./a", "FAIL", failed).run("go test ./...", "ok"), nil},
		{"a run of another part", bare().edit("x.yaml").run("go test ./a", "--- FAIL: TestA", failed).run("go test ./b", "ok"), []string{"`go test ./a` failed and has not succeeded since (test failure: `--- FAIL: TestA`)"}},
		{"a run of one test of it", bare().edit("x.yaml").run("go test ./a", "--- FAIL: TestA", failed).run("go test ./a -run TestB", "ok"), []string{"`go test ./a`"}},
		{"the same tests by another runner", bare().edit("x.yaml").run("pytest tests/a.py", "1 failed", failed).run("make test", ""), nil},
		{"pytest as a whole after one file", bare().edit("x.yaml").run("pytest tests/a.py::test_x", "1 failed", failed).run("uv run pytest -q", "3 passed"), nil},
		{"a build of another part", settled().run("go build ./a", "a/a.go:1:1: undefined: x", failed).run("go build ./b", ""), []string{"compile error"}},
		{"an edit of the file and a success", settled().run("python app.py", "  File \"lib/x.py\", line 3\nSyntaxError: invalid syntax", failed).edit("lib/x.py").run("python tool.py", ""), nil},
		{"an edit of the file and no success", settled().run("python app.py", "  File \"lib/x.py\", line 3\nSyntaxError: invalid syntax", failed).edit("lib/x.py"), []string{"syntax error: `SyntaxError: invalid syntax`"}},
		{"an edit of the file and a look at it", settled().run("python app.py", "boom", failed).edit("app.py").run("cat app.py", "x"), []string{"`python app.py`"}},
		{"an edit of another file", settled().run("python app.py", "boom", failed).edit("other.py").run("python tool.py", ""), []string{"`python app.py`"}},
		{"a success before the edit of the file", settled().run("python app.py", "boom", failed).run("python tool.py", "").edit("app.py"), []string{"`python app.py`"}},
		{"twice the same, once said", settled().run("./x.sh", "boom", failed).run("./x.sh", "boom", failed), []string{"`./x.sh`"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.script.look()
			wants(t, "actions", r.Actions, c.want...)
			if r.Unresolved != (len(c.want) > 0) {
				t.Errorf("unresolved: %v", r.Unresolved)
			}
		})
	}
}

func TestErrorNames(t *testing.T) {
	for _, c := range []struct{ output, want string }{
		{"  File \"a.py\", line 1\nSyntaxError: invalid syntax", "syntax error: `SyntaxError: invalid syntax`"},
		{"Traceback (most recent call last):\n  File \"a.py\"\nModuleNotFoundError: No module named 'x'", "import error: `ModuleNotFoundError: No module named 'x'`"},
		{"Error: Cannot find module './x'", "import error"},
		{"Traceback (most recent call last):\n  File \"a.py\", line 3, in x\nKeyError: 'y'", "traceback: `KeyError: 'y'`"},
		{"panic: runtime error: index out of range [1]", "panic: `panic: runtime error"},
		{"# shop\n./a.go:3:2: undefined: x", "compile error: `./a.go:3:2: undefined: x`"},
		{"a.c:1:1: error: expected ';'", "compile error"},
		{"--- FAIL: TestX\n", "test failure: `--- FAIL: TestX`"},
		{"cp: cannot create x: Permission denied", "permission problem"},
		{"curl: (6) Could not resolve host: example.com", "network problem"},
		{"dial tcp: connect: connection refused", "network problem"},
		{"Exit code 3\nboom", "error: `boom`"},
		{"", "(error)"},
		{strings.Repeat("x\n", 300) + "SyntaxError: late", "(error: `x`)"}, // only the beginning names it
	} {
		t.Run(c.output[:min(len(c.output), 40)], func(t *testing.T) {
			wants(t, "actions", settled().run("./x.sh", c.output, failed).look().Actions, c.want)
		})
	}
}

func TestAtMostThreeErrorsAreNamed(t *testing.T) {
	s := settled()
	for i := range 5 {
		s.run(fmt.Sprintf("./x%d.sh", i), "boom", failed)
	}
	wants(t, "actions", s.look().Actions, "`./x2.sh`", "`./x3.sh`", "and 2 more failed commands before")
}

// A test run that failed is asked for once: as the missing evidence.
func TestFailedTestRunIsAskedForOnce(t *testing.T) {
	r := turn().edit("a.go").run("go test ./...", "--- FAIL: TestX (0.00s)\nFAIL", failed).look()
	wants(t, "actions", r.Actions, "no test run has passed since (the last try failed: test failure, `--- FAIL: TestX (0.00s)`): run `make test`")
	if !r.Unresolved {
		t.Error("the failure is resolved")
	}
	r = turn().edit("a.go").run("go test ./a", "--- FAIL: TestX", failed).run("go test ./b", "ok").look()
	wants(t, "actions with proof from elsewhere", r.Actions, "`go test ./a` failed")
}

func TestErrorsWithoutChanges(t *testing.T) {
	r := bare().run("./x.sh", "boom", failed).look()
	wants(t, "actions without a change", r.Actions)
	if !r.Unresolved || !r.AllClear {
		t.Errorf("got %+v", r)
	}
	r = bare().edit("REPORT.md").run("./x.sh", "boom", failed).look()
	wants(t, "actions with documents only", r.Actions)
	wants(t, "observations with documents only", r.Observations, "`./x.sh` failed")
}

func TestObservations(t *testing.T) {
	edit := func(p string) agent.Call {
		return agent.Call{Kind: agent.CallEdit, Tool: "Edit", Paths: []string{root + "/" + p}}
	}
	blind := func(p string) *script { return bare().call(edit(p)).file(debrief.File{Path: p}) }
	for _, c := range []struct {
		name   string
		script *script
		want   []string
	}{
		{"edited without having been read", blind("x.yaml"), []string{"Edited without having been read in this turn: `x.yaml`"}},
		{"two of them, one line", blind("x.yaml").call(edit("y.yaml")).file(debrief.File{Path: "y.yaml"}), []string{"`x.yaml`, `y.yaml`"}},
		{"read first", bare().edit("x.yaml"), nil},
		{"shown by the shell first", bare().run("cat x.yaml", "").call(edit("x.yaml")).file(debrief.File{Path: "x.yaml"}), nil},
		{"its folder searched first", bare().run("grep -rn x conf", "").call(edit("conf/x.yaml")).file(debrief.File{Path: "conf/x.yaml"}), nil},
		{"new by the call", bare().call(edit("x.yaml"), func(c *agent.Call) { c.Created = true }).file(debrief.File{Path: "x.yaml"}), nil},
		{"new by git", bare().call(edit("x.yaml")).file(debrief.File{Path: "x.yaml", Created: true}), nil},
		{"an edit that failed and was made after", bare().edit("x.yaml").call(edit("x.yaml"), failed).call(edit("x.yaml")), nil},
		{"an edit that failed", bare().edit("x.yaml").call(edit("y.yaml"), failed), []string{"An edit failed and was not made since: `y.yaml`"}},
		{"a read that failed", bare().edit("x.yaml").call(agent.Call{Kind: agent.CallRead, Paths: []string{root + "/y"}}, failed), nil},
		{"another tool that failed", bare().edit("x.yaml").call(agent.Call{Kind: agent.CallOther, Tool: "WebFetch"}, failed), nil},
		{"three folders", bare().edit("a/x.yaml", "b/x.yaml", "c/x.yaml", "x.yaml"), nil},
		{"four folders", bare().edit("a/x.yaml", "b/x.yaml", "c/x.yaml", "d/x.yaml"), []string{"spread over 4 top-level folders (`a`, `b`, `c`, `d`)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.script.look()
			wants(t, "actions", r.Actions)
			wants(t, "observations", r.Observations, c.want...)
			if (len(c.want) == 0) != r.AllClear || r.AllClear != (r.Message == "") {
				t.Errorf("all clear %v, message %q", r.AllClear, r.Message)
			}
		})
	}
	partial := blind("x.yaml")
	partial.in.Partial = true
	wants(t, "observations where the beginning was not seen", partial.look().Observations)
}
