package daemon

import (
	"context"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

// keep does what is done again and again, one after another.
func (w *works) keep(ctx context.Context) {
	w.report(ctx)
	done := map[string]last{}
	var file fs.FileInfo
	for ctx.Err() == nil {
		file = w.moved(file)
		ready, wait := due(w.now(), jobs, done)
		for _, j := range ready {
			done[j.name] = w.do(ctx, j, done[j.name])
		}
		if len(ready) > 0 {
			debug.FreeOSMemory() // what a large piece of work has left behind
			continue
		}
		select {
		case <-ctx.Done():
		case <-w.changed():
		case <-time.After(wait):
		}
	}
}

// do does a job once.
func (w *works) do(ctx context.Context, j job, l last) last {
	a := app.New(w.app)
	defer a.Close()
	at, err := j.do(w, ctx, a)
	switch {
	case ctx.Err() != nil:
		return l
	case err != nil:
		w.log.WarnContext(ctx, "a task has failed, and is tried again", "task", j.name, "err", err)
		return l.failed(w.now())
	}
	return last{at: at, wait: j.every}
}

// jobs are all that is done again and again.
var jobs = []job{
	{"carry over", 2 * time.Minute, (*works).carryOver},
	{"prune", 24 * time.Hour, (*works).prune},
	{"limits", time.Minute, (*works).limits},
	{"index", 10 * time.Minute, (*works).index},
}

// carryOver carries what hooks have saved to the shared store.
func (w *works) carryOver(ctx context.Context, a *app.App) (time.Time, error) {
	f, err := a.CarryOver(ctx)
	if f.Copied+f.Completed+f.Deleted > 0 {
		w.log.InfoContext(ctx, "what hooks have saved was carried to the store", "copied", f.Copied, "completed", f.Completed, "deleted", f.Deleted)
	}
	return w.now(), err
}

// limits hears of limits of the API that no hook has told of.
func (w *works) limits(ctx context.Context, a *app.App) (time.Time, error) {
	n, err := a.HearLimits(ctx, "")
	if n > 0 {
		w.log.InfoContext(ctx, "agents wait for the end of a limit, and their work was saved", "sessions", n)
	}
	return w.now(), err
}

// prune prunes the stores, unless a hook or another daemon has done so today.
func (w *works) prune(ctx context.Context, a *app.App) (time.Time, error) {
	p, err := a.PruneDaily(ctx)
	if x := p.Pruning; x != nil {
		w.log.InfoContext(ctx, "the daily pruning", "deleted", x.Deleted, "archived", x.Archived, "freed_bytes", x.FreedBytes, "left", x.Left)
	}
	return p.At.Time, err
}

// index brings the search index up to date, so that a search seldom has to.
func (w *works) index(ctx context.Context, a *app.App) (time.Time, error) {
	return w.now(), a.Index(ctx)
}

// report says at the start what was left unfinished.
func (w *works) report(ctx context.Context) {
	a := app.New(w.app)
	defer a.Close()
	if open, names, err := a.OpenWork(ctx); err != nil {
		w.log.WarnContext(ctx, "the stores cannot be read", "err", err)
	} else if open > 0 {
		w.log.InfoContext(ctx, "work was left unfinished", "workflows", open, "projects", names, "hint", "in the folder of one: piton list --open")
	}
}

// moved notices that the local file is another one than before: it was repaired or
// restored. Who has it open must not write to the old one.
func (w *works) moved(was fs.FileInfo) fs.FileInfo {
	a := app.New(w.app)
	defer a.Close()
	path, err := a.LocalPath()
	if err != nil {
		return was
	}
	is, err := os.Stat(path)
	if err != nil {
		return was
	}
	if was != nil && !os.SameFile(was, is) {
		w.log.Warn("the local store is another file than before", "file", path)
		w.renew()
	}
	return is
}

// lettersAgain is when carrying begins again after it had to end.
const lettersAgain = 10 * time.Second

// carry carries letters.
func (w *works) carry(ctx context.Context) {
	for w.generation(ctx, func(ctx context.Context) {
		for ctx.Err() == nil {
			if err := w.letters(ctx); err != nil && ctx.Err() == nil && piton.CodeOf(err) != piton.NotFound {
				w.log.WarnContext(ctx, "letters cannot be carried, and it is tried again", "err", err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(lettersAgain):
			}
		}
	}) {
	}
}

func (w *works) letters(ctx context.Context) error {
	a := app.New(w.app)
	defer a.Close()
	return a.CarryLetters(ctx)
}

// job is work that is done again and again.
type job struct {
	name  string
	every time.Duration
	do    func(*works, context.Context, *app.App) (time.Time, error) // when it was done last
}

// last is what is known of a job's last time.
type last struct {
	at       time.Time     // when it was done, or failed
	wait     time.Duration // until the next time
	failures int           // in a row
}

// Waits after a failure: the first one, doubled each time up to the second.
const (
	firstRetry = time.Minute
	lastRetry  = time.Hour
)

// failed is a job's last time where it fails now.
func (l last) failed(now time.Time) last {
	return last{now, min(firstRetry<<min(l.failures, 10), lastRetry), l.failures + 1}
}

// longestWait is how long the schedule sleeps at most. Timers stand still while the
// machine sleeps, and the wall clock does not.
const longestWait = time.Minute

// due says which jobs are to be done now, and how long to wait before the next look. A
// pure function of the wall clock and of what was done: a machine that has slept, or
// was off, does once what it has missed. A time that is yet to come is that of a clock
// that was set back: the job is due.
func due(now time.Time, all []job, done map[string]last) (ready []job, wait time.Duration) {
	now, wait = now.Round(0), longestWait
	for _, j := range all {
		l := done[j.name]
		left := l.at.Add(l.wait).Sub(now)
		if left <= 0 || l.at.After(now) {
			ready = append(ready, j)
		} else {
			wait = min(wait, left)
		}
	}
	return ready, wait
}
