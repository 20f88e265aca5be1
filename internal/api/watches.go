package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
)

// Bounds of what is kept of runs that work here: events of each, and runs.
const (
	keptEvents = 1000
	keptRuns   = 64
	lookEvery  = 500 * time.Millisecond
)

// watches are the runs that are watched, or that work in this process.
type watches struct {
	s     *Server
	mu    sync.Mutex
	of    map[string]*watched
	order []string // the run that was met first, first
}

// watched is one run. Its events are numbered within an epoch, which begins when this
// process meets the run.
type watched struct {
	fan[struct{}]
	epoch string

	mu    sync.Mutex // held while a message is handed out or a reader joins
	kept  []message
	count int // events so far
	view  []byte
	ended chan struct{} // closed where nobody works on it; made again with the next look
	stop  context.CancelFunc
	here  bool // it works in this process
}

// get finds a run, or begins to keep it.
func (w *watches) get(id string) *watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	if x := w.of[id]; x != nil {
		return x
	}
	x := &watched{epoch: fmt.Sprint(time.Now().UnixMilli()), ended: make(chan struct{})}
	if w.of == nil {
		w.of = map[string]*watched{}
	}
	w.of[id] = x
	w.order = append(w.order, id)
	w.forget()
	return x
}

// forget drops the oldest runs that nobody watches and that do not work here.
func (w *watches) forget() {
	for i := 0; len(w.of) > keptRuns && i < len(w.order); {
		x := w.of[w.order[i]]
		x.mu.Lock()
		idle := x.stop == nil && !x.here
		x.mu.Unlock()
		if !idle {
			i++
			continue
		}
		delete(w.of, w.order[i])
		w.order = append(w.order[:i], w.order[i+1:]...)
	}
}

// event hands out an event of a run that works in this process.
func (w *watches) event(e planruns.RunEvent) {
	x := w.get(e.Run)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.count++
	x.here = e.Kind != "run_ended"
	m := messageOf(fmt.Sprintf("%s-%d", x.epoch, x.count), string(e.Kind), e)
	if x.kept = append(x.kept, m); len(x.kept) > keptEvents {
		x.kept = append([]message(nil), x.kept[len(x.kept)-keptEvents:]...)
	}
	x.send(struct{}{}, m)
}

// leave notes that nobody in this process works on a run any more.
func (w *watches) leave(id string) {
	w.mu.Lock()
	x := w.of[id]
	w.mu.Unlock()
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.here = false
}

// since are the events behind one that a reader has had; all that are kept where that
// was in another epoch.
func (x *watched) since(last string) []message {
	var n int
	epoch, text, _ := strings.Cut(last, "-")
	if _, err := fmt.Sscan(text, &n); err != nil || epoch != x.epoch || n > x.count {
		return x.kept
	}
	return x.kept[max(len(x.kept)-(x.count-n), 0):]
}

// join begins to listen to a run. first is what the reader is to be told before: how
// the run stands, and the events that it has missed.
func (w *watches) listen(view planruns.RunView, last string) (x *watched, l *listener[struct{}], first []message, ended <-chan struct{}) {
	id := view.Run.ID
	x = w.get(id)
	x.mu.Lock()
	defer x.mu.Unlock()
	first = append([]message{messageOf("", "run", view)}, x.since(last)...)
	if x.stop == nil {
		x.ended = make(chan struct{})
		x.view, _ = json.Marshal(view)
		ctx, stop := context.WithCancel(context.Background())
		x.stop = stop
		go w.look(ctx, id, x, x.ended, view)
	}
	return x, x.join(nil), first, x.ended
}

// hangUp stops looking at a run that nobody watches any more.
func (x *watched) hangUp(l *listener[struct{}]) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.leave(l) == 0 && x.stop != nil {
		x.stop()
		x.stop = nil
	}
}

// look shows how a run stands whenever that has changed, until nobody works on it. One
// looks for all who watch the run.
func (w *watches) look(ctx context.Context, id string, x *watched, ended chan struct{}, v planruns.RunView) {
	end := func() {
		if ctx.Err() == nil && !x.here && over(v) {
			close(ended)
			x.stop()
			x.stop = nil
		}
	}
	x.mu.Lock()
	end()
	x.mu.Unlock()
	w.s.look(ctx, lookEvery, func(a *app.App, _ bool) (err error) {
		if v, err = a.ShowRun(ctx, piton.RunRefRequest{Run: id}); err != nil {
			return err
		}
		text, _ := json.Marshal(v)
		x.mu.Lock()
		defer x.mu.Unlock()
		if ctx.Err() == nil && !bytes.Equal(text, x.view) {
			x.view = text
			x.send(struct{}{}, messageOf("", "run", v))
		}
		end()
		return nil
	})
}

// over tells whether nobody works on a run.
func over(v planruns.RunView) bool {
	r := v.Run
	switch {
	case r.Alive == caller.OwnerAlive || r.Alive == caller.OwnerUnknown || r.Status == piton.RunQueued:
		return false
	case r.Status == piton.RunWaiting:
		return r.Owner.PID == 0
	}
	return true
}

// watchRequest asks for what happens in a run.
type watchRequest struct {
	piton.RunRefRequest
	Last string `header:"Last-Event-ID" help:"the last event that was received"`
}

// watch serves one who watches a run.
func (ws *watches) watch(w http.ResponseWriter, r *http.Request, req any) error {
	q := req.(*watchRequest)
	var view planruns.RunView
	err := ws.s.within(r.Context(), route{}, q.Project, func(a *app.App) (err error) {
		view, err = a.ShowRun(r.Context(), q.RunRefRequest)
		return err
	})
	if err != nil {
		return err
	}
	run, l, first, ended := ws.listen(view, q.Last)
	defer run.hangUp(l)
	x, end, err := ws.s.open(w, r)
	if err != nil {
		return err
	}
	defer end()
	if x.put(first...) == nil {
		follow(ws.s, x, r, l, ended)
	}
	return nil
}
