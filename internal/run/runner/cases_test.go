package runner

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

// brings makes a step bring an output.
func brings(v any) func(context.Context, action.Call) (action.Result, error) {
	return func(context.Context, action.Call) (action.Result, error) { return action.Result{Output: v}, nil }
}

// hangs makes a step run until it is ended; begun is closed when it has begun.
func hangs(begun chan struct{}) func(context.Context, action.Call) (action.Result, error) {
	return func(ctx context.Context, _ action.Call) (action.Result, error) {
		close(begun)
		<-ctx.Done()
		return action.Result{}, ctx.Err()
	}
}

// save runs fn in a transaction of another process.
func (d *desk) save(fn func(store.Tx) error) {
	d.t.Helper()
	if err := d.Keeper.Store.Save(context.Background(), fn); err != nil {
		d.t.Error(err)
	}
}

// id waits for a run to be in the store and returns its id.
func (d *desk) id() string {
	runs, err := d.Keeper.Store.Runs().Runs(context.Background(), piton.RunQuery{Limit: 1})
	if err != nil || len(runs) == 0 {
		d.t.Errorf("got %v, %v, want a run", runs, err)
		return ""
	}
	return runs[0].ID
}

// TestCrash lets an owner die in the middle: its state says what ran.
func TestCrash(t *testing.T) {
	for _, c := range []struct {
		name   string
		effect plan.Effect
		again  Again
		want   string
		status piton.RunStatus
	}{
		{"what may run again does", plan.Idempotent, Again{}, "a completed, b completed, c completed", piton.RunCompleted},
		{"what may not is in doubt, and the rest goes on", plan.Once, Again{}, "a completed, b in_doubt, c pending", piton.RunInDoubt},
		{"a person has it run again", plan.Once, Again{Redo: []string{"b"}}, "a completed, b completed, c completed", piton.RunCompleted},
		{"a person says that it took effect", plan.Once, Again{Took: []string{"b"}}, "a completed, b completed, c completed", piton.RunCompleted},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			d.effect = c.effect
			keys := map[string]bool{}
			begun, never, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
			defer func() { close(never); <-ended }() // it writes until then
			d.do["b"] = func(_ context.Context, call action.Call) (action.Result, error) {
				keys[call.Key] = true
				close(begun)
				<-never // its process is gone, as far as anybody can tell
				return action.Result{}, nil
			}
			go func() {
				defer close(ended)
				d.Start(context.Background(), Request{Plan: steps("a", "b <- a", "c <- b")})
			}()
			<-begun
			d.mu.Lock()
			d.do["b"] = func(_ context.Context, call action.Call) (action.Result, error) {
				keys[call.Key] = true
				return action.Result{}, nil
			}
			d.mu.Unlock()
			c.again.Run = d.id()
			other := *d.Runner
			other.Events, other.Owner = nil, piton.Owner{PID: 2, Host: "here", Boot: "b", Space: "s"}
			o, err := other.Resume(t.Context(), c.again)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, statuses(o.State)); diff != "" || o.Run.Status != c.status || o.Recovered < 1 {
				t.Errorf("(-want +got)\n%s\n%+v", diff, o.Run)
			}
			if len(keys) != 1 {
				t.Errorf("got %d keys, want the same for every attempt", len(keys))
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			if n := len(slices.DeleteFunc(slices.Clone(d.did), func(s string) bool { return s != "a" })); n != 1 {
				t.Errorf("step a has run %d times, want once", n)
			}
		})
	}
}

// TestLostRun takes a run away from its owner, which ends its steps and writes
// nothing.
func TestLostRun(t *testing.T) {
	d := newDesk(t)
	d.Lease = 3 * time.Second // a shorter one runs out on a busy machine, and then its owner stops by itself
	begun, ended := make(chan struct{}), make(chan error, 1)
	d.do["a"] = hangs(begun)
	go func() {
		_, err := d.Start(context.Background(), Request{Plan: steps("a")})
		ended <- err
	}()
	<-begun
	id := d.id()
	other := *d.Runner
	other.Owner = piton.Owner{PID: 2, Host: "here", Boot: "b", Space: "s"}
	other.Actions, other.Events = map[string]action.Action{"do": action.Func(plan.Pure, func(context.Context, action.Call) (any, error) { return "other", nil })}, nil
	o, err := other.Resume(t.Context(), Again{Run: id, Redo: []string{"a"}})
	if err != nil || !o.Success {
		t.Fatalf("got %+v, %v, want the other one to complete it", o, err)
	}
	if err := <-ended; piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), "taken the run over") {
		t.Errorf("got %v, want a conflict", err)
	}
	s, err := ReadState(t.Context(), d.Keeper, o.Run.CheckpointID)
	if r := s.result("a"); err != nil || r == nil || r.Output != "other" || len(s.Results) != 1 {
		t.Errorf("got %+v, %v, want the result of the one that has it", s.Results, err)
	}
}

func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		effect plan.Effect
		want   string
	}{{plan.Once, "a in_doubt"}, {plan.Pure, "a pending"}, {plan.Idempotent, "a pending"}} {
		d := newDesk(t)
		d.effect = c.effect
		begun := make(chan struct{})
		d.do["a"] = hangs(begun)
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { <-begun; cancel(errors.New("Ctrl-C")) }()
		o, err := d.Start(ctx, Request{Plan: steps("a")})
		if err != nil || o.Run.Status != piton.RunStopped || statuses(o.State) != c.want || !strings.Contains(o.Error, "Ctrl-C") {
			t.Errorf("%s: got %s, %+v, %v, want it stopped with %s", c.effect, statuses(o.State), o.Run, err, c.want)
		}
	}
}

func TestBudgets(t *testing.T) {
	uses := func(context.Context, action.Call) (action.Result, error) {
		return action.Result{Usage: piton.TokenUsage{Input: 60}, CostUSD: 0.6}, nil
	}
	for _, c := range []struct {
		name   string
		budget plan.Budget
		more   plan.Budget
		says   string
		cause  piton.RunCause
	}{
		{"tokens", plan.Budget{Tokens: 100}, plan.Budget{Tokens: 1000}, "tokens is used up: 120 of 100", piton.CauseBudgetTokens},
		{"money", plan.Budget{CostUSD: 1}, plan.Budget{CostUSD: 10}, "money is used up: $1.20 of $1.00", piton.CauseBudgetCost},
		{"tries", plan.Budget{Tries: 2}, plan.Budget{Tries: 20}, "tries is used up: 2 of 2", piton.CauseBudgetTries},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			d.do["a"], d.do["b"] = uses, uses
			p := steps("a", "b <- a", "c <- b")
			p.Budget = c.budget
			o := d.start(Request{Plan: p})
			if o.Run.Status != piton.RunStopped || !strings.Contains(o.Error, c.says) || o.Run.Cause != c.cause || o.Run.Done != 2 {
				t.Errorf("got %+v, want it stopped: %s", o.Run, c.says)
			}
			if o = d.resume(Again{Run: o.RunID}); o.Run.Status != piton.RunStopped {
				t.Errorf("resumed without more: got %s", o.Run.Status)
			}
			if o = d.resume(Again{Run: o.RunID, Budget: &c.more}); !o.Success || o.Run.Usage.Input != 120 || o.Run.Cause != "" {
				t.Errorf("resumed with more: got %+v", o.Run)
			}
		})
	}
	t.Run("time", func(t *testing.T) {
		d := newDesk(t)
		d.effect = plan.Pure
		d.do["a"] = hangs(make(chan struct{}))
		p := steps("a")
		p.Budget.Time = plan.Duration(20 * time.Millisecond)
		o := d.start(Request{Plan: p})
		if o.Run.Status != piton.RunStopped || !strings.Contains(o.Error, "time is used up: ") || strings.Contains(o.Error, " 0s of ") || o.Run.Cause != piton.CauseBudgetTime || o.Run.WorkMS < 20 {
			t.Errorf("got %+v, want it stopped", o.Run)
		}
		d.do["a"] = brings(1)
		if o = d.resume(Again{Run: o.RunID, Budget: &plan.Budget{Time: plan.Duration(time.Hour)}}); !o.Success {
			t.Errorf("resumed with more: got %+v", o.Run)
		}
	})
	t.Run("of a step", func(t *testing.T) {
		d := newDesk(t)
		d.effect = plan.Idempotent
		d.do["a"] = fails("no")
		p := steps("a")
		p.Steps[0].Retry.Attempts, p.Steps[0].Budget.Tries = 9, 3
		o := d.start(Request{Plan: p})
		if o.Run.Status != piton.RunFailed || o.State.Plan[0].Attempt != 3 || !strings.Contains(o.Error, "tries is used up: 3 of 3") || o.Run.Cause != piton.CauseStepBudget {
			t.Errorf("got %+v", o)
		}
	})
	for name, c := range map[string]struct {
		run, step plan.Budget
		over      bool
		want      piton.RunCause
	}{
		"an action was ended by the run's budget":                 {plan.Budget{Tokens: 50}, plan.Budget{Tokens: 900}, true, piton.CauseBudgetTokens},
		"an action was ended by the step's budget":                {plan.Budget{Tokens: 900}, plan.Budget{Tokens: 50}, true, piton.CauseStepBudget},
		"a step failed for another reason, and speaks of budgets": {plan.Budget{Tokens: 50}, plan.Budget{Tokens: 50}, false, piton.CauseStepFailed},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.do["a"] = func(context.Context, action.Call) (action.Result, error) {
				return action.Result{}, &action.Failed{Err: errors.New("the budget of 50 tokens is used up"), Final: true, OverBudget: c.over, Result: action.Result{Usage: piton.TokenUsage{Input: 60}}}
			}
			p := steps("a")
			p.Budget, p.Steps[0].Budget = c.run, c.step
			o := d.start(Request{Plan: p})
			if o.Run.Status != piton.RunFailed || o.Run.Cause != c.want {
				t.Errorf("got %s, cause %q, want cause %q", o.Run.Status, o.Run.Cause, c.want)
			}
			if kept, err := d.Keeper.Store.Runs().Run(t.Context(), o.RunID); err != nil || kept.Cause != c.want {
				t.Errorf("kept: got cause %q, %v, want %q", kept.Cause, err, c.want)
			}
		})
	}
}

// TestSecrets keeps the value of a variable out of all that is stored and told.
func TestSecrets(t *testing.T) {
	const secret = "correct-horse-battery-42"
	d := newDesk(t)
	d.effect = plan.Pure
	d.Getenv = func(string) string { return secret }
	d.do["a"] = func(_ context.Context, c action.Call) (action.Result, error) {
		c.Say("using " + secret)
		if c.Parameters["key"] != secret {
			t.Errorf("got %v, want the value", c.Parameters)
		}
		return action.Result{Output: map[string]any{"url": "https://x/?k=" + secret}}, nil
	}
	var got any
	d.do["b"] = func(_ context.Context, c action.Call) (action.Result, error) {
		got = c.Parameters["in"]
		return action.Result{}, errors.New("refused " + secret)
	}
	p := steps("a", "b <- a")
	p.Steps[0].Parameters = map[string]any{"key": "${env:KEY}"}
	p.Steps[1].Parameters = map[string]any{"in": "${{ steps.a.output }}"}
	o := d.start(Request{Plan: p})
	if m, _ := got.(map[string]any); m["url"] != "https://x/?k="+secret {
		t.Errorf("the same process goes on with the whole output: got %v", got)
	}
	text, err := encode(o.State)
	if err != nil || strings.Contains(string(text), secret) || !o.State.Results[0].Redacted {
		t.Errorf("got %s, %v, want the state without the secret, and marked", text, err)
	}
	for _, e := range d.events {
		if strings.Contains(e.Message, secret) {
			t.Errorf("got the event %+v", e)
		}
	}
	if strings.Contains(o.Error, secret) {
		t.Errorf("got the error %s", o.Error)
	}
	d.did = nil
	d.do["b"] = nil
	if o = d.resume(Again{Run: o.RunID}); !o.Success || !slices.Equal(d.did, []string{"a", "b"}) {
		t.Errorf("got %v, want the output made again", d.did)
	}
	p.Steps[0].Parameters = map[string]any{"header": "Authorization: Bearer ghp_" + strings.Repeat("aB3d", 9)}
	if _, err := d.Start(t.Context(), Request{Plan: p}); piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v, want a secret in a plan refused", err)
	}
}

func TestPlanThatHasChanged(t *testing.T) {
	d := newDesk(t)
	d.do["b"] = fails("no")
	o := d.start(Request{Plan: steps("a", "b <- a")})
	changed := steps("a", "b <- a", "c <- b")
	if _, err := d.Resume(t.Context(), Again{Run: o.RunID, Plan: &changed}); piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), "the plan has changed") {
		t.Errorf("got %v, want a conflict with the changes", err)
	}
	delete(d.do, "b")
	same := steps("a", "b <- a")
	_ = same
	o = d.resume(Again{Run: o.RunID, Plan: &changed, AcceptPlan: true})
	if !o.Success || statuses(o.State) != "a completed, b completed, c completed" || o.Recovered != 1 || o.Run.PlanSum != changed.Sum() {
		t.Errorf("got %s, %+v", statuses(o.State), o.Run)
	}
}

// TestBeside starts a run beside an unfinished one.
func TestBeside(t *testing.T) {
	d := newDesk(t)
	d.do["a"] = fails("no")
	first := d.start(Request{Plan: steps("a")})
	delete(d.do, "a")
	second := d.start(Request{Plan: steps("a"), New: true})
	if !second.Success || second.Run.Branch == first.Run.Branch {
		t.Errorf("got %+v", second.Run)
	}
	if first = d.resume(Again{Run: first.RunID}); !first.Success {
		t.Errorf("got %+v", first.Run)
	}
}

// TestNoAuto keeps what must be kept: the beginning, intents and results of steps
// that may happen only once, failures and the end.
func TestNoAuto(t *testing.T) {
	for _, c := range []struct {
		name   string
		effect plan.Effect
		noAuto bool
		fail   bool
		want   []string
	}{
		{"after each step", plan.Pure, false, false, []string{"0 auto 0% ", "1 auto 50% ", "2 auto 100% Execution complete"}},
		{"not after each step", plan.Pure, true, false, []string{"0 auto 0% ", "2 auto 100% Execution complete"}},
		{"but where a step may happen only once", plan.Once, true, false, []string{"0 auto 0% ", "1 auto 50% ", "2 auto 100% Execution complete"}},
		{"and where one fails", plan.Pure, true, true, []string{"0 auto 0% ", "1 error 50% Failed at step 1: Step b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			d.effect = c.effect
			if c.fail {
				d.do["b"] = fails("no")
			}
			if diff := cmp.Diff(c.want, d.kept(d.start(Request{Plan: steps("a", "b <- a"), NoAuto: c.noAuto}))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestForeignState takes up a state that another program has saved.
func TestForeignState(t *testing.T) {
	d := newDesk(t)
	saved, err := d.Keeper.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{Workflow: "theirs", Type: piton.TypePlan, State: []byte(`{"query":"q","currentStepIndex":1,
		"plan":[{"id":"1","description":"Find","action":"do","parameters":{},"status":"completed"},{"id":"2","description":"Fetch","action":"do","parameters":{},"status":"failed","dependencies":["1"]}],
		"results":[{"stepId":"1","output":["A"],"completedAt":"2026-01-02T03:04:05Z","durationMs":5,"tokenUsage":10}],"context":{"k":[1.50]},"lastError":{"stepIndex":1,"message":"API timeout"},"memo":"m"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Resume(t.Context(), Again{Checkpoint: saved.ID}); piton.CodeOf(err) != piton.Invalid || len(d.did) > 0 {
		t.Errorf("without a person's word: got %v, %v", err, d.did)
	}
	o := d.resume(Again{Checkpoint: saved.ID, Accepted: true})
	if !o.Success || o.Recovered != 1 || strings.Join(d.did, " ") != "2" || o.Run.Branch != piton.MainBranch {
		t.Errorf("got %+v after %v, want the second step alone to run", o.Run, d.did)
	}
	if string(o.State.Context) != `{"k":[1.50]}` || string(o.State.Other["memo"]) != `"m"` || o.State.LastError != nil {
		t.Errorf("got %+v, want what they had put beside", o.State)
	}
}
