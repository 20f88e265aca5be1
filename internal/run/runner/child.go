package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

// childRun is the action of a step that is a run of another plan. Which run that is follows
// from the step's key, so after a crash the same one goes on.
type childRun struct {
	action.Plan // what its parameters are, and that the run which an attempt has begun is found again
	runner      *Runner
	inner       plan.Plan
	parent      piton.Run
}

// Nested is the action plan, whose runs a runner like this one works on.
func Nested(r *Runner) action.Action { return childRun{runner: r} }

// Do begins the run, or goes on with it.
func (c childRun) Do(ctx context.Context, call action.Call) (action.Result, error) {
	outer, err := ReadPlan(ctx, c.runner.Keeper.Store.Runs(), call.Run)
	if err == nil {
		c.parent, err = c.runner.Keeper.Store.Runs().Run(ctx, call.Run)
	}
	if err != nil {
		return action.Result{}, err
	}
	file, _ := call.Parameters["file"].(string)
	inner, has := outer.Plans[file]
	if !has {
		return action.Result{}, &action.Failed{Err: fmt.Errorf("the plan %s is not part of the run", file), Final: true, Known: action.Before}
	}
	r := *c.runner
	r.Parallel = 0
	r.Events = func(ev Event) { // what the run does is what the step says
		switch ev.Kind {
		case StepWaiting:
			call.Say("step " + ev.Step + " waits for a person: piton runs approve " + ev.Run + " " + ev.Step)
		case StepStarted, StepCompleted, StepFailed, StepIdle, StepInDoubt, StepCouldNot:
			call.Say(string(ev.Kind) + " " + ev.Step + " of " + ev.Run)
		}
	}
	c.runner, c.inner = &r, inner
	before, known, err := c.runner.childOf(ctx, call.Key)
	if err != nil {
		return action.Result{}, err
	}
	var o Outcome
	own, stop := c.until(ctx, call)
	elsewhere := c.parent.Daemon == piton.EngineTemporal // there the step waits, and the run is one of its own
	noted, _ := call.Noted.Data["fence"].(float64)
	working := before.Status == piton.RunRunning || before.Status == piton.RunQueued
	switch {
	case !known:
		o, err = c.begin(own, call)
	case before.Status.Ended():
		o = Outcome{RunID: before.ID, Run: before}
		if before.CheckpointID != "" {
			o.State, err = ReadState(ctx, c.runner.Keeper, before.CheckpointID)
		}
	case elsewhere && (working || float64(before.Fence) != noted): // it works, or has since this step last saw it
		o = Outcome{RunID: before.ID, Run: before}
	default:
		var g Again
		if g, err = c.again(own, call, before); err == nil {
			g.Queue = elsewhere
			o, err = c.runner.Resume(own, g)
		}
	}
	stop()
	if err != nil {
		return action.Result{}, &action.Failed{Err: fmt.Errorf("its run: %w", err), Known: action.Before}
	}
	return c.brought(ctx, o, call.Noted)
}

// again is how the run goes on: with the plan and the inputs that the outer run has for it
// now, and with what it has used on top of what is left.
func (c childRun) again(ctx context.Context, call action.Call, before piton.Run) (Again, error) {
	p := c.named(call)
	values, _ := call.Parameters["inputs"].(map[string]any)
	s, err := ReadState(ctx, c.runner.Keeper, before.CheckpointID)
	budget := more(call.Left, s.Used)
	return Again{
		Run: before.ID, Plan: &p, Inputs: values, AcceptPlan: true, Budget: &budget,
		Dir: c.parent.Dir, PlanFile: before.PlanFile, Host: c.parent.Host, WaitPerson: call.Stays, Daemon: c.parent.Daemon,
	}, err
}

// named is the plan of the run, by the name of the outer run and the step.
func (c childRun) named(call action.Call) plan.Plan {
	p := c.inner
	p.Name, p.Dir = "", ""
	if c.parent.Workflow != "" {
		p.Name = c.parent.Workflow + "/" + call.Step
	}
	return p
}

func (c childRun) begin(ctx context.Context, call action.Call) (Outcome, error) {
	values, _ := call.Parameters["inputs"].(map[string]any)
	inputs, err := plan.NewValues(c.inner, nil, values)
	if err != nil {
		return Outcome{}, err
	}
	p := c.named(call)
	q := Request{
		Plan: p, Inputs: inputs, Workflow: p.Name, Project: c.parent.Project, Session: c.parent.SessionID, WorkDir: c.parent.Dir,
		Namespace: c.parent.Namespace, Host: c.parent.Host, Parent: &c.parent, New: true, WaitPerson: call.Stays, Daemon: c.parent.Daemon,
		Queue: c.parent.Daemon == piton.EngineTemporal, Key: &piton.StartKey{Scope: childScope, Key: call.Key, Sum: c.inner.Sum()}, Budget: &call.Left,
	}
	o, err := c.runner.Start(ctx, q)
	if piton.CodeOf(err) == piton.Conflict { // another run has just made the workflow of that name
		o, err = c.runner.Start(ctx, q)
	}
	return o, err
}

// until is the context of the run: it ends when the step's does, but for a cancellation,
// which is asked of the run itself, so that it cleans up.
func (c childRun) until(ctx context.Context, call action.Call) (own context.Context, stop func()) {
	own, end := context.WithCancelCause(context.WithoutCancel(ctx))
	over := context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), errCancel) {
			if run, known, err := c.runner.childOf(own, call.Key); err == nil && known && c.runner.wish(own, run, piton.WishCancel) == nil {
				return
			}
		}
		end(context.Cause(ctx))
	})
	return own, func() { over(); end(nil) }
}

// brought is what has come of the run. The step uses what the run has used since an attempt
// last came to an end, as the note of that one says.
func (c childRun) brought(ctx context.Context, o Outcome, noted action.Note) (action.Result, error) {
	counted, _ := noted.Data["tokens"].(string)
	cost, _ := noted.Data["cost_usd"].(float64)
	var u piton.TokenUsage
	_ = json.Unmarshal([]byte(counted), &u) // nothing was counted
	now, err := encode(o.Run.Usage)
	if err != nil {
		return action.Result{}, err
	}
	r := action.Result{
		Usage:   o.Run.Usage.Minus(u),
		CostUSD: o.Run.CostUSD - cost,
		Note:    action.Note{Data: map[string]any{"run": o.RunID, "tokens": string(now), "cost_usd": o.Run.CostUSD, "fence": float64(o.Run.Fence)}},
	}
	switch o.Run.Status {
	case piton.RunCompleted:
		out := map[string]any{}
		for _, x := range o.State.Results {
			if i := o.State.step(x.StepID); i >= 0 && o.State.Plan[i].Of == "" && !x.Redacted {
				out[x.StepID] = x.Output
			}
		}
		r.Output = out
		return r, nil
	case piton.RunFailed, piton.RunCancelled:
		return r, &action.Failed{Err: fmt.Errorf("its run %s is %s: %s", o.RunID, o.Run.Status, cmp.Or(o.Run.Error, "a person has ended it; 'redo' of this step begins another")), Known: action.Answered, Final: o.Run.Status == piton.RunCancelled, Result: r}
	case piton.RunStopped:
		if err := context.Cause(ctx); err != nil {
			return r, &action.Failed{Err: err, Known: action.Before, Result: r}
		}
		return r, &action.Failed{Err: fmt.Errorf("its run %s has stopped: %s", o.RunID, o.Run.Error), Known: action.Answered, OverBudget: o.Run.Cause != piton.CauseStoreLost, Result: r}
	}
	return r, &action.Wait{Run: o.RunID, Until: o.Run.DueAt.Time, Message: WaitsFor(o.Run)}
}

// WaitsFor says what a step waits for that is a run.
func WaitsFor(run piton.Run) string {
	text := fmt.Sprintf("waits for its run %s, which is %s", run.ID, strings.ReplaceAll(string(run.Status), "_", " "))
	if run.Error != "" {
		text += ": " + run.Error
	}
	return text
}
