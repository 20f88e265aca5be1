package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Resume goes on with a run. Conflict where another process works on it, or the
// plan has changed and AcceptPlan is not set. From an older checkpoint, or from one
// that no run has made, it begins another run.
func (r *Runner) Resume(ctx context.Context, g Again) (Outcome, error) {
	if err := r.usable("resume a run"); err != nil {
		return Outcome{}, err
	}
	if g.Checkpoint != "" {
		return r.fork(ctx, g)
	}
	for try := 0; ; try++ {
		o, err := r.resume(ctx, g)
		if late := (landedLate{}); !errors.As(err, &late) {
			return o, err
		} else if try == maxLate {
			return o, late.error
		}
	}
}

// maxLate bounds how often a resume begins anew because of what a dead owner has
// left: a server commits what it was sent last although nobody waits for the answer.
const maxLate = 3

// landedLate is the error of a claim before which a dead owner's last save has landed.
type landedLate struct{ error }

func (r *Runner) resume(ctx context.Context, g Again) (Outcome, error) {
	run, err := r.Keeper.Store.Runs().Run(ctx, g.Run)
	if err != nil {
		return Outcome{}, err
	}
	if err := over(run); err != nil {
		return Outcome{}, err
	}
	if run, err = r.claimable(ctx, run, g); err != nil {
		return Outcome{}, err
	}
	g.Cancel = g.Cancel || run.Wish == piton.WishCancel
	b, err := r.basis(ctx, run, g)
	if err != nil {
		return Outcome{}, err
	}
	doc, err := r.document("the plan", b.plan.JSON())
	if err != nil {
		return Outcome{}, err
	}
	now, before := piton.At(r.now()), run
	defer atWork.hold(before.ID, before.Fence+1)()
	err = r.Keeper.Store.Save(ctx, func(tx store.Tx) error {
		claimed, err := tx.Runs.ClaimRun(ctx, before.ID, before.Fence, redact.Value(r.Owner), now, piton.At(now.Add(r.lease())))
		if err != nil {
			return err
		}
		if claimed.CheckpointID != before.CheckpointID { // its owner lives, and has just saved
			err := taken("resume run "+before.ID, claimed, fmt.Sprintf("process %d%s has just saved it", before.Owner.PID, behind(" on ", before.Owner.Host)))
			if alive, known := Alive(before, r.Owner, r.Alive); known && !alive {
				return landedLate{err}
			}
			return err
		}
		run = g.moved(claimed)
		if g.Key != nil {
			if err := tx.Runs.PutStartKey(ctx, redact.Value(*g.Key)); err != nil {
				return err
			}
		}
		if before.Status != piton.RunQueued {
			err = recovered(ctx, tx, now, run.Project, b.state)
		}
		if err == nil && g.Cancel { // should this process die too
			err = tx.Runs.WishRun(ctx, run.ID, claimed.Fence, piton.WishCancel)
		}
		if err != nil || !b.changed {
			return err
		}
		run.PlanSum = b.plan.Sum()
		return tx.Runs.PutPlan(ctx, run.ID, claimed.Fence, run.PlanSum, doc)
	})
	if err != nil {
		return Outcome{}, r.outrun(ctx, before, err)
	}
	e := newEngine(r, run, b.plan, b.state)
	if g.Cancel || run.Wish == piton.WishCancel { // which its last owner did not live to carry out
		e.Stop = cancelled()
	}
	e.begins = before.Status == piton.RunQueued && b.state.Used.Tries == 0
	return e.goOn(ctx, g)
}

// moved is a run whose steps work where the caller says.
func (g Again) moved(run piton.Run) piton.Run {
	if g.Dir != "" {
		run.Dir, run.PlanFile, run.Host = g.Dir, g.PlanFile, g.Host
	}
	return run
}
