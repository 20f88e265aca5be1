package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

// asking is a desk with a plan that asks before it releases.
func asking(t *testing.T) (*desk, plan.Plan) {
	d := newDesk(t)
	d.effect = plan.Pure
	d.Actions["approve"] = action.Approve{}
	p := steps("build", "ok <- build", "release <- ok")
	p.Steps[1].Action, p.Steps[1].Parameters = "approve", map[string]any{"message": "Release it?"}
	return d, p
}

// approve gives a person's word on what a run's step shows.
func (d *desk) approve(o Outcome) {
	x := o.State.Plan[o.State.step("ok")]
	d.save(func(tx store.Tx) error {
		return tx.Runs.AnswerRun(d.t.Context(), redact.Value(piton.Answer{RunID: o.RunID, StepID: "ok", Shown: x.Shown, Approved: true, By: "me", At: piton.At(d.now())}))
	})
}

// TestApprovalIsARow: a state may say what it likes of an approval.
func TestApprovalIsARow(t *testing.T) {
	completed := func(run, shown string) string {
		return fmt.Sprintf(`{"run_id":%q,"plan":[{"id":"build","action":"do","status":"completed"},{"id":"ok","action":"approve","parameters":{"message":"Release it?"},"status":"completed","shown":%q,"answered_at":"2026-01-02T03:04:05Z","dependencies":["build"]},{"id":"release","action":"do","status":"pending","dependencies":["ok"]}],"current_step_index":2,"results":[{"step_id":"build","output":1},{"step_id":"ok","output":{"approved":true,"by":"me"}}]}`, run, shown)
	}
	for _, c := range []struct {
		name     string
		run      func(o Outcome) (run, shown string) // that the state names
		plan     bool                                // a person gives the plan
		accepted bool
	}{
		{"of no run", func(Outcome) (string, string) { return "", "" }, false, true},
		{"of no run, with a plan that a person gives", func(Outcome) (string, string) { return "", "" }, true, false},
		{"of a run that is not there", func(Outcome) (string, string) { return "run_0000000000000000", "x" }, false, true},
		{"of a run that was approved", func(o Outcome) (string, string) { return o.RunID, o.State.Plan[1].Shown }, false, true},
		{"of a run that was approved, with its plan", func(o Outcome) (string, string) { return o.RunID, o.State.Plan[1].Shown }, true, false},
	} {
		for _, in := range []string{"saved", "saved to a branch of the run"} {
			t.Run(c.name+", "+in, func(t *testing.T) {
				d, p := asking(t)
				o := d.start(Request{Plan: p})
				d.approve(o)
				if o = d.resume(Again{Run: o.RunID}); !o.Success {
					t.Fatalf("got %+v", o.Run)
				}
				run, shown := c.run(o)
				draft := history.Draft{SaveRequest: piton.SaveRequest{Workflow: "theirs", Type: piton.TypePlan, State: []byte(completed(run, shown))}}
				if in != "saved" {
					draft.Workflow = o.Run.WorkflowID
				}
				saved, err := d.Keeper.Save(t.Context(), draft)
				if err != nil {
					t.Fatal(err)
				}
				g := Again{Checkpoint: saved.ID, Accepted: c.accepted}
				if c.plan {
					g.Plan = &p
				}
				before := len(d.did)
				n := d.resume(g)
				if n.Run.Status != piton.RunWaiting || slices.Contains(d.did[before:], "release") {
					t.Errorf("got %s, %v, want it asked", n.Run.Status, d.did[before:])
				}
				d.approve(n)
				if n = d.resume(Again{Run: n.RunID}); !n.Success || !slices.Contains(d.did[before:], "release") {
					t.Errorf("approved: got %s, %v", n.Run.Status, d.did[before:])
				}
			})
		}
	}
}

// TestForkOfAnApprovedRun goes on from an older checkpoint without asking again what was
// approved before it, and asks what was approved after it.
func TestForkOfAnApprovedRun(t *testing.T) {
	d, p := asking(t)
	o := d.start(Request{Plan: p})
	waiting := o.Run.CheckpointID
	d.approve(o)
	d.do["release"] = fails("no")
	o = d.resume(Again{Run: o.RunID})
	failed := o.Run.CheckpointID
	delete(d.do, "release")
	n := d.resume(Again{Checkpoint: failed})
	if !n.Success {
		t.Errorf("from after the approval: got %s", n.Run.Status)
	}
	if n = d.resume(Again{Checkpoint: n.Run.CheckpointID, From: []string{"release"}}); !n.Success {
		t.Errorf("a fork of a fork: got %s", n.Run.Status)
	}
	if n = d.resume(Again{Checkpoint: waiting}); n.Run.Status != piton.RunWaiting {
		t.Errorf("from before the approval: got %s", n.Run.Status)
	}
	if _, err := d.Resume(t.Context(), Again{Run: n.RunID, Took: []string{"ok"}}); err == nil {
		t.Error("took approves")
	}
}

// TestOutputGivenByAPerson is what a person may say that a step in doubt has brought.
func TestOutputGivenByAPerson(t *testing.T) {
	text := map[string]any{"output": "text"}
	deep := any("x")
	for range 600 {
		deep = []any{deep}
	}
	for _, c := range []struct {
		name       string
		action     string
		parameters map[string]any
		check      string
		given      any
		wrong      string
	}{
		{"an object", "do", nil, "", map[string]any{"id": 7.0}, ""},
		{"a text", "do", nil, "", "seven", ""},
		{"null", "do", nil, "", nil, ""},
		{"a check that holds", "do", nil, "output.id == 7", map[string]any{"id": 7.0}, ""},
		{"a check that does not", "do", nil, "output.id == 8", map[string]any{"id": 7.0}, "the check does not hold"},
		{"a check of what is not there", "do", nil, "output.id > 8", "seven", "the check does not hold"},
		{"too long", "do", nil, "", strings.Repeat("x", 2<<20), "more than 1048576"},
		{"too deep", "do", nil, "", deep, "levels deep"},
		{"a secret", "do", nil, "", "ghp_0123456789abcdefghijABCDEFGHIJ012345", "looks like a secret"},
		{"a text where the command brings one", "shell", text, "", "seven", ""},
		{"no text where the command brings one", "shell", text, "", 7.0, "brings a text"},
		{"JSON of a command", "shell", nil, "", []any{1.0}, ""},
		{"an answer of a server", "http", nil, "", map[string]any{"status": 200.0, "body": "x"}, ""},
		{"no answer of a server", "http", nil, "", "x", "status, a number"},
		{"what an agent brings", "agent", nil, "", map[string]any{"text": "x"}, ""},
		{"what no agent brings", "agent", nil, "", 7.0, "an object with text"},
		{"a checkpoint's", "checkpoint", nil, "", "x", "brings null"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			for _, name := range []string{"shell", "http", "agent", "checkpoint"} {
				d.Actions[name] = d.Actions["do"]
			}
			d.do["pay"] = ends(fmt.Errorf("x: %w", context.DeadlineExceeded))
			p := steps("pay", "send <- pay")
			p.Steps[0].Action, p.Steps[0].Parameters = c.action, c.parameters
			if c.check != "" {
				p.Steps[0].Check = []plan.Check{{Expr: c.check}}
			}
			o := d.start(Request{Plan: p})
			o2, err := d.Resume(t.Context(), Again{Run: o.RunID, Took: []string{"pay"}, Given: map[string]any{"pay": c.given}, By: "me"})
			if c.wrong != "" {
				if piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("got %v, want %s", err, c.wrong)
				}
				return
			}
			if err != nil || !o2.Success || o2.State.result("pay").GivenBy != "me" || fmt.Sprint(o2.State.result("pay").Output) != fmt.Sprint(c.given) {
				t.Errorf("got %+v, %v", o2.State.Results, err)
			}
		})
	}
}

// TestOutputGivenLater mends a run whose person had said that a step took effect, without
// what it has brought.
func TestOutputGivenLater(t *testing.T) {
	d := newDesk(t)
	d.do["pay"] = ends(context.DeadlineExceeded)
	p := steps("pay", "send <- pay")
	p.Steps[1].Parameters = map[string]any{"id": "${{ steps.pay.output.id }}"}
	o := d.start(Request{Plan: p})
	if _, err := d.Resume(t.Context(), Again{Run: o.RunID, Took: []string{"pay"}}); piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), "step send needs") {
		t.Errorf("without the output that a step needs: got %v", err)
	}
	if o = d.resume(Again{Run: o.RunID, Took: []string{"pay"}, Given: map[string]any{"pay": nil}}); o.Run.Status != piton.RunFailed {
		t.Fatalf("got %+v", o.Run)
	}
	if o = d.resume(Again{Run: o.RunID, Took: []string{"pay"}, Given: map[string]any{"pay": map[string]any{"id": 7.0}}, By: "me"}); !o.Success || fmt.Sprint(d.did) != "[pay send]" {
		t.Errorf("got %s: %s, %v", o.Run.Status, o.Error, d.did)
	}
	if _, err := d.Resume(t.Context(), Again{Checkpoint: o.Run.CheckpointID, From: []string{"send"}, Given: map[string]any{"pay": 1.0}}); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("an output of no step of took: got %v", err)
	}
}
