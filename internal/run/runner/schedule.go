package runner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
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
	limit := cmp.Or(p.Parallel, defaultParallel)
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
	n.waits(p, now)
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
			if n.State.Plan[i].Status != Pending || !n.State.works(p.Steps[i]) {
				continue
			}
			s := p.Steps[i]
			switch rests, skips := n.each(s, i, at, room); {
			case rests || !skips && !n.ended(s.Dependencies, at):
			case !skips && n.runs(p, i, at, when):
				ready = n.may(s, i, ready, room, now)
			default:
				n.Changed, again = append(n.Changed, i), true
			}
		}
	}
	return ready
}

func (n *schedule) ended(deps []string, at map[string]int) bool {
	return !slices.ContainsFunc(deps, func(d string) bool { return !n.State.Plan[at[d]].Status.Ended() })
}

// runs tells whether a step is to run whose dependencies have ended; else it is skipped, or
// has failed.
func (n *schedule) runs(p plan.Plan, i int, at map[string]int, when asks) bool {
	x, s := &n.State.Plan[i], p.Steps[i]
	if s.When == "" && !slices.ContainsFunc(s.Dependencies, func(d string) bool { return n.State.Plan[at[d]].Status != Completed }) {
		return true
	}
	run, reason, err := when(p, i, n.State)
	switch {
	case err != nil:
		x.Status, x.Reason = Failed, "its condition cannot be evaluated: "+err.Error()
	case !run:
		x.Status, x.Reason = Skipped, reason
	}
	return run && err == nil
}

// ending is how a run has ended in which nothing can go on, and why. What a
// person can still do comes before what has failed.
func ending(p plan.Plan, s State) (piton.RunStatus, string, piton.RunCause) {
	of := func(want ...Status) (names []string) {
		for i, x := range s.Plan {
			goesOn := p.Steps[i].ContinueOnError && x.Status.failed()
			if slices.Contains(want, x.Status) && s.works(p.Steps[i]) && !goesOn {
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

// room is how many steps may begin, and how many of each list run or will.
type room struct {
	left   int
	busy   map[string]int
	failed map[string]bool // lists of which an item has failed
}

func (r room) clone() *room { return &room{r.left, maps.Clone(r.busy), r.failed} }

// running counts the steps that run, and what room they leave.
func (n *schedule) running(limit int) (all int) {
	n.room.busy, n.room.failed = map[string]int{}, map[string]bool{}
	for i := range n.State.Plan {
		x := &n.State.Plan[i]
		if x.Status.failed() {
			n.room.failed[x.Of] = true
		}
		if x.Status == Running {
			n.room.busy[x.Of]++
			all++
		}
	}
	n.room.left = limit - all
	return all
}

// each decides on a step that runs once for each item of a list, and on one item's step: it
// rests for now, or will not run, or goes on like any other. The list is made when what the
// step depends on has ended, and again when that has run again; the step itself ends when all
// its items have.
func (n *schedule) each(s plan.Step, i int, at map[string]int, room *room) (rests, skips bool) {
	x := &n.State.Plan[i]
	if s.Of == "" {
		switch {
		case !s.IsEach():
			return false, false
		case x.Items == nil:
			return n.open(s.ID), false
		case !n.ended(s.Dependencies, at):
			x.Items = nil
			return false, false
		case n.ended(s.Items, at):
			n.Gather = append(n.Gather, i)
		}
		return true, false
	}
	of := n.State.Plan[at[s.Of]]
	switch {
	case of.Items == nil && !of.Status.Ended():
		return true, false
	case of.Items != nil && itemOf(x.ID) >= *of.Items:
		x.Reason = "the list has no such item any more"
	case of.Status.Ended():
		x.Reason = "step " + of.ID + " is " + string(of.Status)
	case s.FailFast && room.failed[s.Of]:
		x.Reason = "another item failed"
	case room.left <= 0 || s.Parallel > 0 && room.busy[s.Of] >= s.Parallel:
		return true, false
	default:
		return false, false
	}
	x.Status = Skipped
	return false, true
}

// open tells whether items of a step run, wait or are in doubt: while they do its list is
// not made anew, so that none gets another's place.
func (n *schedule) open(of string) bool {
	return slices.ContainsFunc(n.State.Plan, func(x Step) bool { return x.Of == of && x.Status != Pending && !x.Status.Ended() })
}

// may adds a step to those that may start, or to those whose list is to be made.
func (n *schedule) may(s plan.Step, i int, ready []int, room *room, now time.Time) []int {
	if s.IsEach() {
		n.Expand = append(n.Expand, i)
		return ready
	}
	if s.Of != "" && !n.State.Plan[i].RetryAt.After(now) {
		room.left--
		room.busy[s.Of]++
	}
	return append(ready, i)
}

// wake has the schedule looked at again at a time, at the latest.
func (n *schedule) wake(at time.Time) {
	if n.Wake.IsZero() || at.Before(n.Wake) {
		n.Wake = at
	}
}

// waits finds the steps whose time of waiting is over, and when the next one's will be.
func (n *schedule) waits(p plan.Plan, now time.Time) {
	for i, x := range n.State.Plan {
		switch {
		case x.Status != Waiting || x.DueAt.IsZero() || !n.State.works(p.Steps[i]):
		case x.DueAt.After(now):
			n.wake(x.DueAt.Time)
		default:
			n.Due = append(n.Due, i)
		}
	}
}
