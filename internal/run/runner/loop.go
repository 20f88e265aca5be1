package runner

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

// work goes through the plan until nothing more can be done. When it returns no
// step runs any more, and none of its goroutines.
func (e *engine) work(ctx context.Context) (Outcome, error) {
	if e.Hands != nil {
		return e.turn(ctx)
	}
	e.steps, e.end = context.WithCancelCause(context.WithoutCancel(ctx))
	defer e.end(nil)
	beside, over := context.WithCancel(context.WithoutCancel(ctx))
	var others sync.WaitGroup
	defer others.Wait()
	defer over()
	e.unsaved = true
	for begun := false; ; begun = true {
		if ctx.Err() != nil {
			e.interrupt(context.Cause(ctx))
		}
		done, err := e.advance(ctx)
		if err == nil && !done {
			if !begun {
				others.Go(func() { e.renew(beside) })
				others.Go(func() { e.watch(beside) })
			}
			err = e.wait(ctx)
		}
		if err != nil {
			return e.outcome(), e.abandon(err)
		}
		if done {
			return e.outcome(), nil
		}
	}
}

// turn decides what comes next, keeps it, and says what is to be carried out.
func (e *engine) turn(ctx context.Context) (Outcome, error) {
	if e.steps == nil { // the run has just been resumed
		e.steps, e.end = context.WithCancelCause(context.WithoutCancel(ctx))
		defer e.end(nil)
		e.unsaved = true
	}
	e.unsaved = e.unsaved || e.mild
	done, err := e.advance(ctx)
	if err != nil {
		return e.outcome(), err
	}
	e.handOver(done)
	return e.outcome(), nil
}

// interrupt ends what runs because the caller wants it, and says so where that takes
// time.
func (e *engine) interrupt(by error) {
	was, why, cause := e.Stop, "interrupted", piton.CauseInterrupted
	if !errors.Is(by, context.Canceled) { // the caller says why
		why = by.Error()
	}
	if why == HandedOver {
		cause = piton.CauseHandedOver
	}
	e.halt(Stopping{Status: piton.RunStopped, Why: why, Hard: true, Cause: cause})
	if e.Stop != was && len(e.flight) > 0 {
		e.tell(Event{Kind: RunStopping, Message: why})
	}
}

// advance decides what comes next, keeps it, and begins it. done: the run is over
// for now.
func (e *engine) advance(ctx context.Context) (done bool, err error) {
	e.ask()
	calls := map[int]action.Call{}
	n := e.decide(calls)
	if n.Over && n.Status == piton.RunWaiting && e.Stop == nil {
		waited := e.state.number(Waiting)
		e.hearNow()
		if e.state.number(Waiting) < waited {
			return e.advance(ctx)
		}
	}
	e.waits.Store(e.state.number(Waiting) > 0)
	status, why, cause := e.status(n, len(calls))
	if status != piton.RunRunning {
		e.tell(Event{Kind: RunEnded, Message: string(status)})
	}
	if e.unsaved || status != piton.RunRunning {
		err := e.save(ctx, status, why, cause)
		if errors.Is(err, errCancelled) {
			e.Stop = cancelled()
			e.pending = slices.DeleteFunc(e.pending, func(ev Event) bool { return ev.Kind == RunEnded })
			e.tell(Event{Kind: RunStopping, Message: e.Stop.Why})
			return e.advance(ctx)
		}
		if err != nil {
			return false, err
		}
	}
	e.flush("")
	if status != piton.RunRunning {
		e.takeBack()
		return true, nil
	}
	for _, i := range slices.Sorted(maps.Keys(calls)) {
		e.emit(e.filled(Event{Kind: StepStarted, Step: calls[i].Step, Attempt: calls[i].Attempt, Message: e.state.Plan[i].Description}))
		e.launch(i, calls[i])
	}
	e.tally()
	return false, nil
}

// decide applies the schedule: it skips what is to be skipped, and marks what
// begins, until nothing is left to decide.
func (e *engine) decide(calls map[int]action.Call) schedule {
	for {
		n := next(e.plan, e.state, e.now(), e.condition)
		e.state = n.State
		for _, i := range n.Changed {
			e.skipped(i)
		}
		if e.Stop == nil && e.moves(n) {
			continue
		}
		e.wake = n.Wake
		start := n.Start
		if e.Stop != nil || n.Over && n.Status == piton.RunInDoubt {
			start = e.cleanUps(calls)
		}
		if e.Hands != nil && e.Hands.rest {
			start = nil
		}
		if !e.admit(start, calls) {
			return n
		}
	}
}

// skipped tells of a step that the schedule has ended.
func (e *engine) skipped(i int) {
	x := &e.state.Plan[i]
	if x.Status == Failed {
		e.fail(i, e.clean(x.Reason), piton.CauseStepFailed, Ended{})
		return
	}
	x.Reason, x.EndedAt = e.clean(x.Reason), piton.At(e.now())
	e.tell(Event{Kind: StepSkipped, Step: x.ID, Message: x.Reason})
}

// admit marks the steps that begin, and makes their calls. It reports whether a
// step could not begin, so that there is something to decide again.
func (e *engine) admit(start []int, calls map[int]action.Call) (again bool) {
	if len(start) == 0 {
		return false
	}
	r := e.resolver()
	for _, i := range start {
		if cause, _ := spent(e.budget(), e.state.Used); cause != "" && e.Until.IsZero() {
			e.halt(e.overBudget(false))
			return true
		}
		s, x := e.plan.Steps[i], &e.state.Plan[i]
		if _, used := spent(s.Budget, x.Used); used != "" {
			e.fail(i, used, piton.CauseStepBudget, Ended{})
			again = true
			continue
		}
		c, err := e.calls(i, r)
		if err != nil {
			e.fail(i, e.clean(err.Error()), piton.CauseStepFailed, Ended{})
			again = true
			continue
		}
		e.anew(i)
		e.mark(i)
		calls[i] = c
		effect := e.Effect(s)
		e.unsaved = e.unsaved || effect == plan.Once || effect != plan.Pure && !e.noAuto
	}
	return again
}

// status is how the run stands after a schedule, and why it does not go on.
func (e *engine) status(n schedule, begin int) (piton.RunStatus, string, piton.RunCause) {
	switch {
	case begin > 0, e.Stop != nil && len(e.flight) > 0:
		return piton.RunRunning, "", ""
	case n.Over && n.Status == piton.RunCompleted:
		return n.Status, "", ""
	case e.Stop != nil:
		return e.Stop.Status, e.Stop.Why, e.Stop.Cause
	case n.Idle && e.Hands == nil && e.givesBack():
		return piton.RunWaiting, e.doing(), ""
	case !n.Over || n.Status == piton.RunWaiting && e.waitPerson:
		return piton.RunRunning, "", ""
	}
	return n.Status, n.Error, n.Cause
}

// patience is how long steps are waited for that are ended because the run is lost.
const patience = 10 * time.Second

// abandon ends all steps of a run that cannot be kept any more, and writes nothing.
func (e *engine) abandon(err error) error {
	if e.starting != nil {
		return err // it has not begun
	}
	lost := errors.Is(err, errLost) || piton.CodeOf(err) == piton.Conflict
	if lost {
		e.end(errLost)
	}
	e.end(errStore)
	limit := time.After(patience)
	for len(e.flight) > 0 {
		select {
		case d := <-e.ended:
			delete(e.flight, e.state.step(d.Step))
		case q := <-e.noted:
			q.done <- errLost
		case <-limit:
			e.log().Warn("steps of a lost run did not end in time", "run", e.id)
			clear(e.flight)
		}
	}
	if lost {
		return piton.Errorf(piton.Conflict, "keep run "+e.id, "'runs show "+e.id+"' says who has it now", "another process has taken the run over, or a person has ended it; this one has stopped its steps")
	}
	return err
}

func (e *engine) outcome() Outcome {
	return Outcome{
		Success: e.run.Status == piton.RunCompleted, RunID: e.id, Run: e.run, State: e.state, Error: e.run.Error,
		Recovered: kept(e.before, e.state),
	}
}

// givesBack tells whether a daemon's run that only waits is given back until its time has
// come, so that others have its place.
func (e *engine) givesBack() bool {
	return e.state.Daemon != "" && e.wake.Sub(e.now()) > maxWaitInPlace
}

// maxWaitInPlace is how long a daemon's run keeps its place while it only waits.
const maxWaitInPlace = time.Minute
