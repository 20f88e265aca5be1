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
func (e *engine) halt(s Stopping) {
	switch {
	case e.Stop == nil || s.Hard && !e.Stop.Hard:
		e.Stop = &s
	case s.Hard && !s.Cleans:
		e.Stop.Cleans = false
	default:
		return
	}
	for i, f := range e.flight {
		if e.Stop.Hard && !(e.Stop.Cleans && e.plan.Steps[i].Always()) {
			f.cancel(map[bool]error{true: errCancel, false: errStopped}[e.Stop.Status == piton.RunCancelled])
		}
	}
}

// overBudget is the stop of a run whose budget is used up.
func (e *engine) overBudget(hard bool) Stopping {
	cause, why := spent(e.budget(), e.state.Used)
	return Stopping{Status: piton.RunStopped, Why: why, Hard: hard, Cleans: true, Cause: cause}
}

// wait waits for the next thing to happen, and takes it in with all else that has
// happened.
func (e *engine) wait(ctx context.Context) error {
	interrupted := ctx.Done()
	if e.Stop != nil && e.Stop.Hard && !e.Stop.Cleans {
		interrupted = nil
	}
	lost := e.steps.Done()
	if e.Stop != nil && e.Stop.Cause == piton.CauseStoreLost && context.Cause(e.steps) != errLost {
		lost = nil
	}
	var wake <-chan time.Time
	if in := e.wakes(); in > 0 {
		wake = time.After(in)
	}
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
		e.passed()
	case <-lost:
		if context.Cause(e.steps) == errLost {
			return errLost
		}
		e.Stop = &Stopping{Status: piton.RunStopped, Why: "the store could not be reached until the lease had run out", Hard: true, Cause: piton.CauseStoreLost}
	}
	return nil
}

// wakes is how long it is until time alone brings something on: the next try, or the end of
// what a budget or the cleaning up may take; 0 for never.
func (e *engine) wakes() (least time.Duration) {
	sooner := func(at, now time.Time) {
		if in := max(at.Sub(now), time.Millisecond); !at.IsZero() && (least == 0 || in < least) {
			least = in
		}
	}
	sooner(e.spentAt(), time.Now())
	if e.Stop == nil {
		sooner(e.wake, e.now())
	}
	if !e.Late {
		sooner(e.Until, e.now())
	}
	return least
}

// spentAt is when the run's budget of time is used up by what runs; zero for never.
func (e *engine) spentAt() (at time.Time) {
	ends := e.Stop != nil && e.Stop.Hard
	if most := e.budget().Time; most > 0 && len(e.flight) > 0 && e.Until.IsZero() && !ends {
		at = e.Busy.Add(time.Duration(most) - time.Duration(e.state.Used.WorkMS)*time.Millisecond)
	}
	return at
}

// passed ends what runs whose time is over: that of the budget, or of the steps that run after
// a stop.
func (e *engine) passed() {
	if at := e.spentAt(); !at.IsZero() && !time.Now().Before(at) {
		e.tally()
		e.halt(e.overBudget(true))
	}
	if !e.Until.IsZero() && !e.Late && !e.now().Before(e.Until) {
		e.Late = true
		for _, f := range e.flight {
			f.cancel(errCleanUp)
		}
	}
}

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

func (e *engine) told(ctx context.Context, n news) error {
	switch {
	case n.err != nil:
		return nil // the lease says when that matters
	case n.run.Fence != e.fence:
		return errLost
	}
	was := e.Stop
	switch n.run.Wish {
	case piton.WishNothing: // what a person has taken back
		if e.Stop != nil && e.Stop.Status == piton.RunPaused {
			e.Stop = nil
		}
	case piton.WishPause:
		e.halt(Stopping{Status: piton.RunPaused, Why: "a person has paused it"})
		for i := range e.flight {
			if e.plan.Steps[i].Action == plan.Child { // until it has heard, with each look
				e.pauseChild(ctx, e.keyOf(i))
			}
		}
	case piton.WishCancel:
		e.halt(*cancelled())
	}
	if e.Stop != nil && e.Stop != was {
		e.tell(Event{Kind: RunStopping, Message: e.Stop.Why})
	}
	e.hear(n.answers)
	return nil
}
