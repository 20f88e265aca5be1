package runner

import (
	"context"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// renew renews the run's lease until ctx is done. It measures by the monotonic
// clock, so a wall clock that is set, or a process that was stopped for a while,
// does not mislead it. A renewal that is refused ends all steps at once. Where the
// store cannot be reached steps go on until the lease has run out, because from
// then on another machine may take the run.
func (e *engine) renew(ctx context.Context) {
	renewed, wait := time.Now(), e.lease()/3
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		err := e.renewOnce(ctx, e.lease()-time.Since(renewed))
		wait = e.lease() / 3
		switch code := piton.CodeOf(err); {
		case err == nil:
			renewed = time.Now()
		case ctx.Err() != nil:
			return
		case code == piton.Conflict || code == piton.NotFound:
			e.end(errLost)
			return
		case time.Since(renewed) > e.lease():
			e.log().WarnContext(ctx, "the run's lease could not be renewed", "err", err)
			e.end(errStore)
			return
		default:
			wait = e.lease() / 20
		}
	}
}

// renewOnce renews the lease, for as long as it lasts and a third more: a store that
// hangs must not keep steps at work which another machine begins again.
func (e *engine) renewOnce(ctx context.Context, left time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(left, e.lease()/3))
	defer cancel()
	return e.Keeper.Store.Save(ctx, func(tx store.Tx) error {
		_, err := tx.Runs.RenewRun(ctx, e.id, e.fence, piton.At(e.now().Add(e.lease())))
		return err
	})
}

// watch looks for what people want of the run until ctx is done.
func (e *engine) watch(ctx context.Context) {
	tick := time.NewTicker(e.poll())
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		n := e.look(ctx)
		select {
		case e.news <- n:
		case <-ctx.Done():
			return
		}
	}
}

// look reads the run's row, and the answers where a step waits for one.
func (e *engine) look(ctx context.Context) (n news) {
	if n.run, n.err = e.Keeper.Store.Runs().Run(ctx, e.id); n.err == nil && e.waits.Load() {
		n.answers, n.err = e.Keeper.Store.Runs().Answers(ctx, e.id)
	}
	return n
}
