package history_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// What an unfinished run continues from is neither pruned nor deleted, however old
// it is; what was saved before and behind it is.
func TestAnUnfinishedRunKeepsItsCheckpoint(t *testing.T) {
	s := open(t)
	first := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: []byte(`{"n":1}`)}})
	second := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: []byte(`{"n":2}`)}})
	s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: []byte(`{"n":3}`)}})
	r := piton.Run{ID: piton.NewID(piton.RunPrefix), WorkflowID: first.WorkflowID, Branch: piton.MainBranch, CheckpointID: second.ID, Status: piton.RunRunning, Owner: piton.Owner{PID: 1}, Fence: 1}
	save := func(fn func(tx store.Tx) error) {
		t.Helper()
		if err := s.Store.Save(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	save(func(tx store.Tx) error {
		return tx.Runs.AddRun(t.Context(), redact.Value(r), redact.Unchecked(json.RawMessage(`{}`)))
	})
	for _, x := range []struct {
		what string
		of   history.Selector
	}{{"by id", history.Selector{ID: second.ID}}, {"of the workflow", history.Selector{Workflow: "w", Project: project}}} {
		for _, dry := range []bool{true, false} {
			_, err := s.Delete(t.Context(), x.of, history.DeleteOptions{DryRun: dry})
			if piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), r.ID) {
				t.Errorf("%s, dry run %v: got %v, want a conflict that names the run", x.what, dry, err)
			}
		}
	}
	s.time = s.time.Add(100 * 24 * time.Hour)
	policy := piton.Retention{DeleteAt: time.Hour, OpenFor: time.Hour}
	p, err := s.Prune(t.Context(), history.PruneOptions{Policy: policy})
	if err != nil || p.Deleted != 2 {
		t.Fatalf("got %d deleted, %v, want all but the run's checkpoint", p.Deleted, err)
	}
	if got := s.state(second.ID); got != `{"n":2}` {
		t.Errorf("got %s, want the state that the run continues from", got)
	}
	r.Status = piton.RunCancelled
	save(func(tx store.Tx) error { return tx.Runs.PutRun(t.Context(), redact.Value(r)) })
	if p, err := s.Prune(t.Context(), history.PruneOptions{Policy: policy}); err != nil || p.Deleted != 1 {
		t.Errorf("after the run has ended: got %d deleted, %v, want it deleted", p.Deleted, err)
	}
	if _, err := s.Store.Runs().Run(t.Context(), r.ID); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("the run: got %v, want it gone with its last checkpoint", err)
	}
}
