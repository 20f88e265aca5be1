//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/run/runner"
)

// begin begins a run of a plan over HTTP, in a project of its own.
func (h *house) begin(plan string) (id string) {
	h.Helper()
	body, err := json.Marshal(map[string]string{"project": h.dir, "plan": plan})
	if err != nil {
		h.Fatal(err)
	}
	code, text := h.call("POST", "/v1/runs", string(body))
	var v planruns.RunView
	if err := json.Unmarshal([]byte(text), &v); err != nil || code != http.StatusAccepted || v.Run.ID == "" {
		h.Fatalf("begin a run: got status %d, %s", code, text)
	}
	return v.Run.ID
}

func (h *house) show(run string) (v planruns.RunView) {
	h.Helper()
	if err := json.Unmarshal([]byte(h.run("runs", "show", run, "--json")), &v); err != nil {
		h.Fatal(err)
	}
	return v
}

// reached waits until a step of a run has a status.
func (h *house) reached(run, step string, want runner.Status) {
	h.Helper()
	h.await(fmt.Sprintf("step %s to be %s", step, want), func() bool {
		for _, s := range h.show(run).Steps {
			if s.ID == step {
				return s.Status == want
			}
		}
		return false
	})
}

func (h *house) ended(run string, want piton.RunStatus) {
	h.Helper()
	h.await(fmt.Sprintf("the run to be %s", want), func() bool { return h.show(run).Run.Status == want })
}

// times is how often a file has a line.
func (h *house) times(name, line string) int {
	h.Helper()
	text, err := os.ReadFile(h.dir + "/" + name)
	if err != nil && !os.IsNotExist(err) {
		h.Fatal(err)
	}
	return strings.Count(string(text), line+"\n")
}

func (h *house) touch(name string) {
	h.Helper()
	if err := os.WriteFile(h.dir+"/"+name, nil, 0o644); err != nil {
		h.Fatal(err)
	}
}

const releasePlan = `name: release
steps:
  - {id: build, effect: idempotent, run: 'echo build >> calls; until test -e go1; do sleep 0.05; done'}
  - {id: sign, needs: [build], action: approve, with: {message: 'publish it?'}}
  - {id: publish, needs: [sign], effect: idempotent, run: 'echo publish >> calls; until test -e go2; do sleep 0.05; done'}
  - {id: tell, needs: [publish], run: 'echo tell >> calls'}
`

// A run that was started over HTTP is finished though its daemon is killed twice, with
// the approval of a person at a terminal between: what was completed does not run
// again, and every result is there once.
func TestRunOverHTTPSurvivesItsDaemon(t *testing.T) {
	h := newHouse(t)
	d := h.serve()
	run := h.begin(releasePlan)
	h.reached(run, "build", runner.Running)
	h.await("the first step to work", func() bool { return h.times("calls", "build") == 1 })
	d.end(syscall.SIGKILL)

	d = h.serve() // takes it up by itself
	d.says("the run goes on")
	h.await("the step that was broken off to run again", func() bool { return h.times("calls", "build") == 2 })
	h.touch("go1")
	h.ended(run, piton.RunWaiting)
	if out, err := h.terminal("runs", "approve", run, "--yes"); err != nil {
		t.Fatalf("approve: %v\n%s", err, out)
	}
	h.reached(run, "publish", runner.Running)
	h.await("the third step to work", func() bool { return h.times("calls", "publish") == 1 })
	d.end(syscall.SIGKILL)

	h.touch("go2")
	h.serve()
	h.ended(run, piton.RunCompleted)
	if n := h.times("calls", "build"); n != 2 {
		t.Errorf("build: got %d calls, want 2: it ran again after the first kill only", n)
	}
	if n := h.times("calls", "tell"); n != 1 {
		t.Errorf("tell: got %d calls, want 1", n)
	}
	var view struct{ State runner.State }
	if err := json.Unmarshal([]byte(h.run("inspect", h.show(run).Checkpoint, "--state", "--json")), &view); err != nil {
		t.Fatal(err)
	}
	results := map[string]int{}
	for _, r := range view.State.Results {
		results[r.StepID]++
	}
	for _, step := range []string{"build", "sign", "publish", "tell"} {
		if results[step] != 1 {
			t.Errorf("step %s: got %d results, want 1", step, results[step])
		}
	}
}

// A daemon that is asked to end saves its run and gives it up, ends its steps, and the
// next one goes on with it; a letter that waits is there still.
func TestServeEndsInOrder(t *testing.T) {
	h := newHouse(t)
	d := h.serve()
	run := h.begin("name: long\nsteps:\n  - {id: work, effect: idempotent, run: 'echo $$ >> pids; until test -e go; do sleep 0.05; done'}\n")
	h.await("the step to work", func() bool { return len(h.lines("pids")) == 1 })
	if code := d.end(syscall.SIGTERM); code != 0 {
		t.Errorf("got exit status %d, want 0", code)
	}
	if v := h.show(run); v.Run.Status != piton.RunStopped || v.Run.Error != runner.HandedOver || v.Run.Owner.PID != 0 {
		t.Errorf("got %s, %q, owner %d, want it stopped and given up", v.Run.Status, v.Run.Error, v.Run.Owner.PID)
	}
	h.await("the step's program to end", func() bool {
		var pid int
		_, err := fmt.Sscan(h.lines("pids")[0], &pid)
		return err == nil && syscall.Kill(pid, 0) == syscall.ESRCH
	})
	d = h.serve()
	d.says("the run goes on")
	h.touch("go")
	h.ended(run, piton.RunCompleted)

	// Settings are read again, and it serves on.
	if err := d.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	d.says("the settings were read again")
	if code, _ := h.call("GET", "/healthz", ""); code/100 != 2 {
		t.Errorf("after SIGHUP: got status %d", code)
	}
	d.end(syscall.SIGTERM)
}

// A run that a person has begun on a terminal and that was killed waits for a person,
// unless its plan says that it continues.
func TestServeTakesUpRuns(t *testing.T) {
	for _, c := range []struct{ name, onCrash, want string }{
		{"it is to continue", "on_crash: continue\n", "the run goes on"},
		{"it says nothing", "", "a run is unfinished, and waits for a person"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			plan := "name: long\n" + c.onCrash + "steps:\n  - {id: work, effect: idempotent, run: 'echo $$ >> pids; until test -e go; do sleep 0.05; done'}\n"
			if err := os.WriteFile(h.dir+"/plan.yaml", []byte(plan), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := h.piton("run", "plan.yaml")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			h.await("the step to work", func() bool { return len(h.lines("pids")) == 1 })
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			d := h.serve()
			d.says(c.want)
			h.touch("go")
			if c.onCrash != "" {
				d.says("a run has ended, for now")
			}
			d.end(syscall.SIGTERM)
			if n := len(h.lines("pids")); n != 1 && c.onCrash == "" || n != 2 && c.onCrash != "" {
				t.Errorf("got the step begun %d times", n)
			}
		})
	}
}

func (h *house) lines(name string) []string {
	h.Helper()
	text, err := os.ReadFile(h.dir + "/" + name)
	if err != nil && !os.IsNotExist(err) {
		h.Fatal(err)
	}
	return strings.Fields(string(text))
}

// terminal runs a command that a person types.
func (h *house) terminal(args ...string) (string, error) {
	out, err := h.piton(args...).CombinedOutput()
	return string(out), err
}
