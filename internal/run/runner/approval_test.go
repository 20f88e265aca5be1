package runner

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

// says answers an approval as a person does from another terminal.
func (d *desk) says(o Outcome, approved bool, words string) {
	for _, x := range o.State.Plan {
		if x.Status == Waiting {
			a := piton.Answer{RunID: o.RunID, StepID: x.ID, Shown: x.Shown, Approved: approved, Words: words, By: "ann", At: piton.At(time.Now())}
			d.save(func(tx store.Tx) error { return tx.Runs.AnswerRun(context.Background(), redact.Value(a)) })
		}
	}
}

// asksFor makes step "ok" ask for what text shows, and step "write" note the words with
// which it is sent back.
func (d *desk) asksFor(text *string) (words *[]string) {
	words = &[]string{}
	d.effect = plan.Pure
	d.do["write"] = func(_ context.Context, c action.Call) (action.Result, error) {
		*words = append(*words, c.Words)
		return action.Result{}, nil
	}
	d.do["ok"] = func(context.Context, action.Call) (action.Result, error) {
		return action.Result{}, &action.Wait{Message: "Publish?", Shown: *text}
	}
	return words
}

func TestApproval(t *testing.T) {
	d := newDesk(t)
	text := "version 1"
	words := d.asksFor(&text)
	o := d.start(Request{Plan: steps("write", "check <- write", "ok <- write,check", "publish <- ok")})
	if o.Run.Status != piton.RunWaiting || statuses(o.State) != "write completed, check completed, ok waiting, publish pending" {
		t.Fatalf("got %s, %s", o.Run.Status, statuses(o.State))
	}
	if x := o.State.Plan[2]; x.Shows != text || len(x.Shown) != 64 || x.Reason != "Publish?" {
		t.Errorf("got %+v, want what is shown", x)
	}
	if o = d.resume(Again{Run: o.RunID}); o.Run.Status != piton.RunWaiting {
		t.Errorf("without an answer: got %s", o.Run.Status)
	}
	d.says(o, true, "")
	text = "version 2" // it has changed since
	d.events = nil
	if o = d.resume(Again{Run: o.RunID}); o.Run.Status != piton.RunWaiting {
		t.Errorf("what has changed is asked again: got %s", o.Run.Status)
	}
	if !slices.ContainsFunc(d.events, func(e Event) bool {
		return e.Kind == StepWaiting && e.Message == "Publish? (what it shows has changed since it was approved)"
	}) {
		t.Errorf("got %v, want the reason why it asks again", d.events)
	}
	d.says(o, false, "too long")
	if o = d.resume(Again{Run: o.RunID}); o.Run.Status != piton.RunWaiting {
		t.Errorf("after the rejection it is asked again: got %s, %s", o.Run.Status, o.Error)
	}
	if diff := cmp.Diff([]string{"", "too long"}, *words); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	d.says(o, true, "fine")
	d.events = nil
	o = d.resume(Again{Run: o.RunID})
	if slices.ContainsFunc(d.events, func(e Event) bool { return e.Kind == StepWaiting }) {
		t.Errorf("got %v, want nobody asked for an answer that is there", d.events)
	}
	r := o.State.result("ok")
	if !o.Success || r == nil {
		t.Fatalf("got %+v, want it completed", o.Run)
	}
	if n := o.State.Used.Tries; n != 5 {
		t.Errorf("got %d tries, want two of write and check and one of publish: to ask is none", n)
	}
	out, _ := r.Output.(map[string]any)
	if out["approved"] != true || out["by"] != "ann" || out["words"] != "fine" || out["at"] == "" {
		t.Errorf("got %v, want who said what and when", out)
	}
	if diff := cmp.Diff([]string{"write", "check", "ok", "ok", "ok", "write", "check", "ok", "ok", "publish"}, d.did); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestWaitsForAPerson stays while nothing but a person's word is missing.
func TestWaitsForAPerson(t *testing.T) {
	d := newDesk(t)
	d.do["ok"] = func(context.Context, action.Call) (action.Result, error) {
		return action.Result{}, &action.Wait{Message: "Publish?", Shown: "text"}
	}
	d.Events = func(e Event) {
		if e.Kind == StepWaiting {
			s, err := ReadState(context.Background(), d.Keeper, e.Checkpoint)
			if err != nil {
				t.Error(err)
			}
			d.says(Outcome{RunID: e.Run, State: s}, false, "no")
		}
	}
	o := d.start(Request{Plan: steps("ok"), WaitPerson: true})
	if o.Run.Status != piton.RunFailed || !strings.Contains(o.Error, "rejected by ann: no") {
		t.Errorf("got %s, %s, want it failed by the rejection", o.Run.Status, o.Error)
	}
}

// TestLooksAgain asks anew where what was approved has changed since it was asked,
// though the run has gone on all the while.
func TestLooksAgain(t *testing.T) {
	d := newDesk(t)
	d.effect = plan.Pure
	text := "version 1"
	d.do["ok"] = func(context.Context, action.Call) (action.Result, error) {
		return action.Result{}, &action.Wait{Message: "Publish?", Shown: text}
	}
	var asked []string
	d.Events = func(e Event) {
		if e.Kind == StepWaiting {
			s, err := ReadState(context.Background(), d.Keeper, e.Checkpoint)
			if err != nil {
				t.Error(err)
			}
			asked = append(asked, s.Plan[0].Shows)
			text = "version 2"
			d.says(Outcome{RunID: e.Run, State: s}, true, "")
		}
	}
	o := d.start(Request{Plan: steps("ok", "publish <- ok"), WaitPerson: true})
	if !o.Success {
		t.Errorf("got %s, %s, want it completed", o.Run.Status, o.Error)
	}
	if diff := cmp.Diff([]string{"version 1", "version 2"}, asked); diff != "" {
		t.Errorf("it asked (-want +got)\n%s", diff)
	}
}
