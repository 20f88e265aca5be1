package debrief_test

import (
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

const (
	goRed   = "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/shop/a\t0.01s\nFAIL"
	goGreen = "ok  \texample.com/shop/a\t0.01s"
	jestRed = "FAIL web/x.test.ts\n  ● adds\n\nTests:       1 failed, 1 total"
)

// made is a file that an edit tool made and that is gone at the end: git names it
// nowhere.
func (s *script) made(path string) *script {
	return s.call(agent.Call{Kind: agent.CallEdit, Tool: "Write", Paths: []string{root + "/" + path}, Created: true})
}

func (s *script) goFile(path string) *script {
	s.edit(path)
	return s.file(debrief.File{Path: path, ModTime: s.now.Add(-5 * time.Second), Home: &debrief.Home{Packaged: true, PackageTests: true, Tested: true}})
}

// What a turn made and took away again, broke on purpose and mended, or tried
// elsewhere, asks for nothing.
func TestWhatCameAndWent(t *testing.T) {
	node := func() *script {
		s := turn()
		s.in.Tests = []debrief.Test{{Run: "npm test", Ecosystem: "node"}}
		return s
	}
	for _, c := range []struct {
		name string
		turn *script
		want []string
	}{
		{"a test for trying, written, run and removed", turn().goFile("a/a.go").made("a/zzz_test.go").run("go test ./a -run TestZ", "--- FAIL: TestZ (0.00s)\nFAIL\nFAIL\texample.com/shop/a\t0.01s", failed).
			run("rm a/zzz_test.go", "").run("go test ./a", goGreen), nil},
		{"the same, noted by git as new and gone", turn().goFile("a/a.go").made("a/zzz_test.go").file(debrief.File{Path: "a/zzz_test.go", Created: true, Deleted: true}).
			run("go test ./a", goRed, failed).run("rm a/zzz_test.go", "").run("go test ./a", goGreen), nil},
		{"nothing but such a test", turn().made("a/zzz_test.go").run("go test ./a", goGreen).run("rm a/zzz_test.go", "").file(debrief.File{Path: "a/zzz_test.go", Created: true, Deleted: true}), nil},
		{"a new test that failed, removed", node().edit("web/x.ts").made("web/x.test.ts").run("npx jest web/x.test.ts", jestRed, failed).run("rm web/x.test.ts", "").run("npx jest web/y.test.ts", "Tests:       3 passed, 3 total"), []string{"`jest web/x.test.ts`"}},
		{"a file for trying, named by the runner, removed", node().edit("web/x.ts").made("web/zz.test.ts").run("npx jest web/zz.test.ts", strings.ReplaceAll(jestRed, "x.test", "zz.test"), failed).run("rm web/zz.test.ts", "").run("npx jest web", "Tests:       3 passed, 3 total"), nil},
		{"a test with another ending now", node().edit("web/x.ts").made("web/x.test.ts").run("npx jest web/x.test.ts", jestRed, failed).run("mv web/x.test.ts web/x.test.tsx", "").
			file(debrief.File{Path: "web/x.test.tsx", Created: true, ModTime: begin}).run("npx jest web/x.test.tsx", "PASS web/x.test.tsx\nTests:       1 passed, 1 total"), nil},
		{"a test of the project, removed after it failed", turn().goFile("a/a.go").run("go test ./a", goRed, failed).run("rm a/a_test.go", "").
			file(debrief.File{Path: "a/a_test.go", Deleted: true, Home: &debrief.Home{Packaged: true, PackageTests: true, Test: true, Tested: true}}).run("go test ./a", "ok  \texample.com/shop/a\t0.01s"), []string{"`go test ./a` failed"}},
		{"broken on purpose, taken back by git, green", turn().goFile("a/a.go").run("go test ./a", goGreen).run("sed -i 's/</>/' a/a.go && go test ./a", goRed, failed).run("git checkout a/a.go", "").run("go test ./a", goGreen), nil},
		{"broken on purpose, copied back, green", turn().goFile("a/a.go").run("cp a/a.go /tmp/a.go; sed -i 's/</>/' a/a.go; go test ./a | tail -5; cp /tmp/a.go a/a.go", goRed).run("go test ./a", goGreen), nil},
		{"broken on purpose, copied back, nothing run since", turn().goFile("a/a.go").run("cp a/a.go /tmp/a.go; sed -i 's/</>/' a/a.go; go test ./a | tail -5; cp /tmp/a.go a/a.go", goRed), []string{"`go test ./a` failed"}},
		{"a program tried in another folder", turn().goFile("a/a.go").run("cd /tmp/x && npm install left-pad", "npm ERR! code E404", failed).run("go test ./a", goGreen), nil},
		{"the same in the work tree", turn().goFile("a/a.go").run("npm install left-pad", "npm ERR! code E404", failed).run("go test ./a", goGreen), nil},
		{"go asked for packages that are not there", turn().goFile("a/a.go").run("go test ./shop/a/... | tail", "# ./shop/a/...\npattern ./shop/a/...: lstat ./shop/a/: no such file or directory\nFAIL\t./shop/a/... [setup failed]\nFAIL").run("go test ./a", goGreen), nil},
		{"C code of a Go package", turn().goFile("a/a.go").edit("a/src/parser.c").file(debrief.File{Path: "a/src/parser.c", ModTime: begin, Home: &debrief.Home{}}).run("go test ./...", goGreen), nil},
		{"a formatter beside another program", turn().goFile("a/a.go").file(debrief.File{Path: "a/a.go", ModTime: begin.Add(28 * time.Second), Home: &debrief.Home{Packaged: true, PackageTests: true, Tested: true}}).
			run("gofmt -w a/a.go && go test ./a", goGreen).run("go run ./cmd/x", "", func(c *agent.Call) { c.StartedAt, c.EndedAt = begin.Add(21*time.Second), begin.Add(28*time.Second) }), nil},
	} {
		t.Run(c.name, func(t *testing.T) { wants(t, "actions", c.turn.look().Actions, c.want...) })
	}
}
