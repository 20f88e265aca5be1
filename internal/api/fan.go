package api

import (
	"context"
	"sync"
	"time"

	"github.com/piton-project/piton/internal/app"
)

// maxBehind is how many messages a reader of a stream may be behind. One that is
// further behind is told to come again.
const maxBehind = 512

// fan hands messages out to whoever listens. Handing out never waits.
type fan[E any] struct {
	mu sync.Mutex
	to map[*listener[E]]bool
}

// listener is a reader of a stream.
type listener[E any] struct {
	wants    func(E) bool // nil: all
	messages chan message
	lost     chan struct{} // closed where it was too far behind
}

// message is a message of a stream as it is sent.
type message []byte

func (f *fan[E]) join(wants func(E) bool) *listener[E] {
	l := &listener[E]{wants: wants, messages: make(chan message, maxBehind), lost: make(chan struct{})}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.to == nil {
		f.to = map[*listener[E]]bool{}
	}
	f.to[l] = true
	return l
}

// leave tells how many still listen.
func (f *fan[E]) leave(l *listener[E]) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.to, l)
	return len(f.to)
}

// send hands a message out. Who cannot take it is lost.
func (f *fan[E]) send(e E, m message) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for l := range f.to {
		if l.wants != nil && !l.wants(e) {
			continue
		}
		select {
		case l.messages <- m:
		default:
			delete(f.to, l)
			close(l.lost)
		}
	}
}

// look has the stores looked at again and again until ctx ends, with one application. It is
// opened anew where the settings or the stores are others, or a look has failed.
func (s *Server) look(ctx context.Context, every time.Duration, do func(a *app.App, anew bool) error) {
	a := s.app("", false)
	defer func() { a.Close() }()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for changed := s.o.Changed(); ; {
		anew := false
		select {
		case <-ctx.Done():
			return
		case <-changed:
			changed, anew = s.o.Changed(), true
			a.Close()
			a = s.app("", false)
		case <-tick.C:
		}
		if err := do(a, anew); err != nil && ctx.Err() == nil {
			s.o.Log.Warn("a stream could not look at the stores; it is tried again", "err", err)
			a.Close()
			a = s.app("", false)
		}
	}
}
