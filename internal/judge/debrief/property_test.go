package debrief_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/testkit/draw"
)

var (
	someFiles = []string{"a.go", "b/b.go", "b/b_test.go", "c.py", "tests/test_c.py", "web/d.ts", "go.mod", "package.json", "Dockerfile", "db/migrations/1.sql", "README.md", "x.yaml", "CLAUDE.md", ".github/workflows/ci.yml", "odd name", "e.rs"}
	someLines = []string{"make test", "go test ./...", "go test ./b", "npm test", "go build ./...", "docker build .", "go test ./... | tail -3", "make test || true", "pytest &", "python x.py", "sed -i s/a/b/ a.go",
		"gofmt -w a.go", "go generate ./...", "git commit -am x", "grep -r x .", "ls", "echo make test", "npm install", "rm -rf web", "make test ; (", "cd b && go vet ./...",
		"make restart", "make restart; make status", "make status", "make lint", "shoplogs api", "just ci", "pytest tests/test_c.py"}
	someOutputs = []string{"", "ok  \tx\t0.1s", "--- FAIL: TestX", "2 failed, 3 passed", "5 passed", "a.go:1:1: undefined: x", "Permission denied", "SyntaxError: x", "No such file"}
)

// drawTurn makes up a turn of edits and commands.
func drawTurn(t *rapid.T) *script {
	s := turn()
	s.in.Tests = append(s.in.Tests, debrief.Test{Run: "npm test", Matches: []string{"npm test"}, Ecosystem: "node", Dir: "web"})
	for range rapid.IntRange(0, 12).Draw(t, "steps") {
		switch rapid.IntRange(0, 3).Draw(t, "step") {
		case 0:
			s.edit(rapid.SampledFrom(someFiles).Draw(t, "file"))
		case 1:
			s.file(debrief.File{Path: rapid.SampledFrom(someFiles).Draw(t, "other"), ModTime: s.now.Add(time.Duration(rapid.IntRange(-30, 30).Draw(t, "seconds")) * time.Second),
				Deleted: rapid.Bool().Draw(t, "gone"), Committed: rapid.Bool().Draw(t, "committed")})
		default:
			s.run(rapid.SampledFrom(someLines).Draw(t, "line"), rapid.SampledFrom(someOutputs).Draw(t, "output"), func(c *agent.Call) {
				c.Failed = rapid.Bool().Draw(t, "failed")
				c.Background = rapid.IntRange(0, 9).Draw(t, "background") == 0
				c.Interrupted = rapid.IntRange(0, 9).Draw(t, "interrupted") == 0
				if rapid.IntRange(0, 9).Draw(t, "pending") == 0 {
					c.EndedAt = time.Time{}
				}
			})
		}
	}
	s.in.CallsSeen = rapid.IntRange(0, 9).Draw(t, "seen") > 0
	return s
}

func TestMessagesAreSound(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		s := drawTurn(t)
		r := s.look()
		sound(t, r)
		if r.AllClear != (len(r.Actions)+len(r.Lines) == 0) || (r.Message == "") != (len(r.Actions)+len(r.Observations) == 0) || r.Generic {
			t.Errorf("all clear %v, %q, %v, %q, message %q", r.AllClear, r.Actions, r.Lines, r.Observations, r.Message)
		}
		if len(r.Files) != len(s.in.Files) {
			t.Errorf("%d files of %d", len(r.Files), len(s.in.Files))
		}
	})
}

// A test run that succeeds at the end takes actions away and adds none.
func TestASuccessAddsNothing(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		s := drawTurn(t)
		s.in.CallsSeen = true
		before := s.look()
		s.now = s.now.Add(time.Minute)
		after := s.run("make test", "ok").look()
		if len(after.Actions) > len(before.Actions) {
			t.Errorf("before %q\nafter  %q", before.Actions, after.Actions)
		}
		for _, a := range after.Actions {
			if strings.Contains(a, "no test run has passed since") {
				t.Errorf("still asked for: %q", a)
			}
		}
	})
}

// What others change alters nothing that is asked of the agent.
func TestForeignFilesChangeNothing(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		s := drawTurn(t)
		s.in.CallsSeen = true
		before := s.look()
		for i := range rapid.IntRange(1, 5).Draw(t, "foreign") {
			s.file(debrief.File{Path: fmt.Sprintf("theirs%d/%s", i, rapid.SampledFrom(someFiles).Draw(t, "file")), ModTime: begin.Add(-time.Hour)})
		}
		after := s.look()
		if !slices.Equal(before.Actions, after.Actions) || !slices.Equal(before.Categories, after.Categories) || !slices.Equal(before.Observations, after.Observations) {
			t.Errorf("before %q\nafter  %q", before.Actions, after.Actions)
		}
	})
}

// The order of the rules of one precedence aside, the result depends on the
// evidence only.
func TestLookIsAFunction(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		s := drawTurn(t)
		if a, b := s.look(), s.look(); a.Message != b.Message {
			t.Errorf("first %q\nthen  %q", a.Message, b.Message)
		}
	})
}

// Look changes nothing of its input, what was read before included, and what it
// found out for one input does not show in the next one.
func TestLookIsPure(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		s := drawTurn(t)
		in := s.in
		in.Verified = []agent.Verified{{Command: "go test ./...", OK: rapid.Bool().Draw(t, "verified"), Output: "ok"}}
		in.Read = debrief.Read(in.Root, in.Calls, nil)
		input := in
		input.Read = nil
		before := fmt.Sprintf("%#v", input)
		first := debrief.Look(in)
		in.Read.Edits()
		if after := fmt.Sprintf("%#v", input); after != before {
			t.Fatalf("input was\n%s\nis\n%s", before, after)
		}
		if !reflect.DeepEqual(in.Read, debrief.Read(in.Root, in.Calls, nil)) {
			t.Fatal("what was read of the calls has changed")
		}
		other := in
		other.Tests, other.Files, other.Root = nil, nil, "/elsewhere"
		debrief.Look(other)
		if second := debrief.Look(in); !reflect.DeepEqual(first, second) {
			t.Fatalf("first %+v\nthen  %+v", first, second)
		}
		input.Read = nil
		if fresh := debrief.Look(input); !reflect.DeepEqual(first, fresh) {
			t.Fatalf("read before %+v\nread now    %+v", first, fresh)
		}
	})
}
