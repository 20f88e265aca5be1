package runner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// defaultParallel is how many steps run at once where the plan does not say.
const defaultParallel = 4

// asks answers whether a step whose dependencies have all ended is to run, and
// else why not (plan.When). An error is a condition that cannot be evaluated.
type asks func(p plan.Plan, i int, s State) (run bool, reason string, err error)

// schedule is what may be done next.
type schedule struct {
	State State // with what is skipped, or failed by its condition
	Start []int // steps that may start now, in the plan's order
	Wake  time.Time
	// Changed are the steps that were skipped, or failed by their condition.
	Changed []int
	Over    bool
	Status  piton.RunStatus // how, where it is over
	Error   string          // why, for people
	Cause   piton.RunCause  // why, for programs
}

// next decides what may be done: a pure function of plan, state and time. A step
// may start when all its dependencies have ended; one whose dependencies are not
// all completed is skipped with the reason, unless its condition asks for that
// (plan.When). Steps in doubt and waiting steps hold what depends on them, and
// nothing else. The run is over when nothing runs and nothing may start any more.
func next(p plan.Plan, s State, now time.Time, when asks) schedule {
	n := schedule{State: s.clone()}
	ready := n.settle(p, when)
	running := 0
	for _, x := range n.State.Plan {
		if x.Status == Running {
			running++
		}
	}
	limit := p.Parallel
	if limit <= 0 {
		limit = defaultParallel
	}
	for _, i := range ready {
		x := n.State.Plan[i]
		switch at := x.RetryAt; {
		case at.After(now) && !x.EndedAt.After(now): // else the clock was set back since

			if n.Wake.IsZero() || at.Before(n.Wake) {
				n.Wake = at.Time
			}
		case running < limit:
			running++
			n.Start = append(n.Start, i)
		}
	}
	n.State.count()
	if running == 0 && n.Wake.IsZero() {
		n.Over = true
		n.Status, n.Error, n.Cause = ending(n.State)
	}
	return n
}

// settle skips what is to be skipped, until no step is left to decide on, and
// returns the steps that may start.
func (n *schedule) settle(p plan.Plan, when asks) (ready []int) {
	at := make(map[string]int, len(n.State.Plan))
	for i, x := range n.State.Plan {
		at[x.ID] = i
	}
	for again := true; again; {
		again = false
		ready = ready[:0]
		for i := range n.State.Plan {
			x := &n.State.Plan[i]
			if x.Status != Pending || !n.ended(p.Steps[i].Dependencies, at) {
				continue
			}
			if n.plain(p.Steps[i], at) {
				ready = append(ready, i)
				continue
			}
			run, reason, err := when(p, i, n.State)
			switch {
			case err != nil:
				x.Status, x.Reason = Failed, "its condition cannot be evaluated: "+err.Error()
			case run:
				ready = append(ready, i)
				continue
			default:
				x.Status, x.Reason = Skipped, reason
			}
			n.Changed = append(n.Changed, i)
			again = true
		}
	}
	return ready
}

func (n *schedule) ended(deps []string, at map[string]int) bool {
	return !slices.ContainsFunc(deps, func(d string) bool { return !n.State.Plan[at[d]].Status.Ended() })
}

// plain tells whether a step without a condition has all it needs.
func (n *schedule) plain(s plan.Step, at map[string]int) bool {
	return s.When == "" && !slices.ContainsFunc(s.Dependencies, func(d string) bool { return n.State.Plan[at[d]].Status != Completed })
}

// ending is how a run has ended in which nothing can go on, and why. What a
// person can still do comes before what has failed.
func ending(s State) (piton.RunStatus, string, piton.RunCause) {
	of := func(want ...Status) (names []string) {
		for _, x := range s.Plan {
			if slices.Contains(want, x.Status) {
				names = append(names, x.ID)
			}
		}
		return names
	}
	if names := of(InDoubt); len(names) > 0 {
		return piton.RunInDoubt, fmt.Sprintf("nobody knows whether %s took effect", named(names)), ""
	}
	if names := of(Waiting); len(names) > 0 {
		return piton.RunWaiting, named(names) + " needs a person's approval", ""
	}
	if names := of(Failed, CouldNot); len(names) > 0 {
		first := s.Plan[s.step(names[0])]
		why := "failed"
		if first.Status == CouldNot {
			why = "could not be done"
		}
		return piton.RunFailed, fmt.Sprintf("step %s %s: %s", first.ID, why, first.Reason), cmp.Or(first.Cause, piton.CauseStepFailed)
	}
	return piton.RunCompleted, "", ""
}

// named lists steps in words: "step a", "the steps a and b".
func named(ids []string) string {
	switch n := len(ids); n {
	case 0:
		return "no step"
	case 1:
		return "step " + ids[0]
	default:
		return "steps " + strings.Join(ids[:n-1], ", ") + " and " + ids[n-1]
	}
}
