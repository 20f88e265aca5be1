package runner

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
)

// signalPrefix begins what the signals of a run are kept by among its answers; no step's
// id has a blank.
const signalPrefix = "signal "

// Signal is an answer that carries a signal: payload is JSON.
func Signal(run, name, id string, payload []byte, by string, at piton.Time) piton.Answer {
	return piton.Answer{RunID: run, StepID: signalPrefix + name, Shown: id, Approved: true, Words: string(payload), By: by, At: at}
}

// waitsOn makes a step wait for a time, a signal or another run.
func (e *engine) waitsOn(x *Step, w *action.Wait) {
	x.Status, x.Reason, x.Tried = Waiting, e.clean(w.Message), 0
	x.DueAt, x.Signal, x.Child = piton.Time{}, w.Signal, w.Run
	switch {
	case w.For > 0:
		x.DueAt = piton.At(e.now().Add(w.For))
	case !w.Until.IsZero():
		x.DueAt = piton.At(w.Until)
	}
	x.Used.Tries--
	e.state.Used.Tries--
	e.unsaved = true
	e.asked = append(e.asked, Event{Kind: StepIdle, Step: x.ID, Attempt: x.Attempt, Message: x.Reason})
}

// due goes on with a step whose time of waiting is over.
func (e *engine) due(i int) {
	x := &e.state.Plan[i]
	at, signal, child := x.DueAt, x.Signal, x.Child
	x.DueAt, x.Signal, x.Child = piton.Time{}, "", ""
	switch {
	case signal != "":
		e.fail(i, fmt.Sprintf("the signal %s did not come until %s", signal, at), piton.CauseStepFailed, ended{})
	case child != "":
		x.Status, x.Reason = Pending, ""
	default:
		e.finish(x, Result{Output: map[string]any{"until": at.String()}})
		e.tell(Event{Kind: StepCompleted, Step: x.ID, Attempt: x.Attempt})
	}
}

// signalled goes on with the steps whose signals have come. Each signal is used once, the
// oldest first, by the first step that waits for it.
func (e *engine) signalled(answers []piton.Answer) {
	for i := range e.state.Plan {
		x := &e.state.Plan[i]
		if x.Status != Waiting || x.Signal == "" {
			continue
		}
		n := e.state.sent(x.Signal, answers)
		if n < 0 {
			continue
		}
		a := answers[n]
		var payload any
		if json.Unmarshal([]byte(a.Words), &payload) != nil {
			payload = a.Words // redaction has changed it
		}
		e.finish(x, Result{Output: map[string]any{"signal": x.Signal, "payload": payload, "by": a.By, "at": a.At.String()}})
		x.DueAt, x.Signal = piton.Time{}, ""
		e.state.Signals, e.unsaved = append(slices.Clip(e.state.Signals), a.Shown), true
		e.tell(Event{Kind: StepCompleted, Step: x.ID, Attempt: x.Attempt, Message: "the signal has come" + by(a.By)})
	}
}

// sent is the number of the first signal of a name that was not used; -1 for none.
func (s State) sent(name string, answers []piton.Answer) int {
	return slices.IndexFunc(answers, func(a piton.Answer) bool {
		return a.StepID == signalPrefix+name && !slices.Contains(s.Signals, a.Shown)
	})
}

// Sent tells whether a signal has come that was not used.
func (s State) Sent(name string, answers []piton.Answer) bool { return s.sent(name, answers) >= 0 }

// waitsFor says what a run waits for in which nothing else is left to do.
func waitsFor(s State, names []string) string {
	var asks []string
	why := ""
	for _, id := range names {
		if x := s.Plan[s.step(id)]; x.Asks() {
			asks = append(asks, id)
		} else if why == "" {
			why = "step " + id + " " + x.Reason
		}
	}
	if len(asks) > 0 {
		return named(asks) + " needs a person's approval"
	}
	return why
}

// givesBack tells whether a daemon's run that only waits is given back until its time has
// come, so that others have its place.
func (e *engine) givesBack() bool {
	return e.state.Daemon != "" && e.wake.Sub(e.now()) > maxWaitInPlace
}

// maxWaitInPlace is how long a daemon's run keeps its place while it only waits.
const maxWaitInPlace = 5 * time.Second

// due is when the first of the steps that wait for a time goes on; zero for none.
func (s State) due() (at piton.Time) {
	for _, x := range s.Plan {
		if x.Status == Waiting && !x.DueAt.IsZero() && (at.IsZero() || x.DueAt.Before(at.Time)) {
			at = x.DueAt
		}
	}
	return at
}

// ChildRun is the run that a step is, as far as that is known; "" for none.
func (x Step) ChildRun() string {
	if x.Child != "" || x.Note == nil {
		return x.Child
	}
	id, _ := x.Note.Data["run"].(string)
	return id
}
