package runner

import (
	"context"

	"github.com/piton-project/piton/internal/run/plan"
)

// Ahead is what a resume would begin with.
type Ahead struct {
	Workflow string    // its name
	Plan     plan.Plan // as it was checked
	State    State     // pending are the steps that would run or be skipped
}

// Preview is what Resume would begin with, with the errors of Resume; nothing is
// written. A run whose owner may live is a conflict at once.
func (r *Runner) Preview(ctx context.Context, g Again) (Ahead, error) {
	if err := r.usable("resume a run"); err != nil {
		return Ahead{}, err
	}
	if g.preview = true; g.Checkpoint != "" {
		c, _, b, err := r.forkBasis(ctx, g)
		return Ahead{c.Workflow, b.plan, b.state}, err
	}
	run, err := r.Keeper.Store.Runs().Run(ctx, g.Run)
	if err == nil {
		err = over(run)
	}
	if err != nil {
		return Ahead{}, err
	}
	alive, known := Alive(run, r.Owner, r.Alive)
	if c := mayTake(run, alive, known, r.now(), r.lease()); !c.Take {
		return Ahead{}, taken("resume run "+run.ID, run, c.Why)
	}
	b, err := r.basis(ctx, run, g)
	return Ahead{run.Workflow, b.plan, b.state}, err
}
