package debrief_test

import (
	"testing"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// Lines that speak of a test run which never was, or was not of this tree;
// beside each one that counts.
func TestEvidenceThatNeverWas(t *testing.T) {
	const passed = "ok  \tshop/a\t0.1s\n"
	for _, c := range []struct {
		file, line, output string
		proves             bool
	}{
		// It may never have run.
		{"a.go", "test -f no && go test ./...; true", "", false},
		{"a.go", "test -f no && go test ./...; true", passed, true},
		{"a.go", "[ -f no ] && go test ./... || :", "", false},
		{"a.go", "[[ -f no ]] && go test ./...; echo done", "done", false},
		{"a.go", "which go && go test ./...; echo ok", "ok", false},
		{"a.go", "if [ -f no ]; then go test ./...; fi", "", false},
		{"a.go", "if [ -f no ]; then :; elif [ -f x ]; then go test ./...; fi", "", false},
		{"a.go", "if [ -f go.mod ]; then go test ./...; fi", passed, true},
		{"a.go", "for d in a b; do (cd $d && go test ./...); done", passed, true},
		{"a.go", "while read d; do go test $d; done < none", "", false},
		{"a.go", "while false; do go test ./...; done", passed, false},
		{"a.go", "until [ -f x ]; do go test ./...; done", "", false},
		{"a.go", "case $X in y) go test ./...;; esac", "", false},
		{"a.go", "case go in go) go test ./...;; esac", passed, true},
		{"a.go", "find none -name go.mod -execdir go test ./... \\;", "", false},
		{"a.go", "ls || go test ./...", "a.go", false},
		{"a.go", "[ -f x ] || exit 0; go test ./...", "", false},
		{"a.go", "f() { return; }; f; set -n; go test ./...", "", false},
		{"a.go", "set -o noexec; go test ./...", "", false},
		{"a.go", "cd /home/ann/shop && go test ./... 2>&1 | tail -5; true", passed, true},
		{"a.go", "cd a && go test ./...; echo exit=$?", "exit=0", true},
		{"a.go", "set -e; test -f go.mod; go test ./...", "", true},
		{"a.go", "test -f go.mod && go test ./...", "", true},
		{"a.go", "test -d a && { go vet ./...; go test ./...; }", "", true},
		{"a.go", "(true; go test ./...)", "", true},
		{"a.go", `go vet ./... && echo "== tests ==" && go test ./... | grep -v "^ok"; echo done`, "== tests ==\ndone", false},
		{"a.go", `go vet ./... && echo "== tests ==" && go test ./... | grep -v "^ok"; echo done`, "done", false},
		{"a.go", `go vet ./... && echo "== tests ==" && go test ./... | grep -v "^ok"; echo done`, "== tests ==\n--- FAIL: TestA (0.00s)\nFAIL\tshop/a\t0.1s\ndone", false},
		{"a.go", `echo "== tests =="; test -f no && go test ./...; echo done`, "== tests ==\ndone", false},
		{"a.go", `test -f no && echo ok && go test ./...; echo ok`, "ok", false},
		{"a.go", `test -f no && echo "$X tests" && go test ./...; echo done`, " tests\ndone", false},
		{"a.go", `which go && echo "== tests ==" && { test -f no && go test ./...; }; echo done`, "== tests ==\ndone", false},
		{"a.go", `which go && echo "== tests ==" && make test || true`, "== tests ==\nmade", false},
		{"a.go", `which go && echo "== tests ==" || echo "== tests ==" && go test ./... | cat; true`, "== tests ==", false},
		// It prints what stands behind its success.
		{"a.go", `go test ./... >/dev/null 2>&1 && echo "ALL PASS" || echo FAILURES`, "ALL PASS", true},
		{"a.go", `go test ./... >/dev/null 2>&1 && echo "ALL PASS" || echo FAILURES`, "FAILURES", false},
		{"a.go", `go test ./... >/dev/null 2>&1 && echo "ALL PASS"; true`, "", false},
		{"a.go", `ls || go test ./... >/dev/null 2>&1 && echo "ALL PASS"; true`, "ALL PASS", false},
		{"a.go", `{ go test ./... >/dev/null 2>&1; true; } && echo "ALL PASS"; true`, "ALL PASS", false},
		{"a.go", `go test ./... >/dev/null 2>&1 & true && echo "ALL PASS"`, "ALL PASS", false},
		{"a.go", `! go test ./... >/dev/null 2>&1 && echo "ALL PASS"; true`, "ALL PASS", false},
		{"a.go", `make test >/dev/null 2>&1 && go vet ./... && echo "ALL PASS"; true`, "ALL PASS", true},
		{"a.go", `go test ./... && echo "ALL PASS"; true`, "--- FAIL: TestA (0.00s)\nFAIL\tshop/a\t0.1s\nALL PASS", false},
		{"a.go", `alias go=true; go test ./... >/dev/null 2>&1 && echo "ALL PASS"; true`, "ALL PASS", false},
		{"a.go", `go test ./... >/dev/null 2>&1 | cat && echo "ALL PASS"; true`, "ALL PASS", false},
		// Its failure is made up for, or its time was cut short.
		{"a.go", "timeout 0.001 go test ./...; true", "", false},
		{"a.go", "timeout 0.001 go test ./... | cat", "", false},
		{"a.go", "timeout 600 go test ./... | tail -3", passed, true},
		{"a.go", "timeout 600 go test ./...", "", true},
		{"a.go", "timeout 600 make test | tail -3", "fine", false},
		{"a.go", "timeout -s KILL 1ms go test ./... || true", "", false},
		{"a.go", "make test || true", "", false},
		{"a.go", "make test || :", "made", false},
		{"a.go", "make test || exit 0", "made", false},
		{"a.go", "make test; true", "made", false},
		{"a.go", "make test; :", "12 examples, 0 failures", true},
		{"a.go", "{ make test; } || true", "made", false},
		{"a.go", "(make test; exit 0)", "made", false},
		{"a.go", "make test | true", "", false},
		{"a.go", "trap 'exit 0' EXIT; make test", "made", false},
		{"a.go", "trap 'rm -f x; exit 0' EXIT\nmake test", "made", false},
		{"a.go", "bash -c \"trap 'exit 0' ERR; set -e; make test\"", "made", false},
		{"a.go", "trap 'rm -f x' EXIT; make test", "made", true},
		{"a.go", "trap 'rc=$?; rm -f x; exit $rc' EXIT; make test", "made", true},
		{"a.go", "make test; ls", "made", false},
		// Its first word is another program.
		{"a.go", "./go test ./...", "", false},
		{"a.go", "./go test ./...", passed, false},
		{"a.go", "/tmp/x/go test ./...", "", false},
		{"a.go", "tools/go test ./...", "", false},
		{"a.go", "./make test", "", false},
		{"a.py", "./pytest", "3 passed", false},
		{"a.py", "../x/pytest -q", "3 passed", false},
		{"a.py", ".venv/bin/pytest -q", "3 passed", true},
		{"a.ts", "node_modules/.bin/jest", "Tests: 3 passed", true},
		{"a.go", "/usr/local/go/bin/go test ./...", "", true},
		{"a.go", "go() { true; }; go test ./...", "", false},
		{"a.go", "function go { :; }\ngo test ./...", "", false},
		{"a.go", "make() { echo; }; make test", "", false},
		{"a.go", "alias go=true\ngo test ./...", "", false},
		{"a.go", "shopt -s expand_aliases; alias go='echo'; go test ./...", "", false},
		{"a.go", "hash -p /bin/true go; go test ./...", "", false},
		{"a.go", "PATH=/tmp/x:$PATH go test ./...", "", false},
		{"a.go", "export PATH=$PWD/x:$PATH; go test ./...", "", false},
		{"a.go", "PATH=.:$PATH go test ./...", "", false},
		{"a.go", "export PATH=$PATH:/usr/local/go/bin && go test ./...", "", true},
		{"a.go", "PATH=$HOME/go/bin:$PATH go test ./...", "", true},
		{"a.ts", "PATH=$PWD/node_modules/.bin:$PATH jest", "", true},
		{"a.go", "exec -a go true test ./...", "", false},
		{"a.go", "command -v go test", "", false},
		// A variable or a flag keeps it from running tests.
		{"a.go", "GOFLAGS=-n go test ./...", "", false},
		{"a.go", "GOFLAGS='-run=^$' go test ./...", passed, false},
		{"a.go", "GOFLAGS=-exec=true go test ./...", passed, false},
		{"a.go", "export GOFLAGS=-n; go test ./...", "", false},
		{"a.go", "GOFLAGS=-n; export GOFLAGS; go test ./...", "", false},
		{"a.go", "declare -x GOFLAGS=-n; go test ./...", "", false},
		{"a.go", "env GOFLAGS=-n go test ./...", "", false},
		{"a.go", "GOFLAGS=-n timeout 60 go test ./...", "", false},
		{"a.go", "GOFLAGS=-n bash -c 'go test ./...'", "", false},
		{"a.go", "GOFLAGS=-mod=mod go test ./...", "", true},
		{"a.go", "GOFLAGS= go test ./...", "", true},
		{"a.go", "gotestsum -- -run '^$' ./...", "", false},
		{"a.go", "gotestsum -- -race ./...", "", true},
		{"a.go", "ginkgo build", "", false},
		{"a.go", "MAKEFLAGS=n make test", "", false},
		{"a.go", "MAKEFLAGS=-n make test", "", false},
		{"a.go", "MAKEFLAGS=--dry-run make test", "", false},
		{"a.go", "GNUMAKEFLAGS=-q make test", "", false},
		{"a.go", "export MAKEFLAGS=n && make test", "", false},
		{"a.go", "MAKEFLAGS='-j4 --no-print-directory' make test", "", true},
		{"a.go", "make test GO=true", "", false},
		{"a.go", "make test SHELL=/bin/true", "", false},
		{"a.go", "make test VERBOSE=true", "", true},
		{"a.py", "make test ARGS=--collect-only", "", false},
		{"a.go", "make --eval='test:;@true' test", "", false},
		{"a.py", "PYTEST_ADDOPTS=--collect-only pytest", "", false},
		{"a.py", "export PYTEST_ADDOPTS='-q --co'; python -m pytest", "", false},
		{"a.py", "PYTEST_ADDOPTS='-q -x' pytest", "", true},
		{"a.py", "pytest --version", "pytest 8", false},
		{"a.py", "TOXENV=lint tox", "", false},
		{"a.py", "TOXENV=py312 tox", "", true},
		{"a.ts", "npm_config_script_shell=/bin/true npm test", "", false},
		{"a.ts", "npm --script-shell=true test", "", false},
		{"a.ts", "npm_config_ignore_scripts=true npm test", "", true}, // npm runs the script that it is asked for all the same
		{"a.ts", "NODE_OPTIONS=--max-old-space-size=4096 npx jest", "", true},
		{"a.ts", "npx jest --clearCache", "", false},
		{"a.ts", "npx vitest list", "", false},
		{"a.ts", "node --check a.test.js", "", false},
		{"a.ts", "npx ava reset-cache", "", false},
		{"a.rs", "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=true cargo test", "", false},
		{"a.rs", "cargo --config 'target.x.runner=\"true\"' test", "", false},
		{"a.rs", "CARGO_TERM_COLOR=never cargo test", "", true},
		{"A.java", "MAVEN_OPTS=-DskipTests mvn verify", "", false},
		{"A.java", "MAVEN_ARGS='-q -DskipTests' mvn test", "", false},
		{"a.rb", "SPEC_OPTS=--dry-run rspec", "", false},
		{"a.php", "phpunit --list-tests", "", false},
		{"a.swift", "swift test list", "", false},
		// Another folder, another project.
		{"a.go", "cd /other && go test ./...", passed, false},
		{"a.go", "cd .. && go test ./...", passed, false},
		{"a.go", "cd ../other; go test ./...", passed, false},
		{"a.go", "(cd /other; go test ./...)", passed, false},
		{"a.go", "pushd /other && go test ./... && popd", passed, false},
		{"a.go", "go -C /other test ./...", passed, false},
		{"a.go", "go test /other/...", passed, false},
		{"a.go", "go test ../other/...", passed, false},
		{"a.go", "go test std", passed, false},
		{"a.go", "go test ./a ../other", passed, true},
		{"a.go", "make -f /other/Makefile test", "", false},
		{"a.go", "make --makefile=/other/Makefile test", "", false},
		{"a.go", "make -C /other test", "", false},
		{"a.go", "make -C /home/ann/shop/a test", "", true},
		{"a.go", "env -C /other make test", "", false},
		{"a.ts", "npm --prefix /other test", "", false},
		{"a.ts", "npm --prefix ./web test", "", true},
		{"a.ts", "yarn --cwd ../other test", "", false},
		{"a.ts", "npx jest --rootDir /other", "", false},
		{"a.ts", "npx vitest run --root ../other", "", false},
		{"a.py", "pytest /other/tests", "3 passed", false},
		{"a.py", "pytest --rootdir=/other", "3 passed", false},
		{"a.py", "pytest ../other/tests", "3 passed", false},
		{"a.py", "pytest /home/ann/shop/tests", "3 passed", true},
		{"a.py", "uv --directory /other run pytest", "3 passed", false},
		{"a.py", "poetry -C ../other run pytest", "3 passed", false},
		{"a.rs", "cargo test --manifest-path /other/Cargo.toml", "", false},
		{"a.rs", "cargo test --manifest-path b/Cargo.toml", "", true},
		{"A.java", "mvn -f /other/pom.xml test", "", false},
		{"A.java", "gradle -p ../other test", "", false},
		{"a.go", "just -f /other/justfile test", "", false},
		{"a.go", "task -d /other test", "", false},
		{"a.swift", "swift test --package-path /other", "", false},
		{"a.go", "cd $PROJECT && go test ./...", passed, true},
		{"a.go", "cd ~/shop && go test ./...", passed, true},
		{"a.c", "cmake -B /tmp/build . && cd /tmp/build && ctest", "", true},
		// Another machine or container.
		{"a.go", "docker run alpine go test ./...", passed, false},
		{"a.go", "docker run --rm -it golang:1.25 go test ./...", passed, false},
		{"a.go", "podman run alpine go test ./...", passed, false},
		{"a.go", "docker run -v cache:/go golang go test ./...", passed, false},
		{"a.go", "docker run -v /other:/w -w /w golang go test ./...", passed, false},
		{"a.go", "docker run alpine sh -c 'cd /w && go test ./...'", passed, false},
		{"a.go", "docker run --rm -v $PWD:/w -w /w golang go test ./...", passed, true},
		{"a.go", "docker run -v .:/w -w /w golang sh -c 'cd /w && go test ./...'", passed, true},
		{"a.go", "docker run --mount type=bind,source=/home/ann/shop,target=/w golang go test ./...", passed, true},
		{"a.go", "docker build -t shop . && docker run shop go test ./...", passed, true},
		{"a.go", "docker compose run --rm web go test ./...", passed, false},
		{"a.go", "docker compose run --rm -v .:/app web go test ./...", passed, true},
		{"a.go", "kubectl exec p -- go test ./...", passed, false},
		{"a.go", "ssh host go test ./...", passed, false},
		{"a.go", "ssh host 'cd shop && make test'", "", false},
		{"a.go", "chroot /x go test ./...", passed, false},
		{"a.go", "nsenter -t 1 -m go test ./...", passed, false},
	} {
		t.Run(c.line, func(t *testing.T) {
			r := turn().edit(c.file).run(c.line, c.output).look()
			if got := r.Passed != ""; got != c.proves {
				t.Errorf("proves: got %v, want %v; %q %+v", got, c.proves, r.Actions, r.Evidence)
			}
		})
	}
}

// What the client has left out of an output may be the failure.
func TestAnOutputThatIsCut(t *testing.T) {
	cut := func(c *agent.Call) { c.Cut = true }
	passed := "=== RUN   TestX\n... command output truncated for persistence ...\n--- PASS: TestX (0.00s)\nPASS\nok  \tx\t0.1s"
	r := turn().edit("a.go").run("go test -v ./... | tee out.log", passed, cut).look()
	wants(t, "actions", r.Actions)
	if r.Passed != "" || len(r.Lines) != 1 {
		t.Errorf("got %q, %v; want one line", r.Passed, r.Lines)
	}
	wants(t, "actions", turn().edit("a.go").run("go test -v ./... | tee out.log", passed).look().Actions)
	wants(t, "actions", turn().edit("a.go").run("go test -v ./...", passed, cut, status(0)).look().Actions)
}

// A success elsewhere does not make good a failure here.
func TestASuccessElsewhere(t *testing.T) {
	r := turn().edit("a.go").run("go test ./...", "boom", failed).run("cd /other && go test ./...", "ok  \tother\t0.1s").look()
	wants(t, "actions", r.Actions, "`go test ./...` failed")
	if !unresolved(r) {
		t.Error("a success elsewhere made the failure good")
	}
	r = turn().edit("a.go").run("cd /other && go test ./...", "boom", failed).run("cd /other && go test ./...", "ok").run("go test ./...", "ok").look()
	wants(t, "actions", r.Actions)
}

// The client's own folder may be elsewhere, or a link into the tree.
func TestWhereTheClientIs(t *testing.T) {
	there := func(dir string) func(*agent.Call) { return func(c *agent.Call) { c.Dir = dir } }
	r := turn().edit("a.go").run("go test ./...", "ok  \tx\t0.1s", there("/other")).look()
	wants(t, "actions", r.Actions, "no test of it has run since")
	wants(t, "actions", turn().edit("a.go").run("go test ./...", "", there(root+"/a")).look().Actions)
	for _, line := range []string{"D=/other; cd $D && go test ./...", "D=/other\ncd ${D}/x && go test ./...", "export D=/other; cd \"$D\"; go test ./..."} {
		r = turn().edit("a.go").run(line, "ok  \tx\t0.1s").look()
		wants(t, line, r.Actions, "no test of it has run since")
	}
	wants(t, "actions", turn().edit("a.go").run("D="+root+"; cd $D && go test ./...", "ok  \tx\t0.1s").look().Actions)
}

// A runner that finds no project has run nothing.
func TestWithoutAProject(t *testing.T) {
	for _, c := range []struct{ file, ecosystem, run, said string }{
		{"lib/a.rb", "ruby", "bundle exec rspec", "Could not locate Gemfile or .bundle/ directory"},
		{"src/A.php", "php", "composer test", "Composer could not find a composer.json file in /srv"},
		{"src/A.cs", "dotnet", "dotnet test", "MSBUILD : error MSB1003: Specify a project or solution file. The current working directory does not contain a project or solution file."},
		{"src/A.java", "java", "mvn test", "[ERROR] The goal you specified requires a project to execute but there is no POM in this directory (/srv)."},
		{"src/A.kt", "java", "gradle test", "* What went wrong:\nDirectory '/srv' does not contain a Gradle build."},
		{"lib/a.ex", "elixir", "mix test", "** (Mix) The task \"test\" could not be found\nNote no mix.exs was found in the current directory"},
	} {
		s := turn().edit(c.file)
		s.in.Tests = []debrief.Test{{Run: c.run, Ecosystem: c.ecosystem}}
		if r := s.run(c.run+" 2>&1 | tail -5", c.said).look(); len(r.Actions) != 1 {
			t.Errorf("%s: actions %q, want the tests asked for", c.run, r.Actions)
		}
	}
}

// A document in a notation that programs use too asks for no test.
func TestDesignsAsCode(t *testing.T) {
	s := turn().edit("shop/docs/design.clj")
	s.in.Tests = []debrief.Test{{Run: "lein test", Ecosystem: "clojure"}}
	wants(t, "a document", s.look().Actions)
	s = turn().edit("shop/src/docs/core.clj")
	s.in.Tests = []debrief.Test{{Run: "lein test", Ecosystem: "clojure"}}
	wants(t, "code", s.look().Actions, "no test of it has run since")
}

// What a call would have written that was never started is nobody's work.
func TestWhatNeverRanWroteNothing(t *testing.T) {
	s := turn().run("cat > package.json <<E\n{}\nE", "The user doesn't want to proceed", interrupted, func(c *agent.Call) { c.NeverRan = true })
	if files := debrief.Read(root, s.in.Calls, nil).Written(nil); len(files) != 0 {
		t.Errorf("got %+v, want no file", files)
	}
}

// After a failure, what a line prints behind its success closes it; what it may
// print in other ways does not.
func TestWhatIsPrintedAfterSuccess(t *testing.T) {
	for line, good := range map[string]bool{
		`go test ./... >/dev/null 2>&1 && echo "ALL PASS"; true`:                    true,
		`go test ./... >/dev/null 2>&1 && echo "ALL PASS" || echo "FAILURES"`:       true,
		`go test ./... >/dev/null 2>&1 && echo "ALL PASS"; echo "ALL PASS"`:         false,
		`go test ./... >/dev/null 2>&1; true && echo "ALL PASS"; true`:              false,
		`ls || go test ./... >/dev/null 2>&1 && echo "ALL PASS"; true`:              false,
		`if go test ./... >/dev/null 2>&1; then ls; fi && echo "ALL PASS"; true`:    false,
		`go test ./... >/dev/null 2>&1 && echo $X "ALL PASS"; true`:                 false,
		`go test ./a/ -run TestB >/dev/null 2>&1 && echo "ALL PASS"; true`:          false,
		`go test ./... -run TestA >/dev/null 2>&1 && go vet && echo ALL PASS; true`: true,
	} {
		s := turn().edit("a/a.go").run("go test ./...", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tshop/a\t0.1s\nFAIL", failed).edit("a/a.go").run(line, "ALL PASS")
		if r := s.look(); (len(r.Actions) == 0) != good {
			t.Errorf("%s: actions %q", line, r.Actions)
		}
	}
}
