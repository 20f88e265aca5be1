//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/run/runner"
)

// The daemon works on as many runs as serve.runs says. The others are queued in the
// store, with their place; they survive the daemon, begin in their order, and can be
// cancelled.
func TestServeQueuesRuns(t *testing.T) {
	h := newHouse(t)
	h.env = append(h.env, "PITON_SERVE_RUNS=2")
	d := h.serve()
	var ids []string
	for i := range 6 {
		ids = append(ids, h.begin(fmt.Sprintf("name: q%d\nsteps:\n  - {id: a, effect: idempotent, run: 'echo %d >> began; until test -e go%d; do sleep 0.05; done'}\n", i, i, i)))
	}
	h.await("the first two to work", func() bool { return len(h.lines("began")) == 2 })
	for i, id := range ids[2:] {
		if r := h.show(id).Run; r.Status != piton.RunQueued || r.Place != i+1 {
			t.Errorf("run %d is %s in place %d, want it queued in place %d", i+2, r.Status, r.Place, i+1)
		}
	}
	h.run("runs", "cancel", ids[3])
	h.ended(ids[3], piton.RunCancelled)
	d.end(syscall.SIGKILL)
	if v := h.show(ids[4]); v.Run.Stands != planruns.StandNoDaemon || !strings.Contains(v.Hint, "'piton serve'") || !v.Run.EndedAt.IsZero() {
		t.Errorf("without a daemon it is %+v, and its hint is %q", v.Run, v.Hint)
	}
	if said := h.run("status"); strings.Count(said, "  piton serve") != 3 {
		t.Errorf("without a daemon the status is\n%s", said)
	}

	h.serve()
	h.await("the first two to work again", func() bool { return len(h.lines("began")) == 4 })
	if r := h.show(ids[4]).Run; r.Status != piton.RunQueued || r.Place != 2 {
		t.Errorf("after a kill it is %s in place %d, want it queued in place 2", r.Status, r.Place)
	}
	for i := range 6 {
		h.touch(fmt.Sprint("go", i))
		if i == 3 {
			continue
		}
		h.ended(ids[i], piton.RunCompleted)
	}
	if got, want := h.lines("began")[4:], []string{"2", "4", "5"}; !slices.Equal(got, want) {
		t.Errorf("they began in the order %q, want %q", got, want)
	}
}

// A run that goes on while the daemon works on as many as it may is queued as one that
// begins, with what it was told, and survives the daemon.
func TestServeQueuesContinuedRuns(t *testing.T) {
	h := newHouse(t)
	h.env = append(h.env, "PITON_SERVE_RUNS=1")
	d := h.serve()
	again := h.begin("name: again\ninputs: {n: {default: one}}\nsteps:\n  - {id: a, effect: idempotent, run: 'echo ${{ inputs.n }} >> again; test -e go'}\n")
	h.ended(again, piton.RunFailed)
	work := h.begin("name: work\nsteps:\n  - {id: a, effect: idempotent, run: 'until test -e go; do sleep 0.05; done'}\n")
	h.reached(work, "a", runner.Running)
	code, text := h.call("POST", "/v1/runs/"+again+"/continue", `{"inputs": {"n": "two"}, "accept_plan": true}`)
	if r := h.show(again).Run; code != http.StatusAccepted || r.Status != piton.RunQueued || r.Place != 1 {
		t.Fatalf("got status %d, and the run is %s in place %d\n%s", code, r.Status, r.Place, text)
	}
	d.end(syscall.SIGKILL)

	h.touch("go")
	h.serve()
	h.ended(work, piton.RunCompleted)
	h.ended(again, piton.RunCompleted)
	if got, want := h.lines("again"), []string{"one", "two"}; !slices.Equal(got, want) {
		t.Errorf("its step ran with %q, want %q", got, want)
	}
}

// A run whose steps have no folder to work in is refused at once, and does not stay queued.
func TestServeRefusesNoFolder(t *testing.T) {
	h := newHouse(t)
	h.serve()
	body := fmt.Sprintf(`{"project": %q, "plan": "name: x\ndir: nowhere\nsteps: [{id: a, run: 'true'}]\n"}`, h.dir)
	if code, text := h.call("POST", "/v1/runs", body); code != http.StatusUnprocessableEntity || !strings.Contains(text, "nowhere is not a folder") {
		t.Errorf("got status %d, %s", code, text)
	}
}

// Of a plan with max_runs the daemon works on no more at once, though it has room, and
// other plans go before those that wait for it.
func TestServeKeepsWidths(t *testing.T) {
	h := newHouse(t)
	d := h.serve()
	narrow := func(i int) string {
		return h.begin(fmt.Sprintf("name: narrow\nmax_runs: 1\nsteps:\n  - {id: a, effect: idempotent, run: 'echo %d >> narrow; until test -e go%d; do sleep 0.05; done'}\n", i, i))
	}
	begin := func(i int) string {
		body, err := json.Marshal(map[string]any{"project": h.dir, "new": true, "plan": fmt.Sprintf("name: narrow\nmax_runs: 1\nsteps:\n  - {id: a, effect: idempotent, run: 'echo %d >> narrow; until test -e go%d; do sleep 0.05; done'}\n", i, i)})
		if err != nil {
			t.Fatal(err)
		}
		code, text := h.call("POST", "/v1/runs", string(body))
		var v planruns.RunView
		if err := json.Unmarshal([]byte(text), &v); err != nil || code != http.StatusAccepted {
			t.Fatalf("got status %d, %s", code, text)
		}
		return v.Run.ID
	}
	ids := []string{narrow(0), begin(1), begin(2)}
	h.await("the first to work", func() bool { return len(h.lines("narrow")) == 1 })
	wide := h.begin("name: wide\nsteps:\n  - {id: a, run: 'true'}\n")
	h.ended(wide, piton.RunCompleted)
	if a, b := h.show(ids[1]).Run.Status, h.show(ids[2]).Run.Status; a != piton.RunQueued || b != piton.RunQueued || len(h.lines("narrow")) != 1 {
		t.Errorf("got %s and %s beside the first one, want them queued", a, b)
	}
	d.end(syscall.SIGKILL)
	h.serve()
	for i, id := range ids {
		h.touch(fmt.Sprint("go", i))
		h.ended(id, piton.RunCompleted)
	}
	if got := slices.Compact(h.lines("narrow")); !slices.Equal(got, []string{"0", "1", "2"}) {
		t.Errorf("they began in the order %q", got)
	}
}

// What a schedule has queued the daemon works on, with the time that it was due at.
func TestServeRunsSchedules(t *testing.T) {
	h := newHouse(t)
	if err := os.WriteFile(h.dir+"/nightly.yaml", []byte("name: nightly\ninputs: {at: {default: none}}\nsteps:\n  - {id: a, run: 'echo ${{ inputs.at }} >> nights'}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := h.terminal("runs", "schedule", "add", "nightly.yaml", "--cron", "0 2 * * *", "--timezone", "UTC", "--input", "at={date}"); err != nil {
		t.Fatalf("add: %v\n%s", err, out)
	}
	if out, err := h.terminal("runs", "schedule", "trigger", "nightly"); err != nil || !strings.Contains(out, "no daemon runs") {
		t.Fatalf("trigger: %v\n%s", err, out)
	}
	d := h.serve()
	d.says("a schedule has queued a run")
	h.await("the run to end", func() bool { return len(h.lines("nights")) == 1 })
	code, text := h.call("GET", "/v1/schedules", "")
	if code != http.StatusOK || !strings.Contains(text, `"name":"nightly"`) || !strings.Contains(text, `"daemon":true`) {
		t.Errorf("got status %d, %s", code, text)
	}
	if code, text := h.call("POST", "/v1/schedules/nightly/pause", ""); code != http.StatusOK || !strings.Contains(text, `"paused":true`) {
		t.Errorf("pause: got status %d, %s", code, text)
	}
}
