package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/planruns"
)

const (
	// lookAgain is how often is looked for runs that nobody works on, and for schedules that
	// wait for a run, or are new; lookForAnswers, where runs wait for a person.
	lookAgain      = 15 * time.Second
	lookForAnswers = 2 * time.Second
	// reckonEvery is how often it is computed anew when schedules are due: the wall clock
	// may have been set.
	reckonEvery = time.Hour
	// maxFired bounds how many runs of schedules are queued before others are looked after.
	maxFired = 100
)

// attend goes on with the runs that nobody works on, as far as they go on by
// themselves, and tells of the others once.
func (w *works) attend(ctx context.Context, r *runs) {
	told := map[string]bool{}
	tried := readTries(w.app.Home)
	for w.generation(ctx, func(ctx context.Context) {
		a := app.New(w.app)
		defer a.Close()
		var clock clock
		for {
			wait := clock.fire(ctx, w, a, r)
			wait = min(wait, w.lookAfter(ctx, a, r, tried, told))
			select {
			case <-ctx.Done():
				return
			case <-r.ended:
			case <-time.After(wait):
			}
		}
	}) {
	}
}

// lookAfter looks once, and says when to look again.
func (w *works) lookAfter(ctx context.Context, a *app.App, r *runs, tried *tries, told map[string]bool) time.Duration {
	list, err := a.Unattended(ctx)
	if err != nil {
		if ctx.Err() == nil {
			w.log.WarnContext(ctx, "unfinished runs cannot be looked for", "err", err)
		}
		return lookAgain
	}
	l := &look{works: w, runs: r, tried: tried, told: told, wait: lookAgain}
	if list.Waiting > 0 {
		l.wait = lookForAnswers
	}
	tried.forget(list.Runs, piton.At(w.now()))
	for _, x := range list.Runs {
		_ = l.takeUp(ctx, x)
	}
	left := list.Queue.Begin(ctx, func(x planruns.Unattended) (works, more bool) {
		err := l.takeUp(ctx, x)
		works = err == nil || r.worksOn(x.Run.ID) // since an earlier look, though its row does not say so yet
		return works, works || !errors.Is(err, errFull)
	})
	r.counted(left)
	return l.wait
}

// look is one look at the runs that nobody works on.
type look struct {
	*works
	runs  *runs
	tried *tries
	told  map[string]bool
	wait  time.Duration // until the next one
}

var errNotNow = errors.New("it is not its time")

// takeUp goes on with a run, if that is to be now.
func (l *look) takeUp(ctx context.Context, x planruns.Unattended) error {
	id := x.Run.ID
	if !x.GoesOn {
		l.offer(x, l.told)
		return errNotNow
	}
	at, again := l.tried.due(x, piton.At(l.now()))
	switch left := at.Sub(l.now()); {
	case !again:
		x.Why += "; the daemon has tried it several times without any progress"
		l.offer(x, l.told)
		return errNotNow
	case left > 0:
		l.wait = min(l.wait, left)
		return errNotNow
	}
	if err := l.runs.enter(id); err != nil {
		return err // as many as it may work on already, or about to end
	}
	if err := l.tried.note(x, piton.At(l.now())); err != nil {
		// Without the note it could be tried again and again.
		l.log.WarnContext(ctx, "a run is not continued: that it is tried cannot be noted", "run", id, "err", err)
		l.runs.leave(id)
		return errNotNow
	}
	l.log.InfoContext(ctx, "the run goes on", "run", id, "why", x.Why, "done", x.Run.Done, "of", x.Run.Total)
	go l.runs.carryOut(id, x.Run.Dir)
	return nil
}

// offer tells once of a run that waits for a person to go on with it.
func (w *works) offer(x planruns.Unattended, told map[string]bool) {
	if told[x.Run.ID] {
		return
	}
	told[x.Run.ID] = true
	w.log.Warn("a run is unfinished, and waits for a person", "run", x.Run.ID, "workflow", x.Run.Workflow, "why", x.Why, "hint", "piton run --resume "+x.Run.ID)
}

// clock begins the runs of schedules.
type clock struct{ reckoned time.Time }

// fire looks once at the schedules, and says when to look again.
func (c *clock) fire(ctx context.Context, w *works, a *app.App, r *runs) time.Duration {
	now := w.now()
	since := now.Sub(c.reckoned)
	anew := since < 0 || since >= reckonEvery
	next, more, err := a.FireSchedules(ctx, anew, min(maxFired, r.room()))
	if anew && err == nil && !more {
		c.reckoned = now
	}
	switch {
	case err != nil:
		if ctx.Err() == nil {
			w.log.WarnContext(ctx, "schedules cannot be looked at", "err", err)
		}
	case more && r.room() > 0:
		return 0
	case !next.IsZero():
		return max(0, min(lookAgain, next.Sub(w.now())))
	}
	return lookAgain
}
