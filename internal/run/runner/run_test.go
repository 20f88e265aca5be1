package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// desk is a runner over a new store, whose action "do" tests script.
type desk struct {
	*Runner
	t      *testing.T
	mu     sync.Mutex
	did    []string // what has begun, in order
	events []Event
	do     map[string]func(context.Context, action.Call) (action.Result, error)
	effect plan.Effect
}

// script is the action of tests: it does what the desk says for a step.
type script struct{ *desk }

func (s script) Check(plan.Step) error        { return nil }
func (s script) Effect(plan.Step) plan.Effect { return s.effect }
func (s script) Do(ctx context.Context, c action.Call) (action.Result, error) {
	s.mu.Lock()
	s.did = append(s.did, c.Step)
	do := s.do[c.Step]
	s.mu.Unlock()
	if do == nil {
		return action.Result{Output: "out of " + c.Step}, nil
	}
	r, err := do(ctx, c)
	return r, action.Told(err)
}

func newDesk(t *testing.T) *desk {
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "piton.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	d := &desk{t: t, do: map[string]func(context.Context, action.Call) (action.Result, error){}, effect: plan.Once}
	d.Runner = &Runner{
		Keeper:  history.Keeper{Store: s, Recent: &states.Recent{}},
		Actions: map[string]action.Action{"do": script{d}, "checkpoint": action.Named{}},
		Owner:   piton.Owner{PID: 1, Host: "here", Boot: "b", Space: "s"},
		Alive:   func(piton.Owner) (bool, bool) { return false, true },
		Events:  func(e Event) { d.events = append(d.events, e) },
		Poll:    5 * time.Millisecond,
	}
	return d
}

// fails makes a step fail.
func fails(text string) func(context.Context, action.Call) (action.Result, error) {
	return func(context.Context, action.Call) (action.Result, error) { return action.Result{}, errors.New(text) }
}

// steps makes a plan of lines "id <- dep,dep if when".
func steps(lines ...string) plan.Plan {
	var plain []string
	for _, l := range lines {
		id, rest, _ := strings.Cut(l, " ")
		plain = append(plain, id+" pending "+rest)
	}
	p, _ := of(plain...)
	for i := range p.Steps {
		p.Steps[i].Action, p.Steps[i].Description = "do", "Step "+p.Steps[i].ID
		p.Steps[i].Retry.Delay = plan.Duration(time.Millisecond)
	}
	p.Name = "research"
	return p
}

func (d *desk) start(q Request) Outcome {
	d.t.Helper()
	o, err := d.Start(d.t.Context(), q)
	if err != nil {
		d.t.Fatal(err)
	}
	return o
}

func (d *desk) resume(g Again) Outcome {
	d.t.Helper()
	o, err := d.Resume(d.t.Context(), g)
	if err != nil {
		d.t.Fatal(err)
	}
	return o
}

// kept are the checkpoints of a run's workflow, oldest first, a line each.
func (d *desk) kept(o Outcome) (lines []string) {
	d.t.Helper()
	page, err := d.Keeper.Store.List(d.t.Context(), piton.Query{Workflow: o.Run.WorkflowID})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, c := range slices.Backward(page.Checkpoints) {
		if c.Description == "Queued" { // so begins what is worked on in turns
			continue
		}
		lines = append(lines, fmt.Sprintf("%d %s %d%% %s", *c.StepNumber, c.Trigger, *c.Progress, c.Description))
	}
	return lines
}

// TestResearch is the example of every saved plan: the second step fails, is
// resumed later, and the first does not run again.
func TestResearch(t *testing.T) {
	d := newDesk(t)
	d.do["2"] = fails("API timeout")
	p := steps("1", "2 <- 1", "3 <- 2")
	o := d.start(Request{Plan: p, Query: "Find all competitors"})
	if o.Success || o.Run.Status != piton.RunFailed || o.Run.Done != 1 || !strings.Contains(o.Error, "API timeout") {
		t.Errorf("got %+v, want it failed", o)
	}
	if diff := cmp.Diff("1 completed, 2 failed, 3 skipped", statuses(o.State)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if e := o.State.LastError; e == nil || e.StepIndex != 1 || e.Message != "API timeout" {
		t.Errorf("got the last error %+v", e)
	}
	if _, err := d.Start(t.Context(), Request{Plan: p}); piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), o.RunID) {
		t.Errorf("a second run: got %v, want a conflict that names the first", err)
	}
	delete(d.do, "2")
	o = d.resume(Again{Run: o.RunID})
	if !o.Success || o.Recovered != 1 || o.Run.Done != 3 || o.State.LastError != nil {
		t.Errorf("got %+v, want it completed", o)
	}
	if diff := cmp.Diff([]string{"1", "2", "2", "3"}, d.did); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"0 auto 0% ", "1 auto 33% ", "1 error 33% Failed at step 1: Step 2", "1 auto 33% ", "2 auto 66% ", "3 auto 100% Execution complete"}, d.kept(o)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	w, err := d.Keeper.Store.Workflow(t.Context(), "research", "")
	if err != nil || !w.Closed || w.Type != piton.TypePlan {
		t.Errorf("got the workflow %+v, %v, want it closed", w, err)
	}
	again := d.start(Request{Plan: p})
	if !again.Success || again.Run.WorkflowID != o.Run.WorkflowID || again.Run.Branch != piton.MainBranch {
		t.Errorf("a run after it: got %+v, want it on the same branch", again.Run)
	}
	var kinds []string
	for _, e := range d.events[:len(d.events)-8] {
		kinds = append(kinds, string(e.Kind)+" "+e.Step)
	}
	if diff := cmp.Diff([]string{"run_started ", "step_started 1", "step_completed 1", "step_started 2", "step_failed 2", "step_skipped 3", "run_ended ",
		"run_resumed ", "step_started 2", "step_completed 2", "step_started 3", "step_completed 3", "run_ended "}, kinds); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
