package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// runOf is the run i of a store; every tenth has not ended.
func runOf(i int) piton.Run {
	r := piton.Run{
		ID: fmt.Sprintf("run_%016d", i), WorkflowID: fmt.Sprintf("wf_%016d", i/10), Branch: fmt.Sprint("b", i%10), Project: fmt.Sprintf("prj_%016d", i%7),
		Status: piton.RunCompleted, Fence: 1, Plan: "research",
	}
	if i%10 == 0 {
		r.Status, r.Owner = piton.RunRunning, piton.Owner{PID: 1}
	}
	return r
}

// withRuns is a store with so many runs, each with a plan and an answer.
func withRuns(t *testing.T, n int) (*sqlstore.Store, *steps) {
	t.Helper()
	_, st, counts := filled(t, 100)
	err := st.Save(t.Context(), func(tx store.Tx) error {
		for i := range n {
			r := runOf(i)
			if i%10 == 0 {
				if err := tx.PutWorkflow(t.Context(), redact.Value(piton.Workflow{ID: r.WorkflowID, Type: piton.TypePlan, Project: r.Project})); err != nil {
					return err
				}
			}
			if err := tx.Runs.AddRun(t.Context(), redact.Value(r), redact.Unchecked(json.RawMessage(`{"name":"research"}`))); err != nil {
				return err
			}
			if r.Status.Ended() {
				continue
			}
			if err := tx.Runs.AnswerRun(t.Context(), redact.Value(piton.Answer{RunID: r.ID, StepID: "s", Shown: "aa"})); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return st, counts
}

// TestCostOfRunsDoesNotGrow does what belongs to one run in a store with a few and
// with ten times as many.
func TestCostOfRunsDoesNotGrow(t *testing.T) {
	sizes := []int{300, 3000}
	var stores [2]*sqlstore.Store
	var counts [2]*steps
	for i, n := range sizes {
		stores[i], counts[i] = withRuns(t, n)
	}
	write := func(fn func(context.Context, store.RunWriter, piton.Run) error) func(context.Context, *sqlstore.Store, piton.Run) error {
		return func(ctx context.Context, st *sqlstore.Store, r piton.Run) error {
			return st.Save(ctx, func(tx store.Tx) error { return fn(ctx, tx.Runs, r) })
		}
	}
	list := func(of func(piton.Run) piton.RunQuery) func(context.Context, *sqlstore.Store, piton.Run) error {
		return func(ctx context.Context, st *sqlstore.Store, r piton.Run) error {
			_, err := st.Runs().Runs(ctx, of(r))
			return err
		}
	}
	for _, v := range []struct {
		name string
		do   func(context.Context, *sqlstore.Store, piton.Run) error
	}{
		{"run", func(ctx context.Context, st *sqlstore.Store, r piton.Run) error {
			_, err := st.Runs().Run(ctx, r.ID)
			return err
		}},
		{"plan", func(ctx context.Context, st *sqlstore.Store, r piton.Run) error {
			_, err := st.Runs().RunPlan(ctx, r.ID)
			return err
		}},
		{"answers", func(ctx context.Context, st *sqlstore.Store, r piton.Run) error {
			_, err := st.Runs().Answers(ctx, r.ID)
			return err
		}},
		{"list", list(func(piton.Run) piton.RunQuery { return piton.RunQuery{Limit: 20} })},
		{"list of a project", list(func(r piton.Run) piton.RunQuery { return piton.RunQuery{Project: r.Project, Limit: 20} })},
		{"list of a workflow", list(func(r piton.Run) piton.RunQuery { return piton.RunQuery{Workflow: r.WorkflowID} })},
		{"unfinished run of a branch", list(func(r piton.Run) piton.RunQuery {
			return piton.RunQuery{Workflow: r.WorkflowID, Branch: r.Branch, Open: true}
		})},
		{"claim", write(func(ctx context.Context, w store.RunWriter, r piton.Run) error {
			_, err := w.ClaimRun(ctx, r.ID, 1, redact.Value(piton.Owner{PID: 2}), piton.FromMillis(1), piton.FromMillis(2))
			return err
		})},
		{"renew", write(func(ctx context.Context, w store.RunWriter, r piton.Run) error {
			_, err := w.RenewRun(ctx, r.ID, 2, piton.FromMillis(3))
			return err
		})},
		{"put", write(func(ctx context.Context, w store.RunWriter, r piton.Run) error {
			r.Fence = 2
			return w.PutRun(ctx, redact.Value(r))
		})},
		{"put a plan", write(func(ctx context.Context, w store.RunWriter, r piton.Run) error {
			return w.PutPlan(ctx, r.ID, 2, "bb", redact.Unchecked(json.RawMessage(`{}`)))
		})},
		{"wish", write(func(ctx context.Context, w store.RunWriter, r piton.Run) error {
			return w.WishRun(ctx, r.ID, 2, piton.WishPause)
		})},
		{"answer", write(func(ctx context.Context, w store.RunWriter, r piton.Run) error {
			return w.AnswerRun(ctx, redact.Value(piton.Answer{RunID: r.ID, StepID: "s", Shown: "aa"}))
		})},
		{"end", write(func(ctx context.Context, w store.RunWriter, r piton.Run) error {
			r.Fence, r.Status = 2, piton.RunCompleted
			return w.PutRun(ctx, redact.Value(r))
		})},
		{"add", write(func(ctx context.Context, w store.RunWriter, r piton.Run) error {
			r.ID = piton.NewID(piton.RunPrefix)
			return w.AddRun(ctx, redact.Value(r), redact.Unchecked(json.RawMessage(`{}`)))
		})},
	} {
		var sums [2]int
		for i, n := range sizes {
			counts[i].begin()
			if err := v.do(t.Context(), stores[i], runOf(n/2/10*10)); err != nil {
				t.Fatalf("%s: %v", v.name, err)
			}
			sums[i] = counts[i].sum()
		}
		t.Logf("%-32s %6d %6d", v.name, sums[0], sums[1])
		if sums[1] > sums[0]*3/2+100 {
			t.Errorf("%s: got %d steps among %d runs and %d among %d, want about as many:%s", v.name, sums[0], sizes[0], sums[1], sizes[1], counts[1].worst())
		}
	}
}
