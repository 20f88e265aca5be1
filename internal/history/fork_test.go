package history_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// mustFork forks and fails the test on an error.
func (s *shelf) mustFork(f history.ForkDraft) history.Forked {
	s.Helper()
	c, err := s.Keeper.Fork(s.Context(), f)
	if err != nil {
		s.Fatalf("fork: got %v, want no error", err)
	}
	return c
}

func TestForkOfAKind(t *testing.T) {
	s := open(t)
	one := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "release", Phase: "Build", PhaseNumber: 2, PhaseTotal: 4, Task: "ship", Progress: ptr(50), Name: "n", Tags: []string{"t"}, State: []byte(`{"x":1}`)}, Origin: piton.Origin{GitHead: "aaaa", GitBranch: "main"}})
	f := s.mustFork(history.ForkDraft{ForkRequest: piton.ForkRequest{From: one.ID[:12]}, Origin: piton.Origin{GitHead: "bbbb"}})
	if f.WorkflowType != piton.TypePhases || f.StepName != "Build" || f.PhaseNumber != 2 || f.PhaseTotal != 4 || f.TaskSummary != "ship" || *f.Progress != 50 {
		t.Errorf("got %+v, want the place of what it was forked from", f.Checkpoint)
	}
	if f.Trigger != piton.TriggerManual || f.Completed || f.Name != "" || len(f.Tags) != 0 || f.Branch != "fork-1" || f.ParentID != one.ID {
		t.Errorf("got %+v, want a beginning of its own", f.Checkpoint)
	}
	if f.Origin.GitHead != "aaaa" || f.Origin.GitBranch != "main" {
		t.Errorf("git: got %+v, want what the state was made on", f.Origin)
	}
	if got := s.state(f.ID); got != `{"x":1}` {
		t.Errorf("state: got %s, want it again", got)
	}
	// A new state's own word goes first.
	f = s.mustFork(history.ForkDraft{ForkRequest: piton.ForkRequest{From: one.ID, State: []byte(`{"phase":"Plan","phase_number":1,"phase_total":4}`), InProject: piton.InProject{Project: project}}, Origin: piton.Origin{GitHead: "bbbb"}})
	if f.StepName != "Plan" || f.PhaseNumber != 1 || *f.Progress != 25 || f.TaskSummary != "ship" || f.Origin.GitHead != "bbbb" {
		t.Errorf("got %+v, want the new state's phase", f.Checkpoint)
	}
	f = s.mustFork(history.ForkDraft{ForkRequest: piton.ForkRequest{From: one.ID, State: []byte(`{"y":1}`)}})
	if f.StepName != "Build" || f.PhaseNumber != 2 || f.PhaseTotal != 4 || f.Branch != "fork-3" {
		t.Errorf("got %+v, want the old phase", f.Checkpoint)
	}
}

func TestForkTakesSecretsOut(t *testing.T) {
	s := open(t)
	one := s.must(history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{}`)}})
	f := s.mustFork(history.ForkDraft{ForkRequest: piton.ForkRequest{From: one.ID, State: []byte(`{"token":"ghp_0123456789abcdefghijklmnopqrstuvwxyz"}`)}})
	if f.Redacted != 1 || strings.Contains(s.state(f.ID), "ghp_") {
		t.Errorf("got %d taken out of %s, want 1", f.Redacted, s.state(f.ID))
	}
}

func TestForksAtOnceGetNamesOfTheirOwn(t *testing.T) {
	s := open(t)
	one := s.must(history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{}`)}})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := s.Keeper.Fork(t.Context(), history.ForkDraft{ForkRequest: piton.ForkRequest{From: one.ID}}); err != nil {
				t.Errorf("fork: got %v, want no error", err)
			}
		})
	}
	wg.Wait()
	branches, err := s.Branches(t.Context(), one.WorkflowID, "")
	if err != nil || len(branches) != 9 {
		t.Errorf("got %d branches, %v; want 9", len(branches), err)
	}
}
