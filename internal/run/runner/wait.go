package runner

import (
	"context"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// halt lets nothing new start but what cleans up; a hard stop ends what runs. A hard
// stop goes before a soft one, else the first one counts; who interrupts ends the cleaning
// up as well.
func (e *engine) halt(s stop) {
	switch {
	case e.stop == nil || s.hard && !e.stop.hard:
		e.stop = &s
	case s.hard && !s.cleans:
		e.stop.cleans = false
	default:
		return
	}
	for i, f := range e.flight {
		if e.stop.hard && !(e.stop.cleans && e.plan.Steps[i].Always()) {
			f.cancel(map[bool]error{true: errCancel, false: errStopped}[e.stop.status == piton.RunCancelled])
		}
	}
}

// overBudget is the stop of a run whose budget is used up.
func (e *engine) overBudget(hard bool) stop {
	cause, why := spent(e.budget(), e.state.Used)
	return stop{status: piton.RunStopped, why: why, hard: hard, cleans: true, cause: cause}
}

// wait waits for the next thing to happen, and takes it in with all else that has
// happened.
func (e *engine) wait(ctx context.Context) error {
	interrupted := ctx.Done()
	if e.stop != nil && e.stop.hard && !e.stop.cleans {
		interrupted = nil
	}
	lost := e.steps.Done()
	if e.stop != nil && e.stop.cause == piton.CauseStoreLost && context.Cause(e.steps) != errLost {
		lost = nil
	}
	wake, spent := e.timers()
	select {
	case d := <-e.ended:
		e.land(d)
		for more := true; more && e.named == nil; { // what ends at once is kept at once
			select {
			case d := <-e.ended:
				e.land(d)
			default:
				more = false
			}
		}
	case q := <-e.noted:
		q.done <- e.note(ctx, q)
	case n := <-e.news:
		return e.told(ctx, n)
	case <-interrupted:
	case <-wake:
	case <-e.cleanedUp():
		e.lateNow()
	case <-spent:
		e.tally()
		e.halt(e.overBudget(true))
	case <-lost:
		if context.Cause(e.steps) == errLost {
			return errLost
		}
		e.stop = &stop{status: piton.RunStopped, why: "the store could not be reached until the lease had run out", hard: true, cause: piton.CauseStoreLost}
	}
	return nil
}

// timers are those of the next try, and of the run's budget of time.
func (e *engine) timers() (wake, spent <-chan time.Time) {
	if !e.wake.IsZero() && e.stop == nil {
		wake = time.After(max(e.wake.Sub(e.now()), time.Millisecond))
	}
	if at := e.spentAt(); !at.IsZero() {
		spent = time.After(time.Until(at))
	}
	return wake, spent
}

// spentAt is when the run's budget of time is used up by what runs; zero for never.
func (e *engine) spentAt() (at time.Time) {
	ends := e.stop != nil && e.stop.hard
	if most := e.budget().Time; most > 0 && len(e.flight) > 0 && e.until.IsZero() && !ends {
		at = e.busy.Add(time.Duration(most) - time.Duration(e.state.Used.WorkMS)*time.Millisecond)
	}
	return at
}

// lateNow ends what still runs after a stop, because its time is over.
func (e *engine) lateNow() {
	e.late = true
	for _, f := range e.flight {
		f.cancel(errCleanUp)
	}
}

// note keeps what an attempt has noted.
func (e *engine) note(ctx context.Context, q noted) error {
	f := e.flight[q.step]
	if f == nil || f.stale {
		return errStopped
	}
	x := &e.state.Plan[q.step]
	e.notes(x, q.note, f)
	if err := e.save(ctx, piton.RunRunning, "", ""); err != nil {
		return err
	}
	if n := q.note; n.Usage != (piton.TokenUsage{}) || n.CostUSD > 0 {
		e.emit(e.filled(Event{Kind: StepSays, Step: x.ID, Attempt: x.Attempt, Usage: n.Usage, CostUSD: n.CostUSD}))
	}
	return nil
}

// told takes in what others have written.
func (e *engine) told(ctx context.Context, n news) error {
	switch {
	case n.err != nil:
		return nil // the lease says when that matters
	case n.run.Fence != e.fence:
		return errLost
	}
	was := e.stop
	switch n.run.Wish {
	case piton.WishNothing: // what a person has taken back
		if e.stop != nil && e.stop.status == piton.RunPaused {
			e.stop = nil
		}
	case piton.WishPause:
		e.halt(stop{status: piton.RunPaused, why: "a person has paused it"})
		for i := range e.flight {
			if e.plan.Steps[i].Action == plan.Child { // until it has heard, with each look
				e.pauseChild(ctx, e.keyOf(i))
			}
		}
	case piton.WishCancel:
		e.halt(*cancelled())
	}
	if e.stop != nil && e.stop != was {
		e.tell(Event{Kind: RunStopping, Message: e.stop.why})
	}
	e.hear(n.answers)
	return nil
}
