//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/testkit/need"
)

// killedRun is a run of 20 steps whose client, terminal and runner die.
type killedRun struct {
	t    *testing.T
	dir  string
	env  []string
	done map[string]int // how often a step had run when it was first seen completed

	wanted int            // kills
	kills  map[string]int // of whom
}

const killedSteps = 20

// A run of 20 steps is killed again and again, by turns the runner, its terminal and
// the client that has started it, and finished from another terminal: no step that
// was recorded as completed runs again, and every result is recorded once. Its steps
// wait until there were enough kills, so that it cannot end before the last one.
func TestKilledRun(t *testing.T) {
	k := &killedRun{t: t, dir: t.TempDir(), done: map[string]int{}, wanted: need.Many(9, 60), kills: map[string]int{}}
	k.env = cleanEnv(k.dir)
	k.writePlan()
	early := 0 // kills of a process that did not work on the run yet
	for n := 0; n < k.wanted; {
		whom := []string{"runner", "terminal", "client"}[n%3]
		if !k.runAndKill(whom, early) {
			if early++; early > 100+k.wanted {
				t.Fatalf("%d times nobody worked on the run when it was to be killed", early)
			}
			continue
		}
		n++
		k.kills[whom]++
		v, _ := k.show()
		if v.Run.Status.Ended() {
			t.Fatalf("after %d of %d kills it is %s", n, k.wanted, v.Run.Status)
		}
		k.compare(v)
		if err := os.WriteFile(fmt.Sprint(k.dir, "/kill", n), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 { // the system may take a while to end what was killed
		if v, _ := k.show(); v.Run.Alive != caller.OwnerAlive {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	elsewhere := t.TempDir() // another terminal, in another folder
	run := k.run().ID
	out, err := k.command(elsewhere, "piton", "run", "--resume", run, "--json").CombinedOutput()
	if err != nil {
		t.Fatalf("resume from elsewhere: %v\n%s", err, out)
	}
	v, _ := k.show()
	k.compare(v)
	results := map[string]int{}
	for _, r := range k.state().Results {
		results[r.StepID]++
	}
	for i := range killedSteps {
		id := fmt.Sprint("s", i)
		if results[id] != 1 {
			t.Errorf("step %s: got %d results, want 1", id, results[id])
		}
		if _, ok := k.done[id]; !ok {
			t.Errorf("step %s is not completed", id)
		}
	}
	if !t.Failed() {
		t.Logf("killed while it worked: runner %d, terminal %d, client %d times; %d more before it worked; %d steps, each recorded once; repeated: 0",
			k.kills["runner"], k.kills["terminal"], k.kills["client"], early, killedSteps)
	}
}

// writePlan writes a plan of five stages of four steps, of which each can end only
// after its share of the kills.
func (k *killedRun) writePlan() {
	var b strings.Builder
	b.WriteString("name: long\nparallel: 4\nsteps:\n")
	for i := range killedSteps {
		needs := "[]"
		if i >= 4 {
			needs = fmt.Sprintf("[s%d, s%d]", i-4, i/4*4-4)
		}
		fmt.Fprintf(&b, "  - {id: s%d, needs: %s, effect: idempotent, run: 'echo s%d >> calls; until test -e kill%d; do sleep 0.02; done; echo %d'}\n",
			i, needs, i, (i+1)*k.wanted/killedSteps, i)
	}
	if err := os.WriteFile(k.dir+"/kill0", nil, 0o644); err != nil {
		k.t.Fatal(err)
	}
	if err := os.WriteFile(k.dir+"/long.yaml", []byte(b.String()), 0o644); err != nil {
		k.t.Fatal(err)
	}
}

func (k *killedRun) command(dir, name string, args ...string) *exec.Cmd {
	c := exec.Command(need.Program(k.t, name), args...)
	c.Dir, c.Env = dir, k.env
	return c
}

// runAndKill starts or continues the run as a client in a terminal does, and kills
// one of the three after a while, a longer one the more were killed too early. It
// reports whether that was at work.
func (k *killedRun) runAndKill(whom string, early int) (worked bool) {
	c := k.command(k.dir, "sh", "-c", "piton run long.yaml --resume >>out 2>&1; true")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		k.t.Fatal(err)
	}
	time.Sleep(time.Duration(50+rand.IntN(250+20*early)) * time.Millisecond)
	owner := 0
	if v, ok := k.show(); ok && v.Run.Alive == caller.OwnerAlive {
		owner = v.Run.Owner.PID
	}
	switch whom {
	case "terminal": // all in it are told to end, and are not waited for
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGHUP)
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
	case "client":
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	if owner > 0 {
		_ = syscall.Kill(owner, syscall.SIGKILL)
	}
	_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	_ = c.Wait()
	return owner > 0
}

// run is the only run there is.
func (k *killedRun) run() planruns.RunRow {
	out, err := k.command(k.dir, "piton", "runs", "list", "--json").Output()
	var list planruns.RunList
	if err == nil {
		err = json.Unmarshal(out, &list)
	}
	if err != nil || len(list.Runs) > 1 {
		k.t.Fatalf("got %d runs, %v: %s", len(list.Runs), err, out)
	}
	if len(list.Runs) == 0 {
		return planruns.RunRow{}
	}
	return list.Runs[0]
}

// show is the run as it stands; false where it has not begun.
func (k *killedRun) show() (v planruns.RunView, began bool) {
	r := k.run()
	if r.ID == "" {
		return v, false
	}
	out, err := k.command(k.dir, "piton", "runs", "show", r.ID, "--json").Output()
	if err == nil {
		err = json.Unmarshal(out, &v)
	}
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		err = fmt.Errorf("%w: %s", err, ended.Stderr)
	}
	if err != nil {
		k.t.Fatalf("runs show: %v", err)
	}
	return v, true
}

func (k *killedRun) state() (s runner.State) {
	out, err := k.command(k.dir, "piton", "load", "--workflow", "long").Output()
	if err == nil {
		err = json.Unmarshal(out, &s)
	}
	if err != nil {
		k.t.Fatal(err)
	}
	return s
}

// compare holds how often completed steps have run against what was seen before.
func (k *killedRun) compare(v planruns.RunView) {
	text, err := os.ReadFile(filepath.Join(k.dir, "calls"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		k.t.Fatal(err)
	}
	ran := map[string]int{}
	for _, id := range strings.Fields(string(text)) {
		ran[id]++
	}
	for _, s := range v.Steps {
		before, seen := k.done[s.ID]
		switch {
		case s.Status == runner.Completed && !seen:
			k.done[s.ID] = ran[s.ID]
		case seen && s.Status != runner.Completed:
			k.t.Errorf("step %s was completed and is %s", s.ID, s.Status)
		case seen && ran[s.ID] != before:
			k.t.Errorf("step %s ran %d times, %d of them after it was completed", s.ID, ran[s.ID], ran[s.ID]-before)
		}
	}
}
