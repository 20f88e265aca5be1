package runner

import (
	"context"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// ask tells of the steps that have begun to wait, but not of those that a person has
// answered before.
func (e *engine) ask() {
	if len(e.asked) == 0 {
		return
	}
	e.hearNow()
	for _, ev := range e.asked {
		if e.state.Plan[e.state.step(ev.Step)].Status == Waiting {
			e.tell(ev)
		}
	}
	e.asked = nil
}

// hearNow takes over the answers that are there already.
func (e *engine) hearNow() {
	e.waits.Store(true)
	if n := e.look(context.WithoutCancel(e.steps)); n.err == nil {
		e.hear(n.answers)
	}
}

// hear takes over what people have said to the steps that wait. An answer counts
// once, and for exactly what the step shows.
func (e *engine) hear(answers []piton.Answer) {
	for i := range e.state.Plan {
		x := &e.state.Plan[i]
		if x.Status != Waiting || !e.state.works(e.plan.Steps[i]) {
			continue
		}
		at := AnswerTo(*x, answers)
		switch {
		case x.Child != "":
			e.rejoins(x, answers)
		case x.Signal != "":
			e.signalled(x, answers)
		case at < 0 || !x.Asks():
		case answers[at].Approved && !e.lookedSince(x, answers[at]):
			// What it shows may have changed since it asked. If it is the same still, the
			// answer is found again and counts; if not, the step asks anew.
			e.Looked[x.ID], x.Status, e.unsaved = answers[at].At, Pending, true
		default:
			e.answered(i, answers[at])
		}
	}
}

// AnswerTo is the number of the newest answer to what a step shows; -1 for none
// that is not used up.
func AnswerTo(x Step, answers []piton.Answer) int {
	for n, a := range slices.Backward(answers) {
		if a.StepID == x.ID && a.Shown == x.Shown && a.At.After(x.AnsweredAt.Time) {
			return n
		}
	}
	return -1
}

// answeredSteps are the waiting steps of a state to which a person has given a word.
func answeredSteps(s State, answers []piton.Answer) map[string]bool {
	found := map[string]bool{}
	for _, x := range s.Plan {
		if x.Status == Waiting && AnswerTo(x, answers) >= 0 {
			found[x.ID] = true
		}
	}
	return found
}

// lookedSince tells whether the step has looked at what it shows since it was
// approved.
func (e *engine) lookedSince(x *Step, a piton.Answer) bool {
	return x.StartedAt.After(a.At.Time) || e.Looked[x.ID] == a.At
}

func (e *engine) answered(i int, a piton.Answer) {
	x := &e.state.Plan[i]
	x.AnsweredAt = a.At
	words := e.clean(a.Words)
	switch {
	case a.Approved:
		e.finish(x, Result{Output: map[string]any{"approved": true, "by": a.By, "words": words, "at": a.At.String()}})
		e.tell(Event{Kind: StepCompleted, Step: x.ID, Attempt: x.Attempt, Message: "approved" + behind(" by ", a.By)})
	case len(e.plan.Steps[i].Dependencies) == 0:
		e.fail(i, "rejected"+behind(" by ", a.By)+": "+words, piton.CauseStepFailed, Ended{})
	default:
		id, attempt := x.ID, x.Attempt
		before := e.state
		e.state = sendBack(e.plan, e.state, i, e.Effect, words)
		for n, f := range e.flight {
			f.stale = f.stale || slices.Contains(outdated(e.plan, before, e.state), n)
		}
		e.tell(Event{Kind: StepSays, Step: id, Attempt: attempt, Message: "rejected" + behind(" by ", a.By) + ": " + words})
	}
	e.unsaved = true
}

// outdated are the running steps whose dependencies run again.
func outdated(p plan.Plan, before, after State) (steps []int) {
	fresh := map[int]bool{}
	for i := range after.Plan {
		if before.Plan[i].Status == Completed && after.Plan[i].Status == Pending {
			fresh[i] = true
		}
	}
	for i := range dependents(p, fresh) {
		if after.Plan[i].Status == Running {
			steps = append(steps, i)
		}
	}
	return steps
}

// signalled goes on with a step whose signal has come. Each signal is used once, the oldest
// first, by the first step that waits for it.
func (e *engine) signalled(x *Step, answers []piton.Answer) {
	n := e.state.Sent(x.Signal, answers)
	if n < 0 {
		return
	}
	a := answers[n]
	payload, ok := Payload([]byte(a.Words))
	if !ok {
		payload = a.Words // redaction has changed it
	}
	e.finish(x, Result{Output: map[string]any{"signal": x.Signal, "payload": payload, "by": a.By, "at": a.At.String()}})
	e.state.Signals, e.unsaved = append(slices.Clip(e.state.Signals), x.Signal+" "+a.Shown), true
	x.DueAt, x.Signal = piton.Time{}, ""
	e.tell(Event{Kind: StepCompleted, Step: x.ID, Attempt: x.Attempt, Message: "the signal has come" + behind(" by ", a.By)})
}

func (e *engine) rejoins(x *Step, answers []piton.Answer) {
	if at := x.endedAt(answers); !at.IsZero() {
		x.Status, x.Reason, x.AnsweredAt, e.unsaved = Pending, "", at, true
		x.DueAt, x.Child = piton.Time{}, ""
	}
}
