package api

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

// runner works on runs that requests begin, in this process.
type runner struct{ s *Server }

func (r runner) Start(_ context.Context, dir string, q app.RunRequest) (string, error) {
	type begun struct {
		id  string
		err error
	}
	x := make(chan begun, 2000)
	tell := q.Events
	q.Events = func(e app.RunEvent) {
		tell(e)
		x <- begun{id: e.Run}
	}
	go func() {
		a := r.s.app(dir, false)
		defer a.Close()
		_, err := a.Run(context.Background(), q)
		x <- begun{err: err}
	}()
	first := <-x
	return first.id, first.err
}

// TestWatchRun: who watches a run is told how it stands, what happens in it, and when
// nobody works on it any more; after a break only what was missed.
func TestWatchRun(t *testing.T) {
	url, s := serve(t, Socket)
	s.o.Runs = runner{s}
	s.o.App.Getenv = func(name string) string { return map[string]string{"PATH": os.Getenv("PATH")}[name] }
	dir := t.TempDir()
	gate := filepath.Join(dir, "gate")
	plan := fmt.Sprintf(`{"name":"p","steps":[{"id":"one","action":"shell","parameters":{"command":"while ! test -e %s; do sleep 0.05; done"}},{"id":"two","action":"shell","dependencies":["one"],"parameters":{"command":"true"}}]}`, gate)
	status, text := call(t, "POST", url+"/v1/runs", fmt.Sprintf(`{"project":%q,"plan":%s}`, dir, plan))
	var begun app.RunView
	if err := json.Unmarshal([]byte(text), &begun); err != nil || status != 202 {
		t.Fatalf("got %d, %s", status, text)
	}
	events := url + "/v1/runs/" + begun.Run.ID + "/events"
	x := openStream(t, events, "")
	_, kind, data, _ := x.next()
	if kind != "run" || !strings.Contains(data, `"status":"running"`) {
		t.Fatalf("first: got %s %s, want how the run stands", kind, data)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	after, last := "", ""
	for {
		id, kind, data, ok := x.next()
		if !ok {
			t.Fatalf("the stream ended without a word after %q", kinds)
		}
		if kind == "end" {
			if !strings.Contains(data, endDone) {
				t.Errorf("the end: got %s", data)
			}
			break
		}
		if kind == "run" {
			last = data
			continue
		}
		if kinds = append(kinds, kind); kind == "step_completed" && after == "" {
			after = id
		}
	}
	if got, want := strings.Join(kinds, " "), "run_started step_started step_completed step_started step_completed run_ended"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !strings.Contains(last, `"status":"completed"`) {
		t.Errorf("at last: got %s, want that it is completed", last)
	}
	again := openStream(t, events, after)
	kinds = nil
	for {
		_, kind, _, ok := again.next()
		if kinds = append(kinds, kind); !ok || kind == "end" {
			break
		}
	}
	if got, want := strings.Join(kinds, " "), "run step_started step_completed run_ended end"; got != want {
		t.Errorf("after a break: got %s, want %s", got, want)
	}
	if status, text := call(t, "GET", url+"/v1/runs/run_0000000000000000/events", ""); status != 404 {
		t.Errorf("an unknown run: got %d, %s, want 404", status, text)
	}
}

// TestNoRuns: a server that works on no runs says so.
func TestNoRuns(t *testing.T) {
	url, _ := serve(t, Socket)
	if status, text := call(t, "POST", url+"/v1/runs", `{"project":"/","plan":"steps: [{id: a, action: shell, parameters: {command: x}}]"}`); status != 503 {
		t.Errorf("got %d, %s, want 503", status, text)
	}
}

// TestRunIsLeft: where the work on a run ends without its last event, who watches it is
// told so, and does not wait for ever.
func TestRunIsLeft(t *testing.T) {
	_, s := serve(t, Socket)
	w := &watches{s: s}
	w.event(app.RunEvent{Run: "run_a", Kind: "step_started"})
	view := app.RunView{}
	view.Run.ID, view.Run.Status = "run_a", piton.RunFailed
	x, l, _, ended := w.listen(view, "")
	defer x.hangUp(l)
	select {
	case <-ended:
		t.Fatal("it has ended while it is worked on")
	default:
	}
	w.leave("run_a")
	w.leave("run_b") // nobody has met it
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("it has not ended")
	}
}
