package page

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/mark/keep"
)

// A screen that somebody looks at is a show: it is drawn again whenever the stores change,
// and at least every few seconds, once for all who look at it.

// Bounds of shows.
const (
	lookEvery  = 100 * time.Millisecond // at the stores' files
	drawRest   = 4                      // times as long as the drawing took is waited for the next
	beatEvery  = 15 * time.Second
	maxLookers = 500
	maxDrawing = 3               // at once
	drawLimit  = 3 * time.Minute // the first search after much was saved takes long
	writeLimit = 20 * time.Second
)

type shows struct {
	ending context.Context            // is over where the page ends
	app    func(search bool) *app.App // for one look
	log    *slog.Logger
	losses losses

	mu      sync.Mutex
	of      map[string]*show // by address
	lookers int
	changed chan struct{} // closed at a change of the stores; nil: nobody looks
	stop    context.CancelFunc
	drawing chan struct{}
}

// show is one screen that somebody looks at.
type show struct {
	lookers int
	stop    context.CancelFunc
	now     picture
	next    chan struct{} // closed when there is another picture
}

// picture is a screen as it was drawn; none yet without a sum.
type picture struct{ html, sum string }

// join begins to look at a screen; nil where too many do.
func (x *shows) join(address string, still bool, draw func(context.Context) string) *show {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.lookers >= maxLookers {
		return nil
	}
	if x.lookers++; x.lookers == 1 {
		var ctx context.Context
		ctx, x.stop = context.WithCancel(x.ending)
		x.of, x.changed = map[string]*show{}, make(chan struct{})
		go x.watch(ctx, x.app(false).Home())
	}
	s := x.of[address]
	if s == nil {
		var ctx context.Context
		s = &show{next: make(chan struct{})}
		ctx, s.stop = context.WithCancel(x.ending)
		x.of[address] = s
		go x.run(ctx, s, still, draw)
	}
	s.lookers++
	return s
}

// leave ends looking at a screen.
func (x *shows) leave(address string, s *show) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s.lookers--; s.lookers == 0 {
		s.stop()
		delete(x.of, address)
	}
	if x.lookers--; x.lookers == 0 {
		x.stop()
	}
}

// watch tells of changes of the stores, by their files: what a hook or another program
// writes changes one. It tells once more at the next look: a file's time has steps of some
// milliseconds, so what was written right after a look may not show.
func (x *shows) watch(ctx context.Context, home string) {
	last, again := "", false
	db, marks := place.Database(home), filepath.Join(home, keep.File)
	for tick := time.NewTicker(lookEvery); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		var now strings.Builder
		for _, name := range []string{db, db + "-wal", marks, marks + "-wal"} {
			if info, err := os.Stat(name); err == nil {
				fmt.Fprintln(&now, name, info.Size(), info.ModTime().UnixNano())
			}
		}
		changed := now.String() != last
		if changed || again {
			last, again = now.String(), changed
			x.mu.Lock()
			close(x.changed)
			x.changed = make(chan struct{})
			x.mu.Unlock()
		}
	}
}

// run draws a screen again and again; a still one once.
func (x *shows) run(ctx context.Context, s *show, still bool, draw func(context.Context) string) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case x.drawing <- struct{}{}:
		}
		x.mu.Lock()
		changed := x.changed
		x.mu.Unlock()
		began := time.Now()
		bounded, end := context.WithTimeout(ctx, drawLimit)
		html := draw(bounded)
		end()
		took := time.Since(began)
		<-x.drawing
		sum := sha256.Sum256([]byte(html))
		p := picture{html, hex.EncodeToString(sum[:8])}
		x.mu.Lock()
		if p.sum != s.now.sum && ctx.Err() == nil {
			s.now = p
			close(s.next)
			s.next = make(chan struct{})
		}
		x.mu.Unlock()
		if still {
			return
		}
		due, rest := time.NewTimer(max(drawEvery, drawRest*took)), time.NewTimer(max(lookEvery, drawRest*took))
		select {
		case <-ctx.Done():
		case <-due.C:
		case <-changed:
			select {
			case <-ctx.Done():
			case <-rest.C:
			}
		}
		due.Stop()
		rest.Stop()
	}
}

// at is the picture now, and what is closed when there is another.
func (x *shows) at(s *show) (picture, <-chan struct{}) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return s.now, s.next
}

// live serves one who looks at a screen, with server-sent events: each is the whole screen,
// and its id is its sum.
func (x *shows) live(w http.ResponseWriter, r *http.Request, s screen) {
	l := look{id: r.PathValue("id"), to: r.PathValue("to"), q: r.URL.Query()}
	address := r.URL.String()
	show := x.join(address, s.still, func(ctx context.Context) string { return x.draw(ctx, s, l) })
	if show == nil {
		refuse(w, http.StatusServiceUnavailable, "too many screens are open: close some")
		return
	}
	defer x.leave(address, show)
	w.Header().Set("Content-Type", "text/event-stream")
	out := stream{w}
	if out.send(": \n\n") != nil { // so that who has the screen already sees an answer
		return
	}
	last := r.Header.Get("Last-Event-ID")
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		now, next := x.at(show)
		if now.sum != "" && now.sum != last {
			last = now.sum
			if out.send("id: "+now.sum+"\ndata: "+strings.ReplaceAll(now.html, "\n", "\ndata: ")+"\n\n") != nil {
				return
			}
		}
		var err error
		select {
		case <-next:
		case <-beat.C:
			err = out.send(": \n\n")
		case <-r.Context().Done():
			return
		case <-x.ending.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// draw is a screen as HTML: that of the error where it cannot be shown.
func (x *shows) draw(ctx context.Context, s screen, l look) (html string) {
	defer func() {
		if defect := recover(); defect != nil {
			x.log.Error("a screen failed", "path", s.path, "err", defect, "stack", string(debug.Stack()))
			html = drawn("failed", failure{Message: "The screen cannot be shown: this is a defect of Piton", Hint: "the log has more: 'piton doctor' names it"})
		}
	}()
	l.losses, l.a = &x.losses, x.app(s.search)
	defer l.a.Close()
	data, err := s.load(ctx, &l)
	if err != nil {
		e := caller.AsError(err)
		return drawn("failed", failure{caller.Message(e), e.Hint})
	}
	return drawn(s.name, data)
}

// failure is why a screen is not shown.
type failure struct{ Message, Hint string }

// stream is an answer of server-sent events.
type stream struct{ http.ResponseWriter }

// send writes at once. Who does not read is not waited for long.
func (x stream) send(text string) error {
	c := http.NewResponseController(x.ResponseWriter)
	_ = c.SetWriteDeadline(time.Now().Add(writeLimit))
	if _, err := x.Write([]byte(text)); err != nil {
		return err
	}
	return c.Flush()
}
