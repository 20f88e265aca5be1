package runner

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

const childPlan = `
name: night
plans:
  child.yaml:
    inputs: {lang: {required: true}}
    steps:
      - {id: x, action: do, with: {of: "${{ inputs.lang }}"}}
      - {id: y, action: do, needs: [x], with: {of: "${{ steps.x.output }}!"}}
    finally: [{id: z, action: do}]
steps:
  - {id: a, action: do, with: {of: de}}
  - {id: sub, needs: [a], plan: child.yaml, inputs: {lang: "${{ steps.a.output }}"}}
  - {id: b, needs: [sub], action: do, with: {of: "${{ steps.sub.output.y }}"}}
`

// runs are the runs of a store, oldest first, a line each.
func (d *desk) runs() (lines []string) {
	d.t.Helper()
	all, err := d.Keeper.Store.Runs().Runs(context.Background(), piton.RunQuery{})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, r := range all {
		parent := ""
		if r.Parent != "" {
			parent = " of another"
		}
		lines = append([]string{r.Workflow + " " + string(r.Status) + parent}, lines...)
	}
	return lines
}

func (d *desk) withPlans() *desk {
	d.Actions[plan.Child] = Nested(d.Runner)
	return d
}

func TestChild(t *testing.T) {
	d := newDesk(t).withPlans()
	c := d.counts()
	c.fails["y"] = true
	o := d.start(Request{Plan: d.read(childPlan)})
	if o.Success || !strings.Contains(o.Error, "step sub failed: its run run_") || !strings.Contains(o.Error, "it does not work") {
		t.Fatalf("got %s", o.Error)
	}
	clear(c.fails)
	o = d.resume(Again{Run: o.RunID})
	if out := o.State.result("b"); !o.Success || out == nil || out.Output != "de!" {
		t.Errorf("got %s %+v", o.Error, o.State.Results)
	}
	if diff := cmp.Diff([]string{"night completed", "night/sub completed of another"}, d.runs()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"a": 1, "x": 1, "y": 2, "z": 2, "b": 1}, c.ran); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	again := d.start(Request{Plan: d.read(childPlan)})
	if !again.Success || c.ran["x"] != 2 {
		t.Errorf("the second night: got %s, %v", again.Error, c.ran)
	}
}

// TestChildGoesOn: what is interrupted in the inner run goes on in the same one.
func TestChildGoesOn(t *testing.T) {
	d := newDesk(t).withPlans()
	d.effect = plan.Idempotent
	begun := make(chan struct{})
	d.do["y"] = hangs(begun)
	d.do["a"], d.do["x"] = brings("de"), brings("out of x")
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	o, err := d.Start(ctx, Request{Plan: d.read(childPlan)})
	if err != nil || o.Run.Status != piton.RunStopped {
		t.Fatalf("got %+v, %v", o.Run, err)
	}
	if diff := cmp.Diff([]string{"night stopped", "night/sub stopped of another"}, d.runs()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	delete(d.do, "y")
	if o = d.resume(Again{Run: o.RunID}); !o.Success {
		t.Errorf("got %s", o.Error)
	}
	if diff := cmp.Diff("a x y y z b", strings.Join(d.did, " ")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestChildIsCancelled: a cancellation is passed on, and the inner run ends in its own way.
func TestChildIsCancelled(t *testing.T) {
	d := newDesk(t).withPlans()
	begun := make(chan struct{})
	d.do["a"], d.do["y"] = brings("de"), hangs(begun)
	p := d.read(childPlan)
	go func() {
		<-begun
		all, err := d.Keeper.Store.Runs().Runs(context.Background(), piton.RunQuery{Name: "night"})
		if err != nil || len(all) != 1 {
			t.Errorf("got %v, %v", all, err)
			return
		}
		d.save(func(tx store.Tx) error {
			return tx.Runs.WishRun(t.Context(), all[0].ID, all[0].Fence, piton.WishCancel)
		})
	}()
	o := d.start(Request{Plan: p})
	if diff := cmp.Diff([]string{"night cancelled", "night/sub cancelled of another"}, d.runs()); diff != "" || o.Run.Status != piton.RunCancelled {
		t.Errorf("(-want +got)\n%s%s", diff, o.Error)
	}
	if d.did[len(d.did)-1] != "z" {
		t.Errorf("got %v, want the inner run's last step", d.did)
	}
}

// TestChildIsPaused: a pause is passed on: the inner run begins nothing new, and goes on with
// the outer one.
func TestChildIsPaused(t *testing.T) {
	d := newDesk(t).withPlans()
	d.do["a"] = brings("de")
	seen := make(chan struct{})
	d.do["x"] = func(_ context.Context, call action.Call) (action.Result, error) {
		all, err := d.Keeper.Store.Runs().Runs(context.Background(), piton.RunQuery{Name: "night"})
		if err != nil || len(all) != 1 {
			t.Errorf("got %v, %v", all, err)
		}
		d.save(func(tx store.Tx) error { return tx.Runs.WishRun(t.Context(), all[0].ID, 1, piton.WishPause) })
		<-seen
		return action.Result{Output: "out of x"}, nil
	}
	inner := false
	d.Events = func(e Event) {
		if e.Kind == RunStopping && !inner {
			go func() { // until the inner run has heard
				for {
					run, err := d.Keeper.Store.Runs().Runs(context.Background(), piton.RunQuery{Name: "night/sub"})
					if err != nil || len(run) == 1 && run[0].Wish == piton.WishPause {
						time.Sleep(20 * d.Poll)
						close(seen)
						return
					}
					time.Sleep(d.Poll)
				}
			}()
			inner = true
		}
	}
	o := d.start(Request{Plan: d.read(childPlan)})
	if diff := cmp.Diff([]string{"night paused", "night/sub paused of another"}, d.runs()); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	if o = d.resume(Again{Run: o.RunID}); !o.Success {
		t.Errorf("got %s", o.Error)
	}
	if diff := cmp.Diff("a x y z b", strings.Join(d.did, " ")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestChildWaits: a run whose inner run waits for a person waits with it.
func TestChildWaits(t *testing.T) {
	d := newDesk(t).withPlans()
	d.Actions[plan.Approve] = action.Approve{}
	c := d.counts()
	text := strings.Replace(childPlan, `{id: y, action: do, needs: [x], with: {of: "${{ steps.x.output }}!"}}`, `{id: y, needs: [x], approval: "Really?"}`, 1)
	p := d.read(strings.Replace(text, ".output.y }}", ".output.y.words }}", 1))
	o := d.start(Request{Plan: p})
	if o.Run.Status != piton.RunWaiting || !strings.Contains(o.Error, "step sub waits for its run run_") || !strings.Contains(o.Error, "step y needs a person's approval") {
		t.Fatalf("got %s %q", o.Run.Status, o.Error)
	}
	inner := o.State.Plan[o.State.step("sub")].Child
	run, err := d.Keeper.Store.Runs().Run(t.Context(), inner)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ReadState(t.Context(), d.Keeper, run.CheckpointID)
	if err != nil {
		t.Fatal(err)
	}
	d.says(Outcome{RunID: inner, State: s}, true, "fine")
	if o = d.resume(Again{Run: o.RunID}); !o.Success || c.ran["x"] != 1 || o.State.result("b").Output != "fine" {
		t.Errorf("got %s %v %s", o.Error, c.ran, statuses(o.State))
	}
}

// TestChildThatRepeats: each time is a run of its own.
func TestChildThatRepeats(t *testing.T) {
	d := newDesk(t).withPlans()
	d.effect = plan.Pure
	var n atomic.Int32
	d.Actions["do"] = action.Func(plan.Pure, func(context.Context, action.Call) (any, error) { return int(n.Add(1)), nil })
	o := d.start(Request{Plan: d.read(`{plans: {c: {steps: [{id: x, action: do}]}}, steps: [{id: sub, plan: c, repeat: {until: output.x == 3}}]}`)})
	if !o.Success || len(d.runs()) != 4 {
		t.Errorf("got %s %v", o.Error, d.runs())
	}
}

func TestChildrenThatDoNotFit(t *testing.T) {
	child := plan.Plan{Steps: []plan.Step{{ID: "a", Action: "shell"}}, Inputs: []plan.Input{{Name: "lang", Required: true}}}
	for _, c := range []struct{ given, want string }{
		{`{}`, "needs the input lang"}, {`{lang: de, more: x}`, `has no input "more"`}, {`{lang: de}`, ""},
	} {
		p, err := plan.Parse("p.yaml", []byte(`steps: [{id: sub, plan: c.yaml, inputs: `+c.given+`}]`), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = plan.Embed(p, "p.yaml", func(string) (plan.Plan, error) { return child, nil })
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.given, err, c.want)
		}
	}
	p, err := plan.Parse("p.yaml", []byte(`steps: [{id: sub, plan: c.yaml}]`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Embed(p, "p.yaml", func(string) (plan.Plan, error) { return p, nil }); err == nil || !strings.Contains(err.Error(), "or in a circle") {
		t.Errorf("got %v", err)
	}
}

// TestChildIsMended: an inner run goes on with the plan and the inputs that the outer one has
// now, and with a budget that has what it used already.
func TestChildIsMended(t *testing.T) {
	d := newDesk(t).withPlans()
	c := d.counts()
	text := `{name: m, plans: {c: {inputs: {v: {}}, type: chain, steps: [{id: x, action: do}, {id: y, action: do, with: {of: "old ${{ inputs.v }}"}}]}}, steps: [{id: sub, plan: c, inputs: {v: "1"}, budget: {tries: 3}}]}`
	c.fails["y"] = true
	o := d.start(Request{Plan: d.read(text)})
	clear(c.fails)
	p := d.read(strings.NewReplacer("old", "new", `v: "1"`, `v: "2"`).Replace(text))
	o = d.resume(Again{Run: o.RunID, Plan: &p, AcceptPlan: true})
	out, _ := o.State.result("sub").Output.(map[string]any)
	if !o.Success || out["y"] != "new 2" || c.ran["x"] != 1 {
		t.Errorf("got %s %v %v", o.Error, out, c.ran)
	}
}
