package turn_test

import (
	"os"
	"strings"
	"testing"
	"time"
)

// A turn's shape: what an agent did, and whether its stop is held.
type shape struct {
	name  string
	files []string // of the repository, name and text by turns
	play  func(w *world)
	held  bool
}

// twoPackages is a Go project with a module of its own below it.
var twoPackages = []string{
	"go.mod", "module example.com/shop\n", "a/a.go", "package a\n", "a/a_test.go", "package a\n", "b/b.go", "package b\n", "b/b_test.go", "package b\n",
	"tool/go.mod", "module example.com/tool\n", "tool/t.go", "package tool\n", "tool/t_test.go", "package tool\n",
	"test.sh", "#!/bin/sh\ngo test ./... | tail -2\n", "Makefile", "test:\n\tgo test ./...\nlint:\n\tgolangci-lint run\n",
}

const (
	greenGo = "ok  \texample.com/shop/a\t0.012s\nok  \texample.com/shop/b\t0.003s"
	redGo   = "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/shop/a\t0.010s\nok  \texample.com/shop/b\t0.003s\nFAIL"
)

// then is an edit of a file after which these commands go well, each with its
// output behind it.
func then(file string, runs ...string) func(w *world) {
	return func(w *world) {
		w.edits(file, "package "+file[:1]+"\n\nconst text = `edited`\n")
		for i := 0; i < len(runs); i += 2 {
			if text, ok := strings.CutPrefix(runs[i+1], "✗"); ok {
				w.fails(runs[i], text)
			} else {
				w.runs(runs[i], runs[i+1])
			}
		}
	}
}

func TestShapes(t *testing.T) {
	typed := []string{"package.json", `{"scripts":{"test":"jest"},"devDependencies":{"jest":"29"}}`, "src/a.ts", "export {}\n", "src/a.test.ts", "describe('a', () => { test('works', () => {}) })\n"}
	gradle := []string{"settings.gradle", "include 'app'\n", "gradlew", "#!/bin/sh\nexec \"$JAVACMD\" \"$@\"\n", "app/build.gradle", "x\n", "app/src/main/java/A.java", "class A {}\n", "app/src/test/java/ATest.java", "class ATest {}\n"}
	rust := []string{"Cargo.toml", "[workspace]\nmembers = ['core', 'cli']\n", "core/Cargo.toml", "[package]\nname = 'shop-core'\n", "core/src/lib.rs", "#[cfg(test)]\nmod tests { #[test] fn works() {} }\n", "cli/Cargo.toml", "[package]\nname = 'cli'\n", "cli/src/main.rs", "fn main() {}\n"}
	rustRed := "     Running unittests src/lib.rs (target/debug/deps/shop_core-1)\n\ntest tests::works ... FAILED\n\nfailures:\n    tests::works\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n\nerror: test failed, to rerun pass `-p shop-core --lib`"
	rustGreen := "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out"
	jestRed := "FAIL src/a.test.ts\n  ● a › works\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 total"
	for _, s := range []shape{
		{"a run goes on behind an edit", twoPackages, func(w *world) {
			w.call("Bash", `{"command":"go test ./...","run_in_background":true}`, "Command running in background with ID: b1", false, `{"stdout":"","stderr":"","interrupted":false,"backgroundTaskId":"b1"}`)
			w.edits("a/a.go", "package a\n\nconst text = `1`\n")
			w.call("BashOutput", `{"bash_id":"b1"}`, "<status>completed</status>\n\n<exit_code>0</exit_code>\n\n<stdout>\n"+greenGo+"\n</stdout>", false, `{"shellId":"b1","status":"completed","exitCode":0,"stdout":`+quoted(greenGo)+`,"stderr":""}`)
		}, true},
		{"a module below is not tested from the root", twoPackages, then("tool/t.go", "go test ./...", greenGo), true},
		{"a module below is tested in it", twoPackages, then("tool/t.go", "cd tool && go test ./...", "ok  \texample.com/tool\t0.1s"), false},
		{"a script hides the status of its tests", twoPackages, then("a/a.go", "sh test.sh", "FAIL\texample.com/shop/a\t0.010s\nFAIL"), true},
		{"the words for a failure are printed", twoPackages, then("a/a.go", "go test ./... > l 2>&1 && echo fine || echo bad", "bad"), true},
		{"the words for success are printed", twoPackages, then("a/a.go", "go test ./... > l 2>&1 && echo fine || echo bad", "fine"), false},
		{"the words of another command are printed", twoPackages, then("a/a.go", "grep -q x a/a.go || echo none; go test ./... | tail -5", "none\n"+greenGo), false},
		{"a status is printed before the log's end", twoPackages, then("a/a.go", "go test ./... > l 2>&1; echo \"rc=$?\"; tail -1 l", "rc=1\nok  \texample.com/shop/b\t0.003s"), true},
		{"a status of 0 is printed before a count", twoPackages, then("a/a.go", "go test ./... > l 2>&1; echo \"rc=$?\"; grep -c ok l", "rc=0\n2"), false},
		{"a package without tests stands at the end", twoPackages, then("a/a.go", "set -o pipefail; go test ./... | tail -1", "?   \texample.com/shop/c\t[no test files]"), false},
		{"a linter of a target is not installed", twoPackages, then("a/a.go", "go test ./...", greenGo, "make lint", "✗golangci-lint run\nmake: golangci-lint: No such file or directory\nmake: *** [Makefile:4: lint] Error 127"), false},
		{"tests pass, and the push behind them fails", twoPackages, then("a/a.go", "go test ./... && git commit -am x && git push", "✗"+greenGo+"\n[main 1] x\nfatal: could not read Username for 'https://github.com'"), false},
		{"tests pass while the changes are put away by a call before", twoPackages, func(w *world) {
			then("a/a.go", "git stash", "Saved working directory and index state WIP on main: 1 first", "go test ./...", greenGo)(w)
			w.runs("git stash pop", "Dropped refs/stash@{0}")
		}, true},
		{"tests fail in the same way while the changes are put away", twoPackages, then("b/b.go", "go test ./...", "✗"+redGo,
			"git stash; go test ./...; git stash pop", "Saved working directory\n"+redGo+"\nDropped refs/stash@{0}", "go test ./b", "ok  \texample.com/shop/b\t0.003s"), false},
		{"other tests fail while the changes are put away", twoPackages, then("b/b.go", "go test ./...", "✗"+strings.ReplaceAll(redGo, "TestA", "TestMine"),
			"git stash; go test ./...; git stash pop", "Saved working directory\n"+redGo+"\nDropped refs/stash@{0}", "go test ./b", "ok  \texample.com/shop/b\t0.003s"), true},
		{"a filter fits no test, then one does", typed, then("src/a.ts", "npx jest zzz", "✗No tests found, exiting with code 1", "npx jest src/a.test.ts", "PASS src/a.test.ts\nTests:       1 passed, 1 total"), false},
		{"the checker's errors stand in a changed file", typed, then("src/a.ts", "npx jest", "PASS src/a.test.ts\nTests:       1 passed, 1 total", "npx tsc --noEmit 2>&1 | head -20", "src/a.ts(1,1): error TS2304: Cannot find name 'x'."), true},
		{"the checker's errors stand in other files", typed, then("src/a.ts", "npx jest", "PASS src/a.test.ts\nTests:       1 passed, 1 total", "npx tsc --noEmit 2>&1 | head -20", "src/old.ts(1,1): error TS2304: Cannot find name 'x'."), false},
		{"the test that failed in a group is skipped", typed, func(w *world) {
			then("src/a.ts", "npx jest", "✗"+jestRed)(w)
			w.edits("src/a.test.ts", "describe('a', () => { test.skip('works', () => {}) })\n")
			w.runs("npx jest", "Tests:       1 skipped, 1 passed, 2 total")
		}, true},
		{"a module is tested by the wrapper at the root", gradle, then("app/src/main/java/A.java", "./gradlew :app:test", "BUILD SUCCESSFUL in 5s"), false},
		{"what failed of a workspace passes in its crate", rust, then("core/src/lib.rs", "cargo test", "✗"+rustRed, "cargo test -p shop-core works", rustGreen), false},
		{"what failed of a workspace is not in the crate that passes", rust, then("core/src/lib.rs", "cargo test", "✗"+rustRed, "cargo test -p cli", rustGreen), true},
	} {
		t.Run(s.name, func(t *testing.T) {
			w := plain(t, s.files...)
			w.git("init", "-q", "-b", "main")
			w.git("add", "-A")
			w.git("commit", "-q", "-m", "first")
			for i := 0; i < len(s.files); i += 2 {
				if err := os.Chtimes(w.path(s.files[i]), w.now.Add(-time.Hour), w.now.Add(-time.Hour)); err != nil {
					t.Fatal(err)
				}
			}
			w.asks("mend it")
			w.after(time.Minute)
			s.play(w)
			w.after(time.Minute)
			if answer := w.stops(); w.decision().Held != s.held {
				t.Errorf("got %v %q, want held %v; evidence %+v", w.decision().Reason, answer, s.held, w.decision().Evidence)
			}
		})
	}
}
