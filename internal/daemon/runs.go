package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/api"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
)

// maxQueued bounds how many runs wait for their turn.
const maxQueued = 10_000

// runs are the runs that this daemon works on.
type runs struct {
	app caller.Options
	log *slog.Logger

	all    context.Context // of all of them
	giveUp func()
	ended  chan struct{} // one of them has ended, for now
	// tell hears what happens in a run that no request has begun; nil: nobody does.
	tell func(planruns.RunEvent)
	// left hears that a run is not worked on any more, also after a panic; nil: nobody does.
	left func(id string)

	mu     sync.Mutex
	work   sync.WaitGroup
	at     map[string]bool // those that are worked on, by their ids
	queued int             // runs that wait for their turn, as far as is known
	over   bool            // none is begun any more
}

var _ api.Runs = (*runs)(nil)

// newRuns returns the runs of a daemon. They end when giveUp is called and not with
// ctx, so that each can be saved.
func newRuns(ctx context.Context, w *works) *runs {
	all, end := context.WithCancelCause(context.WithoutCancel(ctx))
	r := &runs{app: w.app, log: w.log, all: all, at: map[string]bool{}, ended: make(chan struct{}, 1)}
	r.giveUp = func() {
		r.mu.Lock()
		r.over = true
		r.mu.Unlock()
		end(planruns.ErrDaemonStopped)
	}
	return r
}

// errFull: the daemon works on as many runs as it may (serve.runs). Runs that wait for a
// person are not among them.
var errFull = errors.New("the daemon works on as many runs as it may at once")

// Start implements api.Runs: a run is queued, and begins when it is its turn. Unavailable
// where too many are, or the daemon is about to end. What is a person's to say of a run is
// not taken from a request.
func (r *runs) Start(ctx context.Context, dir string, q planruns.RunRequest) (string, error) {
	if err := r.admit(); err != nil {
		return "", err
	}
	defer r.poke()
	o := r.in(dir)
	o.Remote = true
	a := app.New(o)
	defer a.Close()
	a.NoSession()
	q.Daemon, q.Queue, q.Wait, q.Ask, q.Accept = true, true, false, nil, nil
	x, err := a.Run(context.WithoutCancel(ctx), q)
	return x.RunID, err
}

// admit counts one more run that waits; where nothing is queued then, the next look counts
// anew.
func (r *runs) admit() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return errOver
	}
	if r.queued >= maxQueued {
		return piton.Errorf(piton.Unavailable, "queue a run", "try again when some have ended; 'runs list open' shows them", "%d runs wait for their turn", maxQueued)
	}
	r.queued++
	return nil
}

var errOver = piton.Errorf(piton.Unavailable, "work on a run", "try again when it runs again", "the daemon is about to end")

// room is how many runs may be queued.
func (r *runs) room() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maxQueued - r.queued
}

// in is how the application is opened for a run of a folder.
func (r *runs) in(dir string) caller.Options {
	o := r.app
	o.Dir = dir
	return o
}

// counted takes over how many queued runs a look has left.
func (r *runs) counted(left int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queued = left
}

// poke has runs that may go on be looked for.
func (r *runs) poke() {
	select {
	case r.ended <- struct{}{}:
	default:
	}
}

// enter makes room for one more run, by the settings of the moment. It is errFull where there
// is none, and Conflict for one that is worked on.
func (r *runs) enter(id string) error {
	a := app.New(r.app)
	width := a.RunWidth()
	a.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.over:
		return errOver
	case r.at[id]:
		return piton.Errorf(piton.Conflict, "work on a run", "'runs show "+id+"' shows how it stands", "the daemon works on %s already", id)
	case len(r.at) >= width:
		return errFull
	}
	r.work.Add(1)
	r.at[id] = true
	return nil
}

// worksOn tells whether a run has entered and not left.
func (r *runs) worksOn(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at[id]
}

// leave makes the room free again.
func (r *runs) leave(id string) {
	r.mu.Lock()
	delete(r.at, id)
	r.mu.Unlock()
	r.work.Done()
	r.poke()
}

// carryOut works on a run that has entered until nothing more can be done. A panic ends this
// run and no other.
func (r *runs) carryOut(id, dir string) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("the work on a run has panicked", "run", id, "err", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
		if r.left != nil {
			r.left(id)
		}
		r.leave(id)
	}()
	a := app.New(r.in(dir))
	defer a.Close()
	a.NoSession()
	x, err := a.Run(r.all, planruns.RunRequest{Ref: id, RunRequest: piton.RunRequest{Resume: true}, Daemon: true, Events: r.tell})
	if errors.Is(err, context.Canceled) {
		err = planruns.ErrDaemonStopped
	}
	if err != nil {
		r.log.Warn("a run could not be worked on", "run", id, "dir", dir, "err", err)
		return
	}
	r.log.Info("a run has ended, for now", "run", x.RunID, "status", x.Status, "err", x.Error)
}
