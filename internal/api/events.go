package api

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/verbs"
)

// How often the store is looked at for new events while anybody reads the stream, and
// how many are read at once.
const (
	pollEvery = 250 * time.Millisecond
	pageSize  = 500
)

// news reads the events of the store for all who read the stream, once.
type news struct {
	fan[app.Event]
	s *Server

	begin  sync.Mutex // held while the reading begins or ends
	newest int64      // the last event that was handed out
	stop   context.CancelFunc
}

// join begins to listen. after is the last event that was handed out to others
// before: what lies behind that comes by the listener, all else is to be read.
func (n *news) listen(ctx context.Context, wants func(app.Event) bool) (l *listener[app.Event], after int64, err error) {
	n.begin.Lock()
	defer n.begin.Unlock()
	if n.stop == nil {
		a := n.s.app("", false)
		if n.newest, err = a.NewestEvent(ctx); err != nil {
			a.Close()
			return nil, 0, err
		}
		polling, stop := context.WithCancel(context.Background())
		n.stop = stop
		go n.poll(polling, a, n.newest)
	}
	return n.join(wants), n.newest, nil
}

// hangUp ends the reading where nobody listens any more.
func (n *news) hangUp(l *listener[app.Event]) {
	n.begin.Lock()
	defer n.begin.Unlock()
	if n.leave(l) == 0 && n.stop != nil {
		n.stop()
		n.stop = nil
	}
}

// poll hands out what comes behind an event until ctx ends.
func (n *news) poll(ctx context.Context, a *app.App, last int64) {
	defer func() { a.Close() }()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for changed := n.s.o.Changed(); ; {
		select {
		case <-ctx.Done():
			return
		case <-changed:
			changed = n.s.o.Changed()
			a.Close()
			a = n.s.app("", false)
			last = n.again(ctx, a, last)
		case <-tick.C:
		}
		var err error
		if last, err = n.read(ctx, a, last); err != nil && ctx.Err() == nil {
			n.s.o.Log.Warn("the events could not be read; it is tried again", "err", err)
			a.Close()
			a = n.s.app("", false)
		}
	}
}

// again is the last event that was handed out, in a store that was opened anew. One that
// has not come so far is another store, or an older copy: what comes in it is new.
func (n *news) again(ctx context.Context, a *app.App, last int64) int64 {
	newest, err := a.NewestEvent(ctx)
	if err != nil || newest >= last {
		return last
	}
	n.begin.Lock()
	defer n.begin.Unlock()
	if ctx.Err() == nil { // else another poll may have begun
		n.newest = newest
	}
	return newest
}

// read hands out what has come behind an event, and returns the last.
func (n *news) read(ctx context.Context, a *app.App, last int64) (int64, error) {
	for {
		list, err := a.Events(ctx, last, pageSize)
		if err != nil || len(list) == 0 {
			return last, err
		}
		n.begin.Lock()
		if ctx.Err() != nil { // another poll may have begun
			n.begin.Unlock()
			return last, ctx.Err()
		}
		for _, e := range list {
			n.send(e, eventMessage(e))
			last = e.ID
		}
		n.newest = last
		n.begin.Unlock()
	}
}

func eventMessage(e app.Event) message {
	return messageOf(strconv.FormatInt(e.ID, 10), string(e.Kind), e)
}

// events serves the stream of the store's events.
func (s *Server) events() {
	n := &news{s: s}
	s.document(route{verbs.Route{Method: http.MethodGet, Path: "/v1/events", ID: "watch-events", Says: "Watch what happens, as server-sent events", More: "Each message has the event's number as its id. With Last-Event-ID or after, what came behind that number is sent first; without, the stream begins now."}, "events"},
		[]*huma.Param{
			param("header", "Last-Event-ID", "the last event that was received"), param("query", "after", "the same, for clients that set no headers; 0 is all that is kept"),
			param("query", "session", "only of this session, by its id"), param("query", "workflow", "only of this workflow, by its id"), param("query", "kind", "only of these kinds, with commas between them"),
		}, "text/event-stream")
	s.mux.HandleFunc("GET /v1/events", func(w http.ResponseWriter, r *http.Request) {
		if err := n.watch(w, r); err != nil {
			writeProblem(w, problemOf(err, "watch-events"))
		}
	})
}

// wanted is which events a request asks for.
func wanted(r *http.Request) (wants func(app.Event) bool, after int64, err error) {
	q, err := only(r, "after", "session", "workflow", "kind")
	if err != nil {
		return nil, 0, err
	}
	after = -1
	if text := r.Header.Get("Last-Event-ID"); text != "" || q.Has("after") {
		text = cmp.Or(text, q.Get("after"))
		if after, err = strconv.ParseInt(text, 10, 64); err != nil || after < 0 {
			return nil, 0, piton.Errorf(piton.Invalid, "", "give the id of the last event that you have received", "%q is not the number of an event", text)
		}
	}
	session, workflow, kinds := q.Get("session"), q.Get("workflow"), strings.FieldsFunc(q.Get("kind"), func(c rune) bool { return c == ',' })
	if q.Has("kind") && len(kinds) == 0 {
		return nil, 0, piton.Errorf(piton.Invalid, "", "give the kinds with commas between them, or leave it out", "the parameter kind names none")
	}
	return func(e app.Event) bool {
		ofKinds := len(kinds) == 0 || slices.Contains(kinds, string(e.Kind))
		return ofKinds && cmp.Or(session, e.Session) == e.Session && cmp.Or(workflow, e.Workflow) == e.Workflow
	}, after, nil
}

// watch serves one reader of the stream.
func (n *news) watch(w http.ResponseWriter, r *http.Request) error {
	wants, after, err := wanted(r)
	if err != nil {
		return err
	}
	l, upTo, err := n.listen(r.Context(), wants)
	if err != nil {
		return err
	}
	defer n.hangUp(l)
	x, end, err := n.s.open(w, r)
	if err != nil {
		return err
	}
	defer end()
	if after >= 0 && n.s.catchUp(r.Context(), x, wants, after, upTo) != nil {
		return nil
	}
	follow(n.s, x, r, l, nil)
	return nil
}

// catchUp sends what lies behind one event, up to another.
func (s *Server) catchUp(ctx context.Context, x *stream, wants func(app.Event) bool, after, upTo int64) error {
	for after < upTo {
		list, err := s.page(ctx, after)
		if err != nil || len(list) == 0 {
			return err
		}
		var all []message
		for _, e := range list {
			if after = e.ID; e.ID <= upTo && wants(e) {
				all = append(all, eventMessage(e))
			}
		}
		if err := x.put(all...); err != nil {
			return err
		}
	}
	return nil
}

// page reads some events, in turn with the verbs.
func (s *Server) page(ctx context.Context, after int64) ([]app.Event, error) {
	free, err := s.slot(ctx)
	if err != nil {
		return nil, err
	}
	defer free()
	a := s.app("", false)
	defer a.Close()
	return a.Events(ctx, after, pageSize)
}
