package api

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

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
		defer a.Close()
		if n.newest, err = a.NewestEvent(ctx); err != nil {
			return nil, 0, err
		}
		polling, stop := context.WithCancel(context.Background())
		n.stop = stop
		go n.poll(polling, n.newest)
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
func (n *news) poll(ctx context.Context, last int64) {
	n.s.look(ctx, pollEvery, func(a *app.App, anew bool) (err error) {
		if anew {
			last = n.again(ctx, a, last)
		}
		last, err = n.read(ctx, a, last)
		return err
	})
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
	s.exchange(exchange{
		route: route{verbs.Route{Method: http.MethodGet, Path: "/v1/events", ID: "watch-events", Says: "Watch what happens, as server-sent events", More: "Each message has the event's number as its id. With Last-Event-ID or after, what came behind that number is sent first; without, the stream begins now."}, "events"},
		asked: reflect.TypeFor[eventsRequest](), alter: saysText(eventStream), serve: n.watch,
	})
}

// eventsRequest asks for what happens.
type eventsRequest struct {
	Last     string `header:"Last-Event-ID" help:"the last event that was received"`
	After    string `help:"the same, for clients that set no headers; 0 is all that is kept"`
	Session  string `help:"only of this session, by its id"`
	Workflow string `help:"only of this workflow, by its id"`
	Kind     string `help:"only of these kinds, with commas between them"`
}

// wanted is which events a request asks for, and behind which one it begins; -1: now.
func (q eventsRequest) wanted() (wants func(app.Event) bool, after int64, err error) {
	last := cmp.Or(q.Last, q.After, "-1")
	if after, err = strconv.ParseInt(last, 10, 64); err != nil || after < 0 && q.Last+q.After != "" {
		err = piton.Errorf(piton.Invalid, "", "give the id of the last event that you have received", "%q is not the number of an event", last)
	}
	kinds := strings.FieldsFunc(q.Kind, func(c rune) bool { return c == ',' })
	if q.Kind != "" && len(kinds) == 0 {
		err = piton.Errorf(piton.Invalid, "", "give the kinds with commas between them, or leave it out", "the parameter kind names none")
	}
	return func(e app.Event) bool {
		ofKinds := len(kinds) == 0 || slices.Contains(kinds, string(e.Kind))
		return ofKinds && cmp.Or(q.Session, e.Session) == e.Session && cmp.Or(q.Workflow, e.Workflow) == e.Workflow
	}, after, err
}

// watch serves one reader of the stream.
func (n *news) watch(w http.ResponseWriter, r *http.Request, req any) error {
	wants, after, err := req.(*eventsRequest).wanted()
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
		var list []app.Event
		err := s.within(ctx, route{}, "", func(a *app.App) (err error) {
			list, err = a.Events(ctx, after, pageSize)
			return err
		})
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
