package runner

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// basis is what a run goes on with. Nothing of it is written yet.
type basis struct {
	plan    plan.Plan
	changed bool // it is another plan than the run's
	state   State
	answers []piton.Answer // that count for the state, of a run that begins from a checkpoint
}

// basis is what a run goes on with that has not ended.
func (r *Runner) basis(ctx context.Context, run piton.Run, g Again) (b basis, err error) {
	was, err := ReadPlan(ctx, r.Keeper.Store.Runs(), run.ID)
	if err != nil {
		return b, err
	}
	if err := r.Keepable(g.Plan); err != nil {
		return b, err
	}
	if b.plan, b.changed, err = g.plan(was); err != nil {
		return b, err
	}
	s, err := ReadState(ctx, r.Keeper, run.CheckpointID)
	if err != nil {
		return b, err
	}
	answers, err := r.Keeper.Store.Runs().Answers(ctx, run.ID)
	if err != nil {
		return b, err
	}
	g.answered, g.unapproved, g.heard = answeredSteps(s, answers), r.unapproved(Whole(b.plan, s), s, answers), newest(answers)
	g.undone = run.Status == piton.RunFailed
	b.state, err = r.prepared(was, b.plan, s, g)
	return b, err
}

// over refuses a run that has ended.
func over(run piton.Run) error {
	if !run.Status.Ended() {
		return nil
	}
	return piton.Errorf(piton.Conflict, "resume run "+run.ID, "'run PLAN' begins another one; 'run resume CHECKPOINT' continues from any checkpoint of it", "it is %s, and nothing is left to do", run.Status)
}
