package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/planruns"
)

// How often is looked for runs that nobody works on, and, where some wait for a
// person, for answers.
const (
	lookForDead    = 15 * time.Second
	lookForAnswers = 2 * time.Second
)

// attend goes on with the runs that nobody works on, as far as they go on by
// themselves, and tells of the others once.
func (w *works) attend(ctx context.Context, r *runs) {
	told := map[string]bool{}
	var once sync.Once
	tried := readTries(w.app.Home)
	for w.generation(ctx, func(ctx context.Context) {
		a := app.New(w.app)
		defer a.Close()
		for {
			wait := w.lookAfter(ctx, a, r, tried, told)
			once.Do(func() { close(r.looked) })
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
	asked, left := r.queuings(), 0
	list, err := a.Unattended(ctx)
	if err != nil {
		if ctx.Err() == nil {
			w.log.WarnContext(ctx, "unfinished runs cannot be looked for", "err", err)
		}
		return lookForDead
	}
	wait := lookForDead
	if list.Waiting > 0 {
		wait = lookForAnswers
	}
	tried.forget(list.Runs, piton.At(w.now()))
	for _, x := range list.Runs {
		id := x.Run.ID
		if !x.GoesOn {
			w.offer(x, told)
			continue
		}
		at, again := tried.due(x, piton.At(w.now()))
		switch left := at.Sub(w.now()); {
		case !again:
			x.Why += "; the daemon has tried it several times without any progress"
			w.offer(x, told)
			continue
		case left > 0:
			wait = min(wait, left)
			continue
		}
		if r.enter(id) != nil {
			if x.Run.Status == piton.RunQueued {
				left++
			}
			continue // as many as it may work on already, or about to end
		}
		if err := tried.note(x, piton.At(w.now())); err != nil {
			// Without the note it could be tried again and again.
			w.log.WarnContext(ctx, "a run is not continued: that it is tried cannot be noted", "run", id, "err", err)
			r.leave(id)
			continue
		}
		w.log.InfoContext(ctx, "the run goes on", "run", id, "why", x.Why, "done", x.Run.Done, "of", x.Run.Total)
		go r.carryOut(id, r.in(x.Run.Dir), planruns.RunRequest{Ref: id, RunRequest: piton.RunRequest{Resume: true}}, make(chan answer, 1))
	}
	r.counted(asked, left)
	return wait
}

// offer tells once of a run that waits for a person to go on with it.
func (w *works) offer(x planruns.Unattended, told map[string]bool) {
	if told[x.Run.ID] {
		return
	}
	told[x.Run.ID] = true
	w.log.Warn("a run is unfinished, and waits for a person", "run", x.Run.ID, "workflow", x.Run.Workflow, "why", x.Why, "hint", "piton run --resume "+x.Run.ID)
}
