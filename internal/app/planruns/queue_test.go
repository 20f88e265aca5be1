package planruns

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// plans are the plans of runs.
type plans struct {
	store.RunReader
	width map[string]int
}

func (p plans) RunPlan(_ context.Context, id string) ([]byte, error) {
	return fmt.Appendf(nil, `{"steps":[{"id":"a","action":"shell"}],"max_runs":%d}`, p.width[id]), nil
}

// quietly is a caller with settings of its own, as far as these are its environment's.
func quietly(t testing.TB, env map[string]string) PlanRuns {
	o := caller.Options{Home: t.TempDir(), Dir: t.TempDir(), Environ: []string{}, Getenv: func(name string) string { return env[name] }}
	c := caller.New(o)
	t.Cleanup(c.Close)
	return PlanRuns{Caller: c}
}

// TestQueue: which queued runs begin, by the widths of plans and projects.
func TestQueue(t *testing.T) {
	row := func(id, workflow, project string, status piton.RunStatus) piton.Run {
		return piton.Run{ID: id, Workflow: workflow, Namespace: project, Status: status, Daemon: "home", PlanSum: workflow}
	}
	const running, queued = piton.RunRunning, piton.RunQueued
	open := []piton.Run{row("r1", "narrow", "p", running), row("q1", "narrow", "p", queued), row("q2", "wide", "p", queued), row("q3", "wide", "p", queued), row("q4", "narrow", "other", queued), row("q5", "wide", "other", queued)}
	elsewhere := row("q6", "wide", "p", queued)
	elsewhere.Daemon = "another"
	for _, c := range []struct {
		name string
		env  map[string]string
		want []string
		left int
	}{
		{"a plan's width", nil, []string{"q2", "q3", "q4", "q5"}, 1},
		{"a project's width", map[string]string{"PITON_SERVE_PROJECT_RUNS": "2"}, []string{"q2", "q4", "q5"}, 2},
		{"of all homes", map[string]string{"PITON_SERVE_ALL_HOMES": "true"}, []string{"q2", "q3", "q4", "q5", "q6"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := quietly(t, c.env).newQueue(plans{width: map[string]int{"q1": 1, "q4": 1}}, append(slices.Clone(open), elsewhere), "home")
			var got []string
			left := q.Begin(t.Context(), func(x Unattended) (works, more bool) {
				got = append(got, x.Run.ID)
				return true, true
			})
			if !slices.Equal(got, c.want) || left != c.left {
				t.Errorf("got %q, %d left", got, left)
			}
		})
	}
}

// BenchmarkQueue is a look at 10,000 queued runs of which none may begin now.
func BenchmarkQueue(b *testing.B) {
	a := quietly(b, map[string]string{"PATH": os.Getenv("PATH")})
	k, _, err := a.openRuns(b.Context(), false)
	if err != nil {
		b.Fatal(err)
	}
	home, err := a.HomeID(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	err = k.Store.Save(b.Context(), func(tx store.Tx) error {
		for i := range 10_000 {
			w := piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Type: piton.TypePlan, Name: fmt.Sprint("w", i)}
			r := piton.Run{ID: piton.NewID(piton.RunPrefix), WorkflowID: w.ID, Workflow: w.Name, Branch: piton.MainBranch, Status: piton.RunQueued, Daemon: home, Fence: 1}
			if err := tx.PutWorkflow(b.Context(), redact.Value(w)); err != nil {
				return err
			}
			if err := tx.Runs.AddRun(b.Context(), redact.Value(r), redact.Unchecked(json.RawMessage(`{"steps":[]}`))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		list, err := a.Unattended(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if left := list.Queue.Begin(b.Context(), func(Unattended) (works, more bool) { return true, false }); left != 9_999 {
			b.Fatal("the queue is not whole")
		}
	}
}
