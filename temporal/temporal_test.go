package temporal

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

var update = flag.Bool("update", false, "record the histories in testdata again")

// plan leaves a run of a plan to the workers as 'piton run --engine temporal' does.
func (r *rig) plan(text string) string {
	r.Helper()
	x, err := r.app.Run(r.Context(), planruns.RunRequest{RunRequest: piton.RunRequest{Plan: json.RawMessage(text), New: true, RunAgain: piton.RunAgain{Engine: piton.EngineTemporal}}, Dir: r.Home})
	if err != nil || x.Status != piton.RunQueued {
		r.Fatalf("got %s, %v", x.Status, err)
	}
	return x.RunID
}

func has(want piton.RunStatus) func(piton.Run, runner.State) bool {
	return func(r piton.Run, _ runner.State) bool { return r.Status == want }
}

// atWork tells whether a step runs or waits.
func atWork(step string, want runner.Status) func(piton.Run, runner.State) bool {
	return func(_ piton.Run, s runner.State) bool {
		for _, x := range s.Plan {
			if x.ID == step {
				return x.Status == want
			}
		}
		return false
	}
}

func (r *rig) update(id, name string, arg any) error {
	h, err := r.client.UpdateWorkflow(r.Context(), client.UpdateWorkflowOptions{WorkflowID: id, UpdateName: name, Args: []any{arg}, WaitForStage: client.WorkflowUpdateStageCompleted})
	if err != nil {
		return err
	}
	return h.Get(r.Context(), nil)
}

// TestUpdates: what Temporal's own clients say to a run holds as what Piton's do, and only for
// what is shown.
func TestUpdates(t *testing.T) {
	r := newRig(t, "")
	r.work(0)
	id := r.plan(`{name: u, type: chain, steps: [{id: ok, approval: 'Publish?'}, {id: s, wait: {signal: done}}, {id: c, run: 'echo ${{ steps.s.output.payload.n }} ${{ steps.ok.output.by }}'}]}`)
	r.until(id, atWork("ok", runner.Waiting))
	var h runner.Hands
	for len(h.Asks) == 0 {
		v, err := r.client.QueryWorkflow(t.Context(), id, "", handsQuery)
		if err == nil {
			err = v.Get(&h)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	shown := h.Asks[0].Shown
	for _, c := range []struct {
		name, want string
		arg        any
	}{
		{"approve", "shows something else by now", Answer{Step: "ok", Shown: "0", By: "mia"}},
		{"approve", "asks nothing now", Answer{Step: "c", Shown: shown, By: "mia"}},
		{"approve", "does not say whose it is", Answer{Step: "ok", Shown: shown}},
		{"signal", "a signal has a name", Signal{Name: "done"}},
		{"steer", "the wish is pause or cancel", Steer{Wish: "stop"}},
	} {
		if err := r.update(id, c.name, c.arg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	if err := r.update(id, "approve", Answer{Step: "ok", Shown: shown, By: "mia"}); err != nil {
		t.Fatal(err)
	}
	r.until(id, atWork("s", runner.Waiting))
	if err := r.update(id, "signal", Signal{Name: "done", ID: "1", Payload: json.RawMessage(`{"n": 7}`), By: "mia"}); err != nil {
		t.Fatal(err)
	}
	if _, text := r.until(id, has(piton.RunCompleted)); !strings.Contains(string(text), "7 mia") {
		t.Errorf("got %s", text)
	}
	other := r.plan(`{name: v, steps: [{id: long, run: sleep 600, effect: idempotent}, {id: f, if: always(), needs: [long], run: 'echo cleaned'}]}`)
	r.until(other, atWork("long", runner.Running))
	if err := r.update(other, "steer", Steer{Wish: piton.WishCancel}); err != nil {
		t.Fatal(err)
	}
	if _, text := r.until(other, has(piton.RunCancelled)); !strings.Contains(string(text), "cleaned") {
		t.Errorf("got %s", text)
	}
	for id, want := range map[string]enums.WorkflowExecutionStatus{id: enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, other: enums.WORKFLOW_EXECUTION_STATUS_CANCELED} {
		r.closed(id, want)
	}
}

// closed waits until a run's workflow has ended, and looks how.
func (r *rig) closed(id string, want enums.WorkflowExecutionStatus) {
	r.Helper()
	_ = r.client.GetWorkflow(r.Context(), id, "").Get(r.Context(), nil)
	d, err := r.client.DescribeWorkflowExecution(r.Context(), id, "")
	if err != nil || d.WorkflowExecutionInfo.Status != want {
		r.Errorf("%s: got %v, %v, want %s", id, d.GetWorkflowExecutionInfo().GetStatus(), err, want)
	}
}

// TestSteered: a run that is paused is given back, goes on when it is resumed, and a failed
// one goes on where it failed; each time as a workflow of the same id.
func TestSteered(t *testing.T) {
	r := newRig(t, "")
	r.work(0)
	go1 := filepath.Join(r.Home, "go1")
	id := r.plan(`{name: p, type: chain, steps: [{id: a, run: 'echo a >> did; until test -e go1; do sleep 0.05; done', effect: idempotent}, {id: b, run: 'echo b >> did; test -e go2', effect: idempotent}]}`)
	r.until(id, atWork("a", runner.Running))
	if _, err := r.app.SteerRun(t.Context(), id, piton.WishPause); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond) // the workers hear of it
	if err := os.WriteFile(go1, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.until(id, has(piton.RunPaused))
	r.closed(id, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	again := planruns.RunRequest{RunRequest: piton.RunRequest{Resume: true}, Ref: id}
	if x, err := r.app.Run(t.Context(), again); err != nil || x.Status != piton.RunQueued {
		t.Fatalf("got %+v, %v, want it left to the workers again", x, err)
	}
	r.until(id, has(piton.RunFailed))
	r.closed(id, enums.WORKFLOW_EXECUTION_STATUS_FAILED)
	if err := os.WriteFile(filepath.Join(r.Home, "go2"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	again.Engine = piton.EnginePiton // and here, where a person wants that
	if x, err := r.app.Run(t.Context(), again); err != nil || x.Status != piton.RunCompleted {
		t.Fatalf("got %+v, %v", x, err)
	}
	if did, err := os.ReadFile(filepath.Join(r.Home, "did")); string(did) != "a\nb\nb\n" {
		t.Errorf("got %q, %v", did, err)
	}
}

// TestMachines: three workers on machines of their own share a server's store; a step that
// needs a folder runs where that is, and what one machine has begun another goes on with.
func TestMachines(t *testing.T) {
	r := newRig(t, pgtest.DSN(t))
	ledgers := make([]string, 3)
	for n := range 3 {
		ledgers[n] = filepath.Join(t.TempDir(), "ledger")
		r.Ledger, r.Host = ledgers[n], fmt.Sprint("machine-", n)
		r.work(n)
	}
	k := r.runner()
	var ids []string
	for n := range 12 {
		p := r.read(`{name: m, type: chain, steps: [{id: a, action: do}, {id: w, wait: 0.1}, {id: b, action: do}]}`)
		host := ""
		if n%2 == 0 {
			host = "machine-1"
		}
		o, err := k.Start(t.Context(), runner.Request{Plan: p, New: true, Queue: true, Daemon: piton.EngineTemporal, Host: host})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, o.RunID)
	}
	for n, id := range ids {
		r.until(id, has(piton.RunCompleted))
		did := make([]int, 3)
		for m := range ledgers {
			text, _ := os.ReadFile(ledgers[m])
			did[m] = strings.Count(string(text), id)
		}
		if all := did[0] + did[1] + did[2]; all != 4 || n%2 == 0 && did[1] != 4 {
			t.Errorf("run %d: got %v lines by machine", n, did)
		}
	}
}

// TestServerRestarts: what a killed server had acknowledged goes on when it is started again.
func TestServerRestarts(t *testing.T) {
	r := newRig(t, "")
	r.work(0)
	id := r.begin(`{name: l, steps: [{id: each, for_each: {from: 1, to: 60}, parallel: 3, action: do, effect: idempotent}, {id: end, needs: [each], action: do}]}`)
	for n := 1; n <= 3; n++ {
		r.until(id, func(run piton.Run, _ runner.State) bool { return run.Done >= 15*n })
		r.server.kill()
		r.server.start()
	}
	r.until(id, has(piton.RunCompleted))
	if n := strings.Count(r.lines(), "effect end "); n != 1 {
		t.Errorf("the last step took effect %d times", n)
	}
	r.replay()
}

// TestTerminated: where somebody ends a run's workflow, another one goes on with the run, and
// what may have taken effect is in doubt.
func TestTerminated(t *testing.T) {
	r := newRig(t, "")
	r.work(0)
	id := r.plan(`{name: x, steps: [{id: long, run: sleep 600}]}`)
	r.until(id, atWork("long", runner.Running))
	if err := r.client.TerminateWorkflow(t.Context(), id, "", "a test"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.app.SteerRun(t.Context(), id, piton.WishPause); err != nil { // word to it finds it gone
		t.Fatal(err)
	}
	if run, text := r.until(id, func(run piton.Run, _ runner.State) bool { return run.Owner == piton.Owner{} }); !strings.Contains(string(text), "nobody knows whether it took effect") {
		t.Errorf("got %s, %s", run.Status, text)
	}
}

// TestOuterRunHears: a run hears how the run of its step has ended, also where that only stops.
func TestOuterRunHears(t *testing.T) {
	r := newRig(t, "")
	r.work(0)
	id := r.plan(`{name: outer, plans: {inner: {name: inner, budget: {time: 1s}, steps: [{id: long, run: sleep 600, effect: idempotent}]}}, steps: [{id: sub, plan: inner}]}`)
	if run, _ := r.until(id, has(piton.RunFailed)); !strings.Contains(run.Error, "has stopped: the budget of time is used up") {
		t.Errorf("got %s", run.Error)
	}
}

// TestCancelledThere: who cancels a run's workflow in Temporal cancels the run.
func TestCancelledThere(t *testing.T) {
	r := newRig(t, "")
	r.work(0)
	id := r.plan(`{name: x, steps: [{id: long, run: sleep 600, effect: idempotent}, {id: f, if: always(), needs: [long], run: 'echo cleaned'}]}`)
	r.until(id, atWork("long", runner.Running))
	if err := r.client.CancelWorkflow(t.Context(), id, ""); err != nil {
		t.Fatal(err)
	}
	if _, text := r.until(id, has(piton.RunCancelled)); !strings.Contains(string(text), "cleaned") {
		t.Errorf("got %s", text)
	}
	r.closed(id, enums.WORKFLOW_EXECUTION_STATUS_CANCELED)
}

// TestTakenBack: a person takes a run from a Temporal that is gone.
func TestTakenBack(t *testing.T) {
	r := newRig(t, "")
	r.work(0)
	id := r.plan(`{name: x, type: chain, steps: [{id: a, run: 'test -e go || sleep 600', effect: idempotent}, {id: b, run: 'echo b'}]}`)
	r.until(id, atWork("a", runner.Running))
	r.server.kill()
	if err := os.WriteFile(filepath.Join(r.Home, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	again := planruns.RunRequest{RunRequest: piton.RunRequest{Resume: true, RunAgain: piton.RunAgain{Engine: piton.EnginePiton}}, Ref: id}
	if x, err := r.app.Run(t.Context(), again); err != nil || x.Status != piton.RunCompleted {
		t.Fatalf("got %+v, %v", x, err)
	}
}

// TestNoSecretInHistories: secrets are resolved where a step runs; neither the calls nor what
// they bring hold one.
func TestNoSecretInHistories(t *testing.T) {
	t.Setenv("TOKEN_OF_TEST", "very-secret-word")
	r := newRig(t, "")
	r.work(0)
	id := r.plan(`{name: s, type: chain, steps: [{id: a, run: 'echo it is $T', env: {T: "${env:TOKEN_OF_TEST}"}}, {id: b, run: 'echo fine'}, {id: bad, run: 'echo $T >&2; exit 3', env: {T: "${env:TOKEN_OF_TEST}"}, effect: idempotent},
		{id: later, if: always(), needs: [bad], run: 'echo ${{ steps.a.output }}'}]}`)
	run, text := r.until(id, has(piton.RunFailed))
	if !strings.Contains(string(text), "held a secret, which was not kept") {
		t.Errorf("got %s: %s", run.Error, text)
	}
	all := protojson.Format(r.history(id, ""))
	if strings.Contains(all, "very-secret") || strings.Contains(string(text), "very-secret") {
		t.Error("the secret is in the history, or the state")
	}
	if len(all) < 1000 {
		t.Errorf("got the history %s", all)
	}
}

func (r *rig) history(id, execution string) *history.History {
	h := &history.History{}
	it := r.client.GetWorkflowHistory(r.Context(), id, execution, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for it.HasNext() {
		e, err := it.Next()
		if err != nil {
			r.Fatal(err)
		}
		h.Events = append(h.Events, e)
	}
	return h
}

// TestRecordedHistories replays histories of earlier versions.
func TestRecordedHistories(t *testing.T) {
	if *update {
		r := newRig(t, "")
		r.work(0)
		id := r.begin(`{name: recorded, steps: [{id: each, for_each: [1, 2, 3], action: do}, {id: w, needs: [each], wait: 0.2}, {id: s, needs: [w], wait: {signal: go}}, {id: fail, needs: [s], action: do, effect: idempotent, retry: {attempts: 2, delay: 0.1}}], finally: [{id: f, action: do}]}`)
		r.until(id, has(piton.RunFailed))
		r.closed(id, enums.WORKFLOW_EXECUTION_STATUS_FAILED)
		if err := os.WriteFile("testdata/recorded.json", []byte(protojson.Format(r.history(id, ""))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %v, %v", files, err)
	}
	for _, f := range files {
		x := worker.NewWorkflowReplayer()
		x.RegisterWorkflowWithOptions(Run, workflow.RegisterOptions{Name: workflowName})
		if err := x.ReplayWorkflowHistoryFromJSONFile(quiet{}, f); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// TestProgram goes through a run as a person does: the two programs, and the run found in
// Temporal by how it stands.
func TestProgram(t *testing.T) {
	bin := t.TempDir()
	for out, from := range map[string]string{"piton": "..", "piton-temporal": "."} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(bin, out), map[string]string{"..": "./cmd/piton", ".": "./piton-temporal"}[from])
		cmd.Dir = from
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	s := newServer(t)
	c := s.client()
	dir := t.TempDir()
	env := append(os.Environ(), "TEMPORAL_ADDRESS="+s.address(), "PITON_HOME="+filepath.Join(dir, "home"))
	piton := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "piton"), args...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	w := exec.Command(filepath.Join(bin, "piton-temporal"), "worker")
	w.Env, w.Stderr = env, os.Stderr
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Process.Kill(); w.Wait() })
	plan := "name: nightly\nsteps:\n  - {id: a, run: echo hello}\n  - {id: ok, needs: [a], approval: 'Publish?'}\n  - {id: b, needs: [ok], run: echo done}\n"
	if err := os.WriteFile(filepath.Join(dir, "plan.yaml"), []byte(plan), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := piton("run", "plan.yaml", "--engine", "temporal")
	if err == nil || !strings.Contains(out, "step ok asks") && !strings.Contains(out, "waits for a person") {
		t.Fatalf("got %v\n%s", err, out)
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		l, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: `PitonStatus = "waiting" AND PitonWorkflow = "nightly"`})
		if err == nil && len(l.Executions) == 1 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("got %v, %v", l, err)
		}
	}
	if out, err := piton("runs", "approve", "nightly", "--yes"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		out, err := piton("runs", "show", "nightly")
		if err == nil && strings.Contains(out, "completed, 3 of 3 steps") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if err := w.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := w.Wait(); err != nil {
		t.Errorf("the worker: %v", err)
	}
}
