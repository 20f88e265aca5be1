package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

// keyOf is the idempotency key of a step: the same for every attempt at it.
func (e *engine) keyOf(i int) string {
	x := e.state.Plan[i]
	return piton.DeriveID("key_", e.run.ID, x.ID, fmt.Sprint(x.Round))
}

// handOut leaves an attempt whose intent is kept to others.
func (e *engine) handOut(i int, c action.Call) {
	e.flight[i] = &flight{cancel: e.endsElsewhere(Attempt{c.Step, c.Attempt})}
	e.Hands.Begin = append(e.Hands.Begin, e.toBegin(i))
}

// anywhere are the actions that need nothing of the machine with the run's folder.
var anywhere = []string{"http", "checkpoint", plan.Wait, plan.Child}

func (e *engine) toBegin(i int) Begin {
	s, x := e.plan.Steps[i], e.state.Plan[i]
	b := Begin{Attempt: Attempt{x.ID, x.Attempt}}
	if !slices.Contains(anywhere, s.Action) {
		b.Host = e.run.Host
	}
	return b
}

// endsElsewhere notes that an attempt is to be ended.
func (e *engine) endsElsewhere(a Attempt) context.CancelCauseFunc {
	return func(why error) { e.Hands.End = append(e.Hands.End, Ending{a, causeNamed(why)}) }
}

// causes are the causes by which attempts are ended.
var causes = map[error]Cause{errCancel: cancelledBy, errTimeout: tooLong, errBudgetTime: overTime, errCleanUp: cleanUpOver}

// causeNamed is the cause that has ended an attempt; an unknown one is that of a run that was
// stopped.
func causeNamed(err error) Cause {
	for cause, name := range causes {
		if err == cause {
			return name
		}
	}
	if err != nil {
		return Stopped
	}
	return ""
}
