package api

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

// save saves once and returns the checkpoint's id.
func save(t *testing.T, s *Server, dir, workflow string) string {
	t.Helper()
	a := s.app(dir, false)
	defer a.Close()
	saved, err := a.Save(t.Context(), piton.SaveRequest{Workflow: workflow, State: []byte(`{}`), InProject: piton.InProject{Project: dir}})
	if err != nil {
		t.Fatal(err)
	}
	return saved.ID
}

// sse reads a stream message by message: the id, the kind and the data of each.
type sse struct {
	t     *testing.T
	lines chan string
	stop  context.CancelFunc
}

func openStream(t *testing.T, url, last string) *sse {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("got %d, %v", res.StatusCode, res.Header)
	}
	x := &sse{t: t, lines: make(chan string, 10_000), stop: stop}
	go func() {
		defer res.Body.Close()
		defer close(x.lines)
		in := bufio.NewScanner(res.Body)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			x.lines <- in.Text()
		}
	}()
	t.Cleanup(stop)
	return x
}

// next is the next message; "" and false at the end of the stream.
func (x *sse) next() (id, kind, data string, ok bool) {
	x.t.Helper()
	patience := time.NewTimer(time.Minute)
	defer patience.Stop()
	for {
		select {
		case line, more := <-x.lines:
			if !more {
				return "", "", "", false
			}
			name, value, _ := strings.Cut(line, ": ")
			switch name {
			case "id":
				id = value
			case "event":
				kind = value
			case "data":
				data = value
			case "":
				if line == "" && kind != "" {
					return id, kind, data, true
				}
			}
		case <-patience.C:
			x.t.Fatal("the stream says nothing")
		}
	}
}

// TestEvents: a reader gets what happens, and after a break what it has missed, each
// event once and in order.
func TestEvents(t *testing.T) {
	url, s := serve(t, Socket)
	dir := t.TempDir()
	first := save(t, s, dir, "w")
	live := openStream(t, url+"/v1/events?kind=checkpoint_created", "")
	second := save(t, s, dir, "w")
	id, kind, data, ok := live.next()
	if !ok || kind != "checkpoint_created" || !strings.Contains(data, second) {
		t.Fatalf("live: got %q %q %q, want the save of %s", id, kind, data, second)
	}
	live.stop()
	third, fourth := save(t, s, dir, "w"), save(t, s, dir, "v")
	again := openStream(t, url+"/v1/events", id)
	for _, want := range []string{third, fourth} {
		if _, _, data, _ := again.next(); !strings.Contains(data, want) {
			t.Errorf("after a break: got %s, want %s", data, want)
		}
	}
	all := openStream(t, url+"/v1/events?after=0", "")
	for _, want := range []string{first, second, third, fourth} {
		if _, _, data, _ := all.next(); !strings.Contains(data, want) {
			t.Errorf("from the beginning: got %s, want %s", data, want)
		}
	}
	fifth := save(t, s, dir, "w")
	for _, x := range []*sse{again, all} {
		if _, _, data, _ := x.next(); !strings.Contains(data, fifth) {
			t.Errorf("then live: got %s, want %s", data, fifth)
		}
	}
}

// TestEventsOfAnotherStore: a stream goes on with the store that the settings name after
// they were read again.
func TestEventsOfAnotherStore(t *testing.T) {
	url, s := serve(t, Socket)
	dir, env := t.TempDir(), sync.Map{}
	s.o.App.Getenv = func(name string) string { v, _ := env.Load(name); text, _ := v.(string); return text }
	changed := make(chan struct{})
	again := make(chan struct{})
	asked := make(chan struct{}, 1)
	s.o.Changed = func() <-chan struct{} {
		select {
		case asked <- struct{}{}: // the first one
			return changed
		default:
			return again
		}
	}
	save(t, s, dir, "w")
	save(t, s, dir, "w")
	live := openStream(t, url+"/v1/events", "")
	third := save(t, s, dir, "w")
	if _, _, data, ok := live.next(); !ok || !strings.Contains(data, third) {
		t.Fatalf("got %q, want the save of %s", data, third)
	}
	env.Store("PITON_STORE", "sqlite:"+dir+"/other.db")
	save(t, s, dir, "other")
	close(changed)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { // what is saved before the stream has the other store is not in it
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				save(t, s, dir, "other")
			}
		}
	}()
	id, _, data, ok := live.next()
	close(stop)
	<-stopped
	if n, err := strconv.Atoi(id); !ok || err != nil || n < 2 {
		t.Errorf("got %q %q, want a save in the other store", id, data)
	}
}

// TestStreamsRefuse: what a stream does not take is refused as elsewhere, before it begins.
func TestStreamsRefuse(t *testing.T) {
	url, _ := serve(t, Socket)
	for _, bad := range []string{
		"events?after=x", "events?after=-1", "events?kind=", "events?kinds=x", "events?after=1&after=2", "events?session=%20",
		"events?after=0;session=x", "events?after=0%zz", "events?kind=,", "runs/run_0/events?project=", "runs/run_0/events?kind=x", "runs/run_0/events?project=/a;b",
	} {
		ctx, late := context.WithTimeout(t.Context(), 30*time.Second) // of a stream that begins
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/v1/"+bad, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != 422 || res.Header.Get("Content-Type") != problemType {
			t.Errorf("%s: got %d, %s, want 422", bad, res.StatusCode, res.Header.Get("Content-Type"))
		}
		late()
		res.Body.Close()
	}
	if status, text := call(t, "GET", url+"/v1/runs/run_0/events", `{"after":1}`); status != 422 {
		t.Errorf("a body: got %d %s, want 422", status, text)
	}
}

// TestManyReaders: a thousand readers of the stream are served by one reading of the
// store, each gets each event, and when the last has gone the reading ends.
func TestManyReaders(t *testing.T) {
	_, s := serve(t, Socket)
	n := &news{s: s}
	dir := t.TempDir()
	save(t, s, dir, "w")
	var list []*listener[app.Event]
	for range 1000 {
		l, _, err := n.listen(t.Context(), func(app.Event) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, l)
	}
	id := save(t, s, dir, "w")
	for i, l := range list {
		select {
		case m := <-l.messages:
			if !strings.Contains(string(m), id) {
				t.Fatalf("reader %d: got %s, want the save of %s", i, m, id)
			}
		case <-time.After(time.Minute):
			t.Fatalf("reader %d got nothing", i)
		}
		n.hangUp(l)
	}
	if n.stop != nil {
		t.Error("the store is read although nobody listens")
	}
}

// TestSlowReader: who does not read is let go, and the others are not.
func TestSlowReader(t *testing.T) {
	var f fan[int]
	slow, quick := f.join(nil), f.join(nil)
	for i := range maxBehind + 1 {
		f.send(i, message(fmt.Sprint(i)))
		<-quick.messages
	}
	select {
	case <-slow.lost:
	default:
		t.Error("the slow one was not let go")
	}
	select {
	case <-quick.lost:
		t.Error("the quick one was let go")
	default:
	}
	if left := f.leave(quick); left != 0 {
		t.Errorf("got %d listeners, want none", left)
	}
}

// TestShutdownEndsStreams: a stream ends with a word when the server stops.
func TestShutdownEndsStreams(t *testing.T) {
	url, s := serve(t, Socket)
	x := openStream(t, url+"/v1/events", "")
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, kind, data, ok := x.next(); !ok || kind != "end" || !strings.Contains(data, "stops") {
		t.Errorf("got %q, %q, want the end", kind, data)
	}
	if _, kind, _, ok := x.next(); ok {
		t.Errorf("got %q after the end", kind)
	}
}
