package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

// TestNamedWithASecret keeps no value of the environment in a checkpoint's name,
// description and tags.
func TestNamedWithASecret(t *testing.T) {
	const secret = "correct-horse-battery-42"
	d := newDesk(t)
	d.Getenv = func(string) string { return secret }
	p := steps("mark")
	p.Steps[0].Action = "checkpoint"
	p.Steps[0].Parameters = map[string]any{"name": "of ${env:KEY}", "description": "with ${env:KEY}", "tags": []any{"${env:KEY}"}}
	o := d.start(Request{Plan: p})
	page, err := d.Keeper.Store.List(t.Context(), piton.Query{Workflow: o.Run.WorkflowID})
	if err != nil {
		t.Fatal(err)
	}
	named := slices.ContainsFunc(page.Checkpoints, func(c piton.Checkpoint) bool { return strings.HasPrefix(c.Name, "of ") })
	if text := fmt.Sprintf("%+v", page.Checkpoints); !named || strings.Contains(text, secret) {
		t.Errorf("got %s, want it named without the secret", text)
	}
}

// TestSecretsOfOtherSteps takes the values out of what a step shows that only another
// step is given: one that comes later, or one that another process has carried out.
func TestSecretsOfOtherSteps(t *testing.T) {
	const secret = "correct-horse-battery-42"
	d := newDesk(t)
	d.effect = plan.Pure
	d.Getenv = func(string) string { return secret }
	shows := func(context.Context, action.Call) (action.Result, error) {
		return action.Result{Output: "KEY=" + secret}, nil
	}
	d.do["before"], d.do["after"] = shows, fails("not yet")
	p := steps("before", "uses <- before", "after <- uses")
	p.Steps[1].Parameters = map[string]any{"key": "${env:KEY}"}
	o := d.start(Request{Plan: p})
	d.do["after"] = shows
	o = d.resume(Again{Run: o.RunID})
	text, err := encode(o.State)
	if err != nil || !o.Success || strings.Contains(string(text), secret) || strings.Count(string(text), "KEY=[REDACTED:env]") != 2 {
		t.Errorf("got %s, %v, want both outputs without the secret", text, err)
	}
}

// TestRejectedThenChanged hears a rejection that was given while nobody worked on
// the run, though what the step shows has changed since.
func TestRejectedThenChanged(t *testing.T) {
	d := newDesk(t)
	text := "version 1"
	words := d.asksFor(&text)
	o := d.start(Request{Plan: steps("write", "ok <- write")})
	d.says(o, false, "too long")
	text = "version 2"
	o = d.resume(Again{Run: o.RunID})
	if o.Run.Status != piton.RunWaiting || !slices.Equal(*words, []string{"", "too long"}) {
		t.Errorf("got %s, words %q, want the step sent back with the words", o.Run.Status, *words)
	}
}

// TestOutputsThatCannotBeKept fails the step whose output the state could not take,
// so that the run goes on, and nothing that was running beside it is in doubt.
func TestOutputsThatCannotBeKept(t *testing.T) {
	var deep any = "end"
	for range 600 {
		deep = []any{deep}
	}
	long := strings.Repeat("x", 1000<<10)
	many := []string{"last <- 0"}
	for i := range 52 {
		many = append(many, fmt.Sprint(i))
	}
	for _, c := range []struct {
		name   string
		steps  []string
		output any
		why    string
	}{
		{"too deep", []string{"0", "1"}, deep, "more than 500 levels deep"},
		{"too much in all", many, long, "those of the run's steps have"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			d.effect = plan.Idempotent
			for _, s := range c.steps {
				d.do[s] = brings(c.output)
			}
			o := d.start(Request{Plan: steps(c.steps...), NoAuto: true})
			if o.Run.Status != piton.RunFailed || !strings.Contains(o.Error, c.why) {
				t.Errorf("got %s: %s, want a step failed: %s", o.Run.Status, o.Error, c.why)
			}
			for _, x := range o.State.Plan {
				if !x.Status.Ended() {
					t.Errorf("step %s is %s, want it ended", x.ID, x.Status)
				}
			}
		})
	}
}

// TestStepInDoubtLeftOut asks about a step in doubt that a changed plan has no more:
// under another id it would run twice.
func TestStepInDoubtLeftOut(t *testing.T) {
	d := newDesk(t)
	begun := make(chan struct{})
	d.do["pay"] = hangs(begun)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	o, err := d.Start(ctx, Request{Plan: steps("pay")})
	if err != nil || statuses(o.State) != "pay in_doubt" {
		t.Fatalf("got %s, %v, want it in doubt", statuses(o.State), err)
	}
	other := steps("payment")
	g := Again{Run: o.RunID, Plan: &other, AcceptPlan: true}
	if _, err := d.Resume(t.Context(), g); piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), "step pay") {
		t.Errorf("got %v, want a conflict that names the step", err)
	}
	g.Took = []string{"pay"}
	if o = d.resume(g); !o.Success || statuses(o.State) != "payment completed" {
		t.Errorf("got %s, want the person's word to count", statuses(o.State))
	}
}
