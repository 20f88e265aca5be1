package page

import (
	"bufio"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
)

// theatre is shows of one screen, whose text a test sets.
type theatre struct {
	shows
	home string
	text atomic.Value
	made atomic.Int64 // drawings
	url  string
}

func newTheatre(t *testing.T) *theatre {
	x := &theatre{home: t.TempDir()}
	x.text.Store("first")
	var end context.CancelFunc
	x.ending, end = context.WithCancel(context.Background())
	x.log, x.drawing = slog.New(slog.DiscardHandler), make(chan struct{}, maxDrawing)
	x.app = func(bool) *app.App {
		return app.New(caller.Options{Home: x.home, Getenv: func(string) string { return "" }, Environ: []string{}, Remote: true})
	}
	s := screen{name: "failed", path: "/", load: func(context.Context, *look) (any, error) {
		x.made.Add(1)
		if x.text.Load() == "defect" {
			panic("a defect")
		}
		return failure{Message: x.text.Load().(string)}, nil
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { x.live(w, r, s) }))
	t.Cleanup(func() { end(); server.Close() })
	x.url = server.URL
	return x
}

// touch changes a file of the store, as a hook does.
func (x *theatre) touch(t *testing.T, text string) {
	t.Helper()
	x.text.Store(text)
	if err := os.WriteFile(filepath.Join(x.home, "piton.db-wal"), []byte(text+time.Now().String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// message is one of a stream.
type message struct{ id, data string }

// watch reads a stream until the test ends.
func (x *theatre) watch(t *testing.T, path, last string) (<-chan message, context.CancelFunc) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, x.url+path, nil)
	r.Header.Set("Last-Event-ID", last)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	all := make(chan message, 100)
	go func() {
		defer close(all)
		defer got.Body.Close()
		var m message
		for in := bufio.NewScanner(got.Body); in.Scan(); {
			name, value, _ := strings.Cut(in.Text(), ": ")
			switch name {
			case "id":
				m.id = value
			case "data":
				m.data += value + "\n"
			case "":
				if m.data != "" {
					all <- m
				}
				m = message{}
			default:
				t.Errorf("a line of a stream: %q", in.Text())
			}
		}
	}()
	return all, stop
}

func next(t *testing.T, all <-chan message, holds string) message {
	t.Helper()
	for end := time.After(10 * time.Second); ; {
		select {
		case m := <-all:
			if strings.Contains(m.data, holds) {
				return m
			}
		case <-end:
			t.Fatalf("no message holds %q", holds)
		}
	}
}

// TestStreams: who looks gets the screen, and it again whenever the stores have changed and
// it with them; once for all who look. Who comes again with the last is sent nothing.
func TestStreams(t *testing.T) {
	t.Parallel()
	x := newTheatre(t)
	one, stop := x.watch(t, "/", "")
	first := next(t, one, "first")
	two, _ := x.watch(t, "/", first.id)
	x.touch(t, "second\r\revent: x\r\n\nid: y")
	for _, all := range []<-chan message{one, two} {
		m := next(t, all, "second")
		if !strings.Contains(m.data, "event: x") || m.id == first.id || m.id == "y" {
			t.Errorf("a text with line ends: %+v", m)
		}
	}
	time.Sleep(3 * lookEvery)
	if n := x.made.Load(); n > 6 {
		t.Errorf("drawn %d times for two who look", n)
	}
	x.touch(t, "defect")
	next(t, two, "this is a defect of Piton")
	stop()
	x.touch(t, "third")
	next(t, two, "third")
}

// TestNobodyLooks: then nothing is drawn, and nothing is kept.
func TestNobodyLooks(t *testing.T) {
	t.Parallel()
	x := newTheatre(t)
	for i := range 20 {
		all, stop := x.watch(t, "/?"+url.QueryEscape(strings.Repeat("x", i)), "")
		next(t, all, "first")
		stop()
	}
	gone := func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return len(x.of) == 0 && x.lookers == 0
	}
	for end := time.Now().Add(10 * time.Second); !gone(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d screens are kept", len(x.of))
		}
	}
	before := x.made.Load()
	x.touch(t, "second")
	time.Sleep(3 * lookEvery)
	if n := x.made.Load(); n != before {
		t.Errorf("drawn %d times for nobody", n-before)
	}
	all, _ := x.watch(t, "/", "")
	next(t, all, "second")
}

// TestTooMany: a looker beyond the bound is refused, and the others go on.
func TestTooMany(t *testing.T) {
	t.Parallel()
	x := newTheatre(t)
	x.lookers = maxLookers
	got, err := http.Get(x.url)
	if err != nil {
		t.Fatal(err)
	}
	got.Body.Close()
	if got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("status %d", got.StatusCode)
	}
}
