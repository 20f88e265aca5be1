package debrief_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

const root = "/home/ann/shop"

var begin = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// script is a turn written down: each step takes ten seconds and follows the
// one before.
type script struct {
	in  debrief.Input
	now time.Time
}

// turn begins a script in a project whose tests run with `make test` or its
// ecosystems' own commands.
func turn() *script {
	return &script{now: begin, in: debrief.Input{Root: root, CallsSeen: true, Earlier: true, Tests: []debrief.Test{
		{Run: "make test", Matches: []string{"make test", "make check"}},
		{Run: "go test ./...", Matches: []string{"go test"}, Ecosystem: "go"},
	}}}
}

// bare is a turn in a project without any test command.
func bare() *script {
	s := turn()
	s.in.Tests = nil
	return s
}

func (s *script) call(c agent.Call, change ...func(*agent.Call)) *script {
	if c.Dir == "" {
		c.Dir = root
	}
	c.StartedAt = s.now
	c.EndedAt = s.now.Add(8 * time.Second)
	s.now = s.now.Add(10 * time.Second)
	for _, f := range change {
		f(&c)
	}
	s.in.Calls = append(s.in.Calls, c)
	return s
}

// edit is a read and an edit of files, which are then changed.
func (s *script) edit(paths ...string) *script {
	for _, p := range paths {
		s.call(agent.Call{Kind: agent.CallRead, Tool: "Read", Paths: []string{root + "/" + p}})
		s.call(agent.Call{Kind: agent.CallEdit, Tool: "Edit", Paths: []string{root + "/" + p}})
		s.file(debrief.File{Path: p, ModTime: s.now.Add(-5 * time.Second)})
	}
	return s
}

// file adds a changed file, or replaces it.
func (s *script) file(f debrief.File) *script {
	for i := range s.in.Files {
		if s.in.Files[i].Path == f.Path {
			s.in.Files[i] = f
			return s
		}
	}
	s.in.Files = append(s.in.Files, f)
	return s
}

// run is a shell call.
func (s *script) run(line, output string, change ...func(*agent.Call)) *script {
	return s.call(agent.Call{Kind: agent.CallShell, Tool: "Bash", Command: line, Output: output}, change...)
}

func status(n int) func(*agent.Call) {
	return func(c *agent.Call) { c.ExitCode, c.Failed = &n, n != 0 }
}

func unsure(c *agent.Call)      { c.Unsure = true }
func failed(c *agent.Call)      { c.Failed = true }
func background(c *agent.Call)  { c.Background = true }
func interrupted(c *agent.Call) { c.Failed, c.Interrupted = true, true }
func pending(c *agent.Call)     { c.EndedAt = time.Time{} }

func (s *script) look() debrief.Result { return debrief.Look(s.in) }

// wants checks that the texts are there one for one, each holding its words.
// unresolved reports whether something is left open, or a test run failed last.
func unresolved(r debrief.Result) bool {
	return len(r.Actions) > 0 || slices.ContainsFunc(r.Facts, func(f debrief.Fact) bool { return f.Class == debrief.ClassRed })
}

func wants(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d, want %d:\ngot  %s\nwant %s", what, len(got), len(want), strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("%s %d: got %q, want %q in it", what, i+1, got[i], want[i])
		}
	}
}
