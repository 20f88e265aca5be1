package history_test

import (
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// TestOffersBelongToAStore: what a keeper offers can be resumed in the store
// that its settings name, and in no other was it found.
func TestOffersBelongToAStore(t *testing.T) {
	s := open(t)
	here := s.agent(agent.Session{Identity: agent.Identity{ClientID: "here", EndedAt: piton.At(s.time)}})
	shared := s.agent(agent.Session{Identity: agent.Identity{ClientID: "shared", EndedAt: piton.At(s.time)}})
	s.must(history.Draft{SaveRequest: piton.SaveRequest{Name: "by-hand", Workflow: "import", Phase: "Build", PhaseNumber: 2, State: []byte(`{}`)}})
	s.must(history.Draft{SaveRequest: piton.SaveRequest{Name: "session", Session: here.ID, Type: piton.TypeSession, State: []byte(`{}`)}})
	known := s.must(history.Draft{SaveRequest: piton.SaveRequest{Name: "carried", Session: shared.ID, Type: piton.TypeSession, State: []byte(`{}`)}})
	far := func(name, workflow, kind string, minute int64) piton.Checkpoint {
		return piton.Checkpoint{ID: piton.NewID(piton.CheckpointPrefix), Described: piton.Described{Name: name}, InWorkflow: piton.InWorkflow{WorkflowID: workflow, WorkflowType: kind, Project: project}, CreatedAt: piton.FromMillis(60_000 * minute)}
	}
	heads := map[string][]piton.Checkpoint{
		"a": {far("a-old", "wf_00000000000000a1", piton.TypePlan, 1), far("a-new", "wf_00000000000000a2", piton.TypePlan, 2), far("a-session", "wf_00000000000000a3", piton.TypeSession, 3),
			far("a-carried", known.WorkflowID, piton.TypeSession, 4)},
		"b": {far("b-plan", "wf_00000000000000b1", piton.TypePlan, 1)},
	}
	err := s.Local.Update(t.Context(), func(tx store.LocalTx) error {
		for store, list := range heads {
			if err := tx.SetMirror(t.Context(), store, project, redact.Value(list)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name, store, except string
		limit               int
		want                string
		more                int
	}{
		{"the local file", "", "", 10, "by-hand carried session", 0},
		{"a shared store", "a", "", 10, "a-new a-old carried session a-session", 0},
		{"at most one", "a", "", 1, "a-new", 4},
		{"not one's own", "a", here.ID, 10, "a-new a-old carried a-session", 0},
		{"another", "b", "", 10, "b-plan carried session", 0},
		{"one never reached", "c", "", 10, "carried session", 0},
	} {
		k := s.Keeper
		k.StoreName = x.store
		got, more, err := k.Detect(t.Context(), project, x.except, x.limit)
		if err != nil || names(got) != x.want || more != x.more {
			t.Errorf("%s: got %q and %d more (%v), want %q and %d", x.name, names(got), more, err, x.want, x.more)
		}
	}
}
