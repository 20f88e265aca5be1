package runner

import (
	"fmt"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// keyOf is the idempotency key of a step: the same for every attempt at it.
func (e *engine) keyOf(i int) string {
	x := e.state.Plan[i]
	return piton.DeriveID("key_", e.run.ID, x.ID, fmt.Sprint(x.Round))
}

// anywhere are the actions that need nothing of the machine with the run's folder.
var anywhere = []string{"http", "checkpoint", plan.Wait, plan.Child}

// handOut leaves an attempt whose intent is kept to others.
func (e *engine) handOut(i int) {
	x := e.state.Plan[i]
	b := Begin{Attempt: Attempt{x.ID, x.Attempt}}
	if !slices.Contains(anywhere, e.plan.Steps[i].Action) {
		b.Host = e.run.Host
	}
	e.Hands.Begin = append(e.Hands.Begin, b)
}

// elsewhere is an attempt that others carry out. That it is to be ended is noted.
func (e *engine) elsewhere(i int) *flight {
	a := Attempt{e.state.Plan[i].ID, e.state.Plan[i].Attempt}
	return &flight{stale: slices.Contains(e.Stale, a), cancel: func(why error) { e.Hands.End = append(e.Hands.End, Ending{a, causeNamed(why)}) }}
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
		return halted
	}
	return ""
}
