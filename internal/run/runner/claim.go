package runner

import (
	"context"
	"time"

	"github.com/piton-project/piton"
)

// claimable is the run's row when it may be taken over; Conflict says who has it.
func (r *Runner) claimable(ctx context.Context, run piton.Run, g Again) (piton.Run, error) {
	if g.TakeBack && run.Owner.Host == EngineHost {
		return run, nil
	}
	op := "resume run " + run.ID
	for seen := (piton.Time{}); ; {
		alive, known := Alive(run, r.Owner, r.Alive)
		c := mayTake(run, alive, known, r.now(), r.lease())
		switch {
		case c.Take || c.Watch && run.LeaseUntil == seen:
			return run, nil
		case !c.Watch || !seen.IsZero():
			return run, taken(op, run, c.Why)
		}
		// The lease ends later than one made now would. Its owner renews it three times
		// in a lease, if there still is one.
		seen = run.LeaseUntil
		select {
		case <-time.After(r.lease()):
		case <-ctx.Done():
			return run, ctx.Err()
		}
		var err error
		if run, err = r.Keeper.Store.Runs().Run(ctx, run.ID); err != nil {
			return run, err
		}
	}
}

// outrun is the error of a claim that failed: where another one was faster, it names
// that one.
func (r *Runner) outrun(ctx context.Context, before piton.Run, err error) error {
	if piton.CodeOf(err) != piton.Conflict {
		return err
	}
	now, errRead := r.Keeper.Store.Runs().Run(ctx, before.ID)
	if errRead != nil || now.Fence == before.Fence {
		return err
	}
	op := "resume run " + now.ID
	alive, known := Alive(now, r.Owner, r.Alive)
	if c := mayTake(now, alive, known, r.now(), r.lease()); !c.Take {
		return taken(op, now, c.Why)
	}
	if err := over(now); err != nil {
		return err
	}
	return piton.Errorf(piton.Conflict, op, "'runs show "+now.ID+"' shows how it stands; 'run resume "+now.ID+"' continues it", "another process has worked on it a moment ago")
}
