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
)

// maxRuns is how many runs the daemon works on at once. Runs that wait for a person
// are not among them.
const maxRuns = 8

// runs are the runs that this daemon works on.
type runs struct {
	app app.Options
	log *slog.Logger

	all    context.Context // of all of them
	giveUp func()
	ended  chan struct{} // one of them has ended, for now
	// tell hears what happens in a run that no request has begun; nil: nobody does.
	tell func(app.RunEvent)
	// left hears that a run is not worked on any more, also after a panic; nil: nobody does.
	left func(id string)

	mu     sync.Mutex
	work   sync.WaitGroup
	at     map[string]bool // by id, where that is known
	number int
	over   bool // none is begun any more
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
		end(app.ErrDaemonStopped)
	}
	return r
}

// wait returns when no run is worked on.
func (r *runs) wait() { r.work.Wait() }

// Start implements api.Runs. Unavailable where the daemon works on as many runs as it
// may, or is about to end.
func (r *runs) Start(ctx context.Context, dir string, q app.RunRequest) (string, error) {
	if err := r.enter(""); err != nil {
		return "", err
	}
	begun := make(chan answer, 1)
	go r.carryOut("", dir, q, begun)
	select {
	case x := <-begun:
		return x.id, x.err
	case <-ctx.Done(): // who has asked is gone; the run goes on
		return "", ctx.Err()
	}
}

// answer is how a run has begun.
type answer struct {
	id  string
	err error
}

// enter makes room for one more run. It is Conflict for one that is worked on.
func (r *runs) enter(id string) error {
	const op = "work on a run"
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.over:
		return piton.Errorf(piton.Unavailable, op, "try again when it runs again", "the daemon is about to end")
	case r.at[id]:
		return piton.Errorf(piton.Conflict, op, "'runs show "+id+"' shows how it stands", "the daemon works on %s already", id)
	case r.number >= maxRuns:
		return piton.Errorf(piton.Unavailable, op, "try again when one has ended; 'runs list open' shows them", "the daemon works on %d runs, and takes no more at once", r.number)
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
	select {
	case r.ended <- struct{}{}:
	default:
	}
}

// carryOut works on a run until nothing more can be done, and says once how it has
// begun. id is the one that has entered. A panic ends this run and no other.
func (r *runs) carryOut(id, dir string, q app.RunRequest, begun chan<- answer) {
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
	o := r.app
	o.Dir = dir
	a := app.New(o)
	defer a.Close()
	a.NoSession()
	watch := q.Events
	if watch == nil {
		watch = r.tell
	}
	q.Daemon, q.Wait, q.Ask, q.Accept = true, false, nil, nil
	q.Events = func(e app.RunEvent) {
		if watch != nil {
			watch(e)
		}
		say(answer{id: e.Run})
	}
	x, err := a.Run(r.all, q)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			err = app.ErrDaemonStopped
		}
		r.log.Warn("a run could not be worked on", "run", q.Ref, "dir", dir, "err", err)
		say(answer{err: err})
		return
	}
	say(answer{id: x.RunID})
	r.log.Info("a run has ended, for now", "run", x.RunID, "status", x.Status, "err", x.Error)
}
