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
	room  room
	State State // with what is skipped, or failed by its condition
	Start []int // steps that may start now, in the plan's order
	Wake  time.Time
	// Changed are the steps that were skipped, or failed by their condition.
	Changed []int
	Expand  []int // whose lists of items are to be made
	Gather  []int // whose items have all ended
	Due     []int // whose time of waiting is over
	Undo    bool  // what was done is to be undone
	Idle    bool  // nothing is left to do before Wake but to wait
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
	limit := p.Parallel
	if limit <= 0 {
		limit = defaultParallel
	}
	running := n.running(limit)
	ready := n.settle(p, when, now)
	if n.Undo = running == 0 && undoDue(p, n.State); n.Undo {
		return n
	}
	retries := false
	for _, i := range ready {
		x := n.State.Plan[i]
		switch at := x.RetryAt; {
		case at.After(now) && !x.EndedAt.After(now): // else the clock was set back since
			retries = true
			n.wake(at.Time)
		case running < limit:
			running++
			n.Start = append(n.Start, i)
		}
	}
	n.waits(now)
	n.State.count()
	if running == 0 && n.Wake.IsZero() && len(n.Expand)+len(n.Gather)+len(n.Due) == 0 {
		n.Over = true
		n.Status, n.Error, n.Cause = ending(p, n.State)
	}
	n.Idle = running == 0 && !n.Over && !retries
	return n
}

// settle skips what is to be skipped, until no step is left to decide on, and
// returns the steps that may start.
func (n *schedule) settle(p plan.Plan, when asks, now time.Time) (ready []int) {
	at := make(map[string]int, len(n.State.Plan))
	for i, x := range n.State.Plan {
		at[x.ID] = i
	}
	for again := true; again; {
		again = false
		ready, n.Expand, n.Gather = ready[:0], nil, nil
		room := n.room.clone()
		for i := range n.State.Plan {
			x := &n.State.Plan[i]
			if x.Status != Pending {
				continue
			}
			if !n.State.works(p.Steps[i]) {
				continue
			}
			switch n.each(p.Steps[i], i, at, room) {
			case goesOn:
			case isSkipped:
				n.Changed, again = append(n.Changed, i), true
				continue
			default:
				continue
			}
			s := p.Steps[i]
			if s.IsEach() {
				s.Dependencies = s.Needs
			}
			if !n.ended(s.Dependencies, at) {
				continue
			}
			if n.plain(s, at) {
				ready = n.may(s, i, ready, room, now)
				continue
			}
			run, reason, err := when(p, i, n.State)
			switch {
			case err != nil:
				x.Status, x.Reason = Failed, "its condition cannot be evaluated: "+err.Error()
			case run:
				ready = n.may(s, i, ready, room, now)
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

// works tells whether a step is one of those that the run works on: while what was done is
// undone, these are those that undo, and the last ones.
func (s State) works(x plan.Step) bool { return s.Undo == "" || x.Undoes != "" || x.Finally }

// ending is how a run has ended in which nothing can go on, and why. What a
// person can still do comes before what has failed.
func ending(p plan.Plan, s State) (piton.RunStatus, string, piton.RunCause) {
	of := func(want ...Status) (names []string) {
		for i, x := range s.Plan {
			if slices.Contains(want, x.Status) && s.works(p.Steps[i]) {
				names = append(names, x.ID)
			}
		}
		return names
	}
	if names := of(InDoubt); len(names) > 0 {
		return piton.RunInDoubt, fmt.Sprintf("nobody knows whether %s took effect", named(names)), ""
	}
	if names := of(Waiting); len(names) > 0 {
		return piton.RunWaiting, waitsFor(s, names), ""
	}
	if names := of(Failed, CouldNot); len(names) > 0 {
		first := s.Plan[s.step(names[0])]
		why := "failed"
		if first.Status == CouldNot {
			why = "could not be done"
		}
		return piton.RunFailed, fmt.Sprintf("step %s %s: %s", first.ID, why, first.Reason), cmp.Or(first.Cause, piton.CauseStepFailed)
	}
	if s.Undo != "" {
		return s.wasUndone()
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
