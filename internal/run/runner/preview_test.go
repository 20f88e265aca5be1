package runner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

// TestPreview: what a resume would begin with, and what it would refuse; nothing runs
// and nothing is written.
func TestPreview(t *testing.T) {
	changed := steps("a", "b <- a", "c <- b", "d <- c")
	for _, c := range []struct {
		name  string
		again Again
		alive bool
		want  string
		err   string
	}{
		{"what failed runs again", Again{}, false, "a completed, b pending, c pending", ""},
		{"from a step", Again{From: []string{"a"}}, false, "a pending, b pending, c pending", ""},
		{"a step that is not there", Again{Redo: []string{"z"}}, false, "", `no step "z"`},
		{"a changed plan", Again{Plan: &changed}, false, "", "the plan has changed"},
		{"a changed plan that is accepted", Again{Plan: &changed, AcceptPlan: true}, false, "a completed, b pending, c pending, d pending", ""},
		{"a run that another process has", Again{}, true, "", "process 9 works on it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			d.do["b"] = fails("down")
			o := d.start(Request{Plan: steps("a", "b <- a", "c <- b")})
			c.again.Run = o.RunID
			if c.alive {
				d.save(func(tx store.Tx) error {
					_, err := tx.Runs.ClaimRun(t.Context(), o.RunID, o.Run.Fence, redact.Value(piton.Owner{PID: 9}), piton.At(d.now()), piton.At(d.now()))
					return err
				})
				d.Alive = func(piton.Owner) (bool, bool) { return true, true }
			}
			kept := len(d.kept(o))
			x, err := d.Preview(t.Context(), c.again)
			switch {
			case c.err != "":
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %v, want %q", err, c.err)
				}
			case err != nil:
				t.Fatal(err)
			default:
				if diff := cmp.Diff(c.want, statuses(x.State)); diff != "" || len(x.Plan.Steps) != len(x.State.Plan) {
					t.Errorf("(-want +got)\n%s", diff)
				}
			}
			if n := len(d.kept(o)); n != kept || strings.Join(d.did, " ") != "a b" {
				t.Errorf("got %d checkpoints and %v, want %d and nothing done", n, d.did, kept)
			}
		})
	}
}

// TestPreviewOfACheckpoint shows what a run from an older checkpoint would begin with.
func TestPreviewOfACheckpoint(t *testing.T) {
	d := newDesk(t)
	d.effect = plan.Once
	o := d.start(Request{Plan: steps("a", "b <- a", "c <- b")})
	page, err := d.Keeper.Store.List(t.Context(), piton.Query{Workflow: o.Run.WorkflowID})
	if err != nil {
		t.Fatal(err)
	}
	x, err := d.Preview(t.Context(), Again{Checkpoint: page.Checkpoints[2].ID})
	if err != nil || x.Workflow != "research" {
		t.Fatalf("got %+v, %v", x, err)
	}
	if diff := cmp.Diff("a completed, b in_doubt, c pending", statuses(x.State)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := d.Preview(t.Context(), Again{Run: o.RunID}); piton.CodeOf(err) != piton.Conflict {
		t.Errorf("got %v for a run that is completed", err)
	}
}
