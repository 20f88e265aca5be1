package runner

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// childScope is what the key of a step's run is unique in.
const childScope = "step"

// childOf is the run that was begun under a step's key.
func (r *Runner) childOf(ctx context.Context, key string) (run piton.Run, known bool, err error) {
	k, err := r.Keeper.Store.Runs().StartKey(ctx, childScope, key)
	if piton.CodeOf(err) == piton.NotFound {
		return run, false, nil
	}
	if err == nil {
		run, err = r.Keeper.Store.Runs().Run(ctx, k.Ref)
	}
	return run, true, err
}

// pauseChild asks the owner of the run that was begun under a step's key to pause it. One that
// has not begun, or that cannot be asked now, is asked at the next look.
func (r *Runner) pauseChild(ctx context.Context, key string) {
	run, known, err := r.childOf(ctx, key)
	if err == nil && known && run.Status == piton.RunRunning && run.Wish == piton.WishNothing {
		err = r.wish(ctx, run, piton.WishPause)
	}
	if err != nil {
		r.log().WarnContext(ctx, "the run of a step cannot be paused yet", "run", run.ID, "err", err)
	}
}

// wish asks the owner of a run, this process, for something.
func (r *Runner) wish(ctx context.Context, run piton.Run, w piton.RunWish) error {
	return r.Keeper.Store.Save(ctx, func(tx store.Tx) error { return tx.Runs.WishRun(ctx, run.ID, run.Fence, w) })
}
