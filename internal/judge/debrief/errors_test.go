package debrief_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// settled is a turn whose only change needs nothing but is no document.
func settled() *script { return bare().edit("settings.yaml") }

// renamed is a turn in which a new test file fails and gets another name, or is
// removed.
func renamed(to string) *script {
	s := bare()
	s.in.Tests = []debrief.Test{{Run: "npx vitest run", Matches: []string{"vitest"}, Ecosystem: "node"}}
	s.call(agent.Call{Kind: agent.CallEdit, Tool: "Write", Paths: []string{root + "/src/a.test.ts"}, Created: true}).edit("src/a.ts").
		run("npx vitest run src/a.test.ts", " FAIL  src/a.test.ts [ src/a.test.ts ]\nError: Transform failed\n Test Files  1 failed (1)\n      Tests  no tests\n", failed)
	if to == "" {
		return s.run("rm src/a.test.ts", "")
	}
	return s.run("mv src/a.test.ts "+to, "").file(debrief.File{Path: to, Created: true, ModTime: s.now.Add(-5 * time.Second)})
}

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
		{"grep in a file that is not there", settled().run("grep x b.go", "grep: b.go: No such file or directory", status(2)), nil},
		{"sed in a file that is not there", settled().run("sed -i s/a/b/ b.go", "sed: can't read b.go: No such file or directory", status(2)), []string{"`sed -i s/a/b/ b.go` failed"}},
		{"findstr behind a dir that is none here", settled().run("dir /s /b *.c | findstr /v out", "dir: cannot access '/s': No such file or directory", status(1)), nil},
		{"how an unknown program stands", settled().run("shopctl session status web", "Error: invalid address: expected a/b, got 'web'", status(1)), nil},
		{"what an unknown program does", settled().run("shopctl session start web", "Error: invalid address: expected a/b, got 'web'", status(1)), []string{"`shopctl session start web` failed"}},
		{"tsc on a file, without the project's settings", settled().run("npx tsc --noEmit src/a.tsx", "src/a.tsx(1,20): error TS2307: Cannot find module '@/lib/b' or its type declarations.", status(2)), nil},
		{"tsc on a file that is wrong", settled().run("npx tsc --noEmit src/a.ts", "src/a.ts(1,20): error TS2304: Cannot find name 'b'.", status(2)), []string{"failed"}},
		{"tsc on the project", settled().run("npx tsc --noEmit", "src/a.tsx(1,20): error TS2307: Cannot find module '@/lib/b' or its type declarations.", status(2)), []string{"failed"}},
		{"a machine that is not reached", settled().run("timeout 10 ssh -o ConnectTimeout=5 ann@10.0.0.1 \"echo ok && whoami\" 2>&1", "Exit code 255\nssh: connect to host 10.0.0.1 port 22: Connection timed out", status(255)), nil},
		{"a command that fails on another machine with the same status", settled().run("ssh ann@10.0.0.1 ./deploy.sh", "migrating\nssh: no such table", status(255)), []string{"failed"}},
		{"a push that the remote does not take, at the end of a line", settled().run("cd a && git init && git add . && git commit -m x && git push -u origin main 2>&1 && echo ok", "[main 1] x\nfatal: repository 'u' not found", status(128)), nil},
		{"a build before a push", settled().run("make x && git commit -m x && git push", "x.c:3: undefined: y", status(1)), []string{"failed"}},
		{"a program of the tree, asked how it stands", settled().run("./shop status", "boom", status(1)), []string{"`./shop status` failed"}},
		{"a script that is not there", settled().run("python tools/zap.py", "some noise\npython: can't open file '/home/ann/shop/tools/zap.py': [Errno 2] No such file or directory", status(2)), nil},
		{"a script that lacks a module of its own", settled().run("node zap.js", "Error: Cannot find module './lib'\nRequire stack:\n- /home/ann/shop/zap.js\n  requireStack: [ '/home/ann/shop/zap.js' ]", status(1)), []string{"`node zap.js` failed"}},
		{"a text on the line that eval cannot parse", settled().run("block=\"bash -c 'echo \\\"x'\"\necho try\neval \"$block\"", "bash: eval: line 9: unexpected EOF while looking for matching `\"'\ntry\n1\n2\n3", status(1)), nil},
		{"a text on the line that eval runs, and that fails", settled().run("block=\"./deploy.sh\"\necho try\neval \"$block\"", "try\nboom\n1\n2\n3", status(1)), []string{"failed"}},
		{"a server that failed, started again behind", settled().run("npm run dev", "Error: port taken", failed).run("npm run dev", "", background, func(c *agent.Call) { c.Task = "b1" }), nil},
		{"a build that failed, started again behind", settled().run("npm run build", "Error: x", failed).run("npm run build", "", background, func(c *agent.Call) { c.Task = "b1" }), []string{"`npm run build` failed"}},
		{"diff that differs", settled().run("diff a b", "1c1", status(1)), nil},
		{"test of a file", settled().run("test -f x", "", status(1)), nil},
		{"[ of a file", settled().run("[ -f x ]", "", status(1)), nil},
		{"[[ of a file", settled().run("[[ -f x ]]", "", status(1)), nil},
		{"what is out of date", settled().run("mix hex.outdated", "Dependency  Current  Latest  Status\nphoenix  1.7  1.8  Update possible", status(1)).run("npm outdated", "Package  Current  Wanted\nvite  5.0.0  5.1.0", status(1)), nil},
		{"git diff --exit-code", settled().run("git diff --exit-code", "diff --git a b", status(1)), nil},
		{"which", settled().run("which cargo", "", status(1)), nil},
		{"command -v", settled().run("command -v cargo", "", status(1)), nil},
		{"pgrep", settled().run("pgrep node", "", status(1)), nil},
		{"a server that is not there", settled().run("curl -sf localhost:8080/health", "curl: (7) Failed to connect to localhost port 8080", status(7)), nil},
		{"a page that is not there", settled().run("curl -sSf localhost:8080/x | jq .", "curl: (22) The requested URL returned error: 404", status(22)), nil},
		{"a port that is closed", settled().run("nc -z localhost 8080", "", status(1)), nil},
		{"a build before a probe", settled().run("make build && curl -sf localhost:8080", "a.go:3:1: undefined: x", failed), []string{"compile error"}},
		{"grep without a hit, by xargs", settled().run("git ls-files | xargs grep -l x", "", status(123)), nil},
		{"a look by PowerShell, and a search without a hit", settled().run("Get-Content -LiteralPath a.lua; rg -n Fly a.lua", "---@class UI_Fly", status(1)), nil},
		{"git about a name", settled().run(`git check-ref-format "refs/heads/a b"`, "", status(1)), nil},
		{"git about a commit that is not there", settled().run("git merge-base --is-ancestor HEAD~9 HEAD", "fatal: Not a valid object name HEAD~9", status(128)), nil},
		{"a server that fails, mended, then a probe", settled().run("python app.py", "  File \"app.py\", line 3\nboom", failed).edit("app.py").run("curl -sf localhost:8080", "ok"), nil},
		{"a server that runs already", settled().run("node server.js", "Error: listen EADDRINUSE: address already in use :::3000", status(1)), nil},
		{"nothing to commit", settled().run("git add -A && git commit -m x", "On branch main\nnothing to commit, working tree clean", status(1)), nil},
		{"nothing to remove", settled().run("rm tmp.txt", "rm: cannot remove 'tmp.txt': No such file or directory", status(1)), nil},
		{"nothing to copy", settled().run("cp tmp.txt x", "cp: cannot stat 'tmp.txt': No such file or directory", status(1)), []string{"`cp tmp.txt x` failed"}},
		{"a commit that a hook refuses", settled().run("git commit -m x", "lint: a.go:3: unused", status(1)), nil},
		{"a program on the line that answers by its status", settled().run("node -e 'process.exit(1)'", "", status(1)), nil},
		{"a program on the line that fails", settled().run("node -e 'x()'", "ReferenceError: x is not defined", status(1)), nil},
		{"a look at what is not there", settled().run("ls missing; cat missing", "No such file or directory", status(1)), nil},
		{"a program that is not there", settled().run("pyhton app.py", "bash: pyhton: command not found", status(127)), nil},
		{"a line typed wrong", settled().run("npm run biuld", "npm error Missing script: \"biuld\"", status(1)), nil},
		{"a question to Python", settled().run(`python -c "import yaml"`, "ModuleNotFoundError: No module named 'yaml'", failed), nil},
		{"a limit that struck", settled().run("timeout 5 ./server", "", status(124)), nil},
		{"a build before a look", settled().run("go build ./... && git rev-parse HEAD", "a.go:3:1: undefined: x", failed), []string{"compile error"}},
		{"git rev-parse outside of a repository", settled().run("git rev-parse HEAD", "fatal: not a git repository", status(128)), nil},
		{"a build before a grep without a hit", settled().run("go build ./... && grep x log", "a.go:3:1: undefined: x", failed), []string{"compile error: `a.go:3:1: undefined: x`"}},

		{"a package of another module", settled().run("go build ./inner/cmd/x", "main module (shop) does not contain package shop/inner/cmd/x", status(1)), nil},
		{"a line that PowerShell cannot read", settled().run("Get-Item src | ForEach-Object { \"$_ }", "Der Zeichenfolge fehlt das Ende: \".\n    + CategoryInfo          : ParserError: (:) [], ParentContainsErrorRecordException\n    + FullyQualifiedErrorId : TerminatorExpectedAtEndOfString", status(1)), nil},
		{"a program that PowerShell does not find, in German", settled().run("pwsh -c x", "pwsh : Die Benennung wurde nicht erkannt.\nIn Zeile:1 Zeichen:1\n+ pwsh -c x\n    + CategoryInfo          : ObjectNotFound: (pwsh:String) [], CommandNotFoundException", status(1)), nil},
		{"a script that PowerShell cannot read", settled().run("./build.ps1", "At C:\\shop\\build.ps1:8 char:2\n+ }\nUnexpected token '}'\n    + CategoryInfo          : ParserError: (:) [], ParseException", status(1)), []string{"`./build.ps1` failed"}},
		{"a server that somebody ended", settled().run("cargo run", "   Running `target/debug/shop`\nlistening on 127.0.0.1:4000\n^C", status(1)), nil},
		{"a server that did not build, then somebody ended it", settled().run("npm run dev", "src/a.ts(3,1): error TS2304: Cannot find name 'x'\n^C", status(1)), []string{"`npm run dev` failed"}},

		{"packages that could not be fetched, then tests without them", bare().edit("x.yaml").run("python3 -m pip install pytest", "ERROR: No matching distribution found for pytest", status(1)).run("python3 -m unittest", "Ran 3 tests in 0.001s\n\nOK"), nil},
		{"packages that could not be fetched, then tests that fail", bare().edit("x.yaml").run("npm install left", "npm error code E404", status(1)).run("npm test", "Tests: 1 failed, 1 total", status(1)), []string{"`npm install left` failed", "`npm test` failed"}},
		{"packages that could not be fetched, then tests of another language", bare().edit("x.yaml").run("npm install left", "npm error code E404", status(1)).run("go test ./...", "ok  \tshop/a\t0.1s"), []string{"`npm install left` failed"}},
		{"packages that could not be fetched, then tests of another folder", bare().edit("x.yaml").run("cd web && npm install left", "npm error code E404", status(1)).run("cd api && npx vitest run", " Test Files  1 passed (1)\n      Tests  1 passed (1)"), []string{"`npm install left` failed"}},
		{"packages that could not be fetched, in one line with a build", settled().run("npm install left && make x", "npm error code E404", status(1)).run("npm test", "Tests: 1 passed, 1 total"), []string{"npm install left"}},
		{"the same script, seen from its folder", settled().run("node tools/pack.js", "Error: no such entry", status(1)).run("cd tools && node pack.js", "packed"), nil},
		{"a script of the same name in another folder", settled().run("node tools/pack.js", "Error: no such entry", status(1)).run("cd other && node pack.js", "packed"), []string{"`node tools/pack.js` failed"}},

		{"in a folder that is gone, with what was written there", settled().call(agent.Call{Kind: agent.CallEdit, Tool: "Write", Paths: []string{root + "/web/a.css"}}).run("cd web && npm install", "npm error code ERESOLVE", status(1)).run("rm -rf web", ""), nil},
		{"a server that a sandbox does not let listen", settled().run("npm run dev", "Error: listen EPERM: operation not permitted 0.0.0.0:3000", status(1)), nil},
		{"an end to what had ended", settled().run("kill 4711", "bash: kill: (4711) - No such process", status(1)).run("taskkill /PID 4711 /F", "ERROR: The process \"4711\" not found.", status(128)), nil},
		{"in a folder that a build has written", settled().run("cd out && ninja", "ninja: build stopped", status(1)).run("rm -rf out", ""), []string{"ninja"}},
		{"in a folder beside the one that is gone", settled().call(agent.Call{Kind: agent.CallEdit, Tool: "Write", Paths: []string{root + "/web/a.css"}}).run("cd webapp && npm install", "npm error code ERESOLVE", status(1)).run("rm -rf web", ""), []string{"npm install"}},

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
		{"a new test file, under another name", renamed("src/a.test.tsx").run("npx vitest run src/a.test.tsx", " ✓ src/a.test.tsx (1 test)\n Test Files  1 passed (1)\n      Tests  1 passed (1)\n"), nil},
		{"a new test file, taken out", renamed("").run("npx vitest run src/a.spec.ts", " ✓ src/a.spec.ts (2 tests)\n Test Files  1 passed (1)\n      Tests  2 passed (2)\n"), []string{"`vitest run src/a.test.ts` failed"}},
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
		{"\n> shop@1.0.0 lint\n> eslint .\n\n/home/ann/shop/a.ts\n" + strings.Repeat("  4:44  warning  unused\n", 40) + "\n✖ 3 problems (1 error, 2 warnings)\n", "error: `✖ 3 problems (1 error, 2 warnings)`"},
		{"WARNING: the cache is not writable\n" + strings.Repeat("looking for x\n", 60) + "ERROR: No matching distribution found for x", "error: `ERROR: No matching distribution found for x`"},
		{"$ tsx pack.ts\nnothing to pack\n", "error: `nothing to pack`"},
		{"> shop@1.0.0 pack\n", "error: `> shop@1.0.0 pack`"},
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
	wants(t, "observations without a change", r.Observations, "`./x.sh` failed and has not succeeded since (error: `boom`)")
	if !r.Unresolved {
		t.Errorf("got %+v", r)
	}
	r = bare().edit("REPORT.md").run("./x.sh", "boom", failed).look()
	wants(t, "actions with documents only", r.Actions)
	wants(t, "observations with documents only", r.Observations, "`./x.sh` failed")
}

func TestObservations(t *testing.T) {
	edit := func(p string) agent.Call {
		return agent.Call{Kind: agent.CallEdit, Tool: "write_file", Paths: []string{root + "/" + p}}
	}
	blind := func(p string) *script { return bare().call(edit(p)).file(debrief.File{Path: p}) }
	for _, c := range []struct {
		name   string
		script *script
		want   []string
	}{
		{"edited without having been read", blind("x.yaml"), []string{"Edited without having been read in this turn or before: `x.yaml`"}},
		{"two of them, one line", blind("x.yaml").call(edit("y.yaml")).file(debrief.File{Path: "y.yaml"}), []string{"`x.yaml`, `y.yaml`"}},
		{"read first", bare().edit("x.yaml"), nil},
		{"shown by the shell first", bare().run("cat x.yaml", "").call(edit("x.yaml")).file(debrief.File{Path: "x.yaml"}), nil},
		{"named in what a search printed", bare().run("./find.sh", "conf/x.yaml:3: port").call(edit("conf/x.yaml")).file(debrief.File{Path: "conf/x.yaml"}), nil},
		{"a tool that wants it read first", bare().call(agent.Call{Kind: agent.CallEdit, Tool: "Edit", Paths: []string{root + "/x.yaml"}}).file(debrief.File{Path: "x.yaml"}), nil},
		{"a patch, which quotes it", bare().call(agent.Call{Kind: agent.CallEdit, Tool: "apply_patch", Paths: []string{root + "/x.yaml"}}).file(debrief.File{Path: "x.yaml"}), nil},
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
