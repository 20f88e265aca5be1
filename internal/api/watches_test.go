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
	"github.com/piton-project/piton/internal/app/planruns"
)

// runner works on runs that requests begin, in this process.
type runner struct{ s *Server }

func (r runner) Start(_ context.Context, dir string, q planruns.RunRequest) (string, error) {
	type begun struct {
		id  string
		err error
	}
	x := make(chan begun, 2000)
	tell := q.Events
	q.Events = func(e planruns.RunEvent) {
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
	var begun planruns.RunView
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
	w.event(planruns.RunEvent{Run: "run_a", Kind: "step_started"})
	view := planruns.RunView{}
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

// TestWhatIsKeptOfRuns: of many events the last ones, of many runs those that are at work
// or watched and the newest.
func TestWhatIsKeptOfRuns(t *testing.T) {
	_, s := serve(t, Socket)
	w := &watches{s: s}
	step := func(id string) { w.event(planruns.RunEvent{Run: id, Kind: "step_started"}) }
	end := func(id string) { w.event(planruns.RunEvent{Run: id, Kind: "run_ended"}) }
	step("at work")
	end("old")
	w.get("watched").stop = func() {}
	for i := range keptRuns {
		end(fmt.Sprint("run ", i))
	}
	var gone []string
	for _, id := range []string{"at work", "watched", "old", "run 0", "run 1", "run 2", fmt.Sprint("run ", keptRuns-1)} {
		if w.of[id] == nil {
			gone = append(gone, id)
		}
	}
	if got := strings.Join(gone, ", "); got != "old, run 0, run 1" || len(w.of) != keptRuns || len(w.order) != keptRuns {
		t.Errorf("got %s forgotten of %d (%d)", got, len(w.of), len(w.order))
	}
	for range keptEvents + 3 {
		step("at work")
	}
	one := w.of["at work"]
	since := func(n int) int { return len(one.since(fmt.Sprintf("%s-%d", one.epoch, n))) }
	if last := one.count; last != keptEvents+4 || len(one.kept) != keptEvents || since(last) != 0 || since(last-2) != 2 || since(1) != keptEvents || since(last+1) != keptEvents || len(one.since("x-2")) != keptEvents {
		t.Errorf("got %d events kept of %d: %d since the last, %d since two before", len(one.kept), last, since(last), since(last-2))
	}
}

// TestRunsThatCannotBegin: what is asked is refused before anything is done.
func TestRunsThatCannotBegin(t *testing.T) {
	url, s := serve(t, Socket)
	s.o.Runs = runner{s}
	const plan = `"plan":"steps: [{id: a, action: shell, parameters: {command: x}}]"`
	for _, c := range []struct {
		path, body, want string
		status           int
	}{
		{"/v1/runs", `{` + plan + `}`, "the folder that the steps work in is not named", 422},
		{"/v1/plan", `{` + plan + `}`, "the folder that the steps work in is not named", 422},
		{"/v1/plan", `{"project":"/",` + plan + `}`, `"id":"a"`, 200},
		{"/v1/runs", `{"project":"/","plan":"steps: 1"}`, "steps", 422},
		{"/v1/runs/run_0000000000000000/continue", `{}`, "nothing has been saved yet", 404},
	} {
		if status, text := call(t, "POST", url+c.path, c.body); status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: got %d, %s, want %d, %s", c.path, c.body, status, text, c.status, c.want)
		}
	}
}
