package runner

import (
	"slices"

	"github.com/piton-project/piton"
)

// signalPrefix begins what the signals of a run are kept by among its answers; no step's
// id has a blank.
const signalPrefix = "signal "

// Signal is an answer that carries a signal: payload is JSON.
func Signal(run, name, id string, payload []byte, by string, at piton.Time) piton.Answer {
	return piton.Answer{RunID: run, StepID: signalPrefix + name, Shown: id, Approved: true, Words: string(payload), By: by, At: at}
}

// Sent is the number of the first signal of a name that was not used; -1 for none.
func (s State) Sent(name string, answers []piton.Answer) int {
	return slices.IndexFunc(answers, func(a piton.Answer) bool {
		return a.StepID == signalPrefix+name && !slices.Contains(s.Signals, name+" "+a.Shown)
	})
}

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

// childPrefix begins what the end of a step's run is kept by among the answers.
const childPrefix = "run "

// ChildEnded is an answer to a run by the run of one of its steps, which has ended.
func ChildEnded(run, child string, at piton.Time) piton.Answer {
	return piton.Answer{RunID: run, StepID: childPrefix + child, Shown: "ended", Approved: true, At: at}
}

// HasEnded tells whether the run that a step waits for has ended since it was last seen to.
func (x Step) HasEnded(answers []piton.Answer) bool { return !x.endedAt(answers).IsZero() }

func (x Step) endedAt(answers []piton.Answer) (at piton.Time) {
	for _, a := range answers {
		if a.StepID == childPrefix+x.Child && a.At.After(x.AnsweredAt.Time) {
			at = a.At
		}
	}
	return at
}
