package daemon

import (
	"cmp"
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
	at     map[string]bool // by id, where that is known
	number int
	queued int  // runs that wait for their turn, as far as is known: a new one waits behind them
	asked  int  // how often one was queued
	over   bool // none is begun any more
	// looked is closed when the store was looked through for queued runs; nil: nobody looks.
	looked chan struct{}
}

var _ api.Runs = (*runs)(nil)

// newRuns returns the runs of a daemon. They end when giveUp is called and not with
// ctx, so that each can be saved.
func newRuns(ctx context.Context, w *works) *runs {
	all, end := context.WithCancelCause(context.WithoutCancel(ctx))
	r := &runs{app: w.app, log: w.log, all: all, at: map[string]bool{}, ended: make(chan struct{}, 1), looked: make(chan struct{})}
	r.giveUp = func() {
		r.mu.Lock()
		r.over = true
		r.mu.Unlock()
		end(planruns.ErrDaemonStopped)
	}
	return r
}

// wait returns when no run is worked on.
func (r *runs) wait() { r.work.Wait() }

// errFull: the daemon works on as many runs as it may (serve.runs). Runs that wait for a
// person are not among them.
var errFull = errors.New("the daemon works on as many runs as it may at once")

// Start implements api.Runs. Where the daemon works on as many runs as it may, a new one
// is queued. Unavailable where too many are, or the daemon is about to end.
func (r *runs) Start(ctx context.Context, dir string, q planruns.RunRequest) (string, error) {
	select {
	case <-r.looked:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if r.bounded(ctx, dir, q) {
		return r.queue(ctx, dir, q)
	}
	err := r.enter("")
	if errors.Is(err, errFull) {
		return r.queue(ctx, dir, q)
	}
	if err != nil {
		return "", err
	}
	begun := make(chan answer, 1)
	go r.carryOut("", r.remote(dir), q, begun)
	select {
	case x := <-begun:
		return x.id, x.err
	case <-ctx.Done(): // who has asked is gone; the run goes on
		return "", ctx.Err()
	}
}

// bounded tells whether a run may have to wait for another one of its plan or project.
func (r *runs) bounded(ctx context.Context, dir string, q planruns.RunRequest) bool {
	a := app.New(r.remote(dir))
	defer a.Close()
	return a.Bounded(ctx, q)
}

// room is how many runs may be queued.
func (r *runs) room() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maxQueued - r.queued
}

// queue keeps a run in the store until it is its turn.
func (r *runs) queue(ctx context.Context, dir string, q planruns.RunRequest) (string, error) {
	r.mu.Lock()
	full := r.queued >= maxQueued
	r.queued, r.asked = r.queued+1, r.asked+1
	r.mu.Unlock()
	defer r.poke() // one may have ended meanwhile; and what was not queued is to be counted anew
	if full {
		return "", piton.Errorf(piton.Unavailable, "queue a run", "try again when some have ended; 'runs list open' shows them", "%d runs wait for their turn", maxQueued)
	}
	a := app.New(r.remote(dir))
	defer a.Close()
	a.NoSession()
	q.Daemon, q.Queue, q.Wait, q.Ask, q.Accept = true, true, false, nil, nil
	x, err := a.Run(context.WithoutCancel(ctx), q)
	return x.RunID, err
}

// in is how the application is opened for a run of a folder, remote for one that a
// request has asked for: what is a person's to say is not taken from there.
func (r *runs) in(dir string) caller.Options {
	o := r.app
	o.Dir = dir
	return o
}

func (r *runs) remote(dir string) caller.Options {
	o := r.in(dir)
	o.Remote = true
	return o
}

// counted takes over how many queued runs a look has left, unless one was queued since.
func (r *runs) counted(asked, left int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked == asked {
		r.queued = left
	}
}

// queuings is how often a run was queued.
func (r *runs) queuings() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

// width is how many runs may be worked on at once, by the settings of the moment.
func (r *runs) width() int {
	a := app.New(r.app)
	defer a.Close()
	return a.RunWidth()
}

// poke has runs that may go on be looked for.
func (r *runs) poke() {
	select {
	case r.ended <- struct{}{}:
	default:
	}
}

// answer is how a run has begun.
type answer struct {
	id  string
	err error
}

// enter makes room for one more run; a new one, without an id, waits behind those that
// are queued. It is errFull where there is none, and Conflict for one that is worked on.
func (r *runs) enter(id string) error {
	const op = "work on a run"
	width := r.width()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.over:
		return piton.Errorf(piton.Unavailable, op, "try again when it runs again", "the daemon is about to end")
	case r.at[id]:
		return piton.Errorf(piton.Conflict, op, "'runs show "+id+"' shows how it stands", "the daemon works on %s already", id)
	case r.number >= width || id == "" && r.queued > 0:
		return errFull
	}
	r.number++
	r.work.Add(1)
	if id != "" {
		r.at[id] = true
	}
	return nil
}

// leave makes the room free again.
func (r *runs) leave(id string) {
	r.mu.Lock()
	r.number--
	delete(r.at, id)
	r.mu.Unlock()
	r.work.Done()
	r.poke()
}

// carryOut works on a run until nothing more can be done, and says once how it has
// begun. id is the one that has entered. A panic ends this run and no other.
func (r *runs) carryOut(id string, o caller.Options, q planruns.RunRequest, begun chan<- answer) {
	var once sync.Once
	run := id
	say := func(x answer) { once.Do(func() { run = cmp.Or(x.id, run); begun <- x }) }
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("the work on a run has panicked", "run", q.Ref, "err", fmt.Sprint(p), "stack", string(debug.Stack()))
			say(answer{err: piton.Errorf(piton.Internal, "work on a run", "the daemon's log has more", "%v", p)})
		}
		once.Do(func() {}) // an event may have named the run in another goroutine
		if r.left != nil && run != "" {
			r.left(run)
		}
		r.leave(id)
	}()
	a := app.New(o)
	defer a.Close()
	a.NoSession()
	watch := q.Events
	if watch == nil {
		watch = r.tell
	}
	q.Daemon, q.Wait, q.Ask, q.Accept = true, false, nil, nil
	q.Events = func(e planruns.RunEvent) {
		if watch != nil {
			watch(e)
		}
		say(answer{id: e.Run})
	}
	x, err := a.Run(r.all, q)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			err = planruns.ErrDaemonStopped
		}
		r.log.Warn("a run could not be worked on", "run", q.Ref, "dir", o.Dir, "err", err)
		say(answer{err: err})
		return
	}
	say(answer{id: x.RunID})
	r.log.Info("a run has ended, for now", "run", x.RunID, "status", x.Status, "err", x.Error)
}
