package runner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// TestFork goes on from an older checkpoint as a run of its own. What was running there
// may have taken effect since.
func TestFork(t *testing.T) {
	for _, c := range []struct {
		name   string
		effect plan.Effect
		again  Again
		want   string
		did    string
		status piton.RunStatus
	}{
		{"a step that may happen only once is in doubt", plan.Once, Again{}, "a completed, b in_doubt, c pending", "a b c", piton.RunInDoubt},
		{"a person has it run again", plan.Once, Again{Redo: []string{"b"}}, "a completed, b completed, c completed", "a b c b c", piton.RunCompleted},
		{"a person says that it took effect", plan.Once, Again{Took: []string{"b"}}, "a completed, b completed, c completed", "a b c c", piton.RunCompleted},
		{"what may run again does", plan.Idempotent, Again{}, "a completed, b completed, c completed", "a b c b c", piton.RunCompleted},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			d.effect = c.effect
			o := d.start(Request{Plan: steps("a", "b <- a", "c <- b")})
			page, err := d.Keeper.Store.List(t.Context(), piton.Query{Workflow: o.Run.WorkflowID})
			if err != nil {
				t.Fatal(err)
			}
			c.again.Checkpoint = page.Checkpoints[2].ID // a is done, b runs
			f := d.resume(c.again)
			if f.Run.Status != c.status || f.RunID == o.RunID || f.Run.Branch == o.Run.Branch || f.Recovered < 1 {
				t.Errorf("got %+v, want another run on another branch, %s", f, c.status)
			}
			if diff := cmp.Diff(c.want, statuses(f.State)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(c.did, strings.Join(d.did, " ")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if x := f.State.Plan[1]; x.Status == InDoubt && !strings.Contains(x.Reason, "running when the checkpoint was saved") {
				t.Errorf("got the reason %q", x.Reason)
			}
		})
	}
}
