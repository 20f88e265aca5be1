package runner

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// room is how many steps may begin, and how many of each list run or will.
type room struct {
	left int
	busy map[string]int
}

func (r room) clone() *room { return &room{r.left, maps.Clone(r.busy)} }

// running counts the steps that run, and what room they leave.
func (n *schedule) running(limit int) (all int) {
	n.room.busy = map[string]int{}
	for _, x := range n.State.Plan {
		if x.Status == Running {
			n.room.busy[x.Of]++
			all++
		}
	}
	n.room.left = limit - all
	return all
}

// decision is what the schedule makes of a step that runs once for each item, or of one
// item's.
type decision int

const (
	goesOn    decision = iota // like any other
	isSkipped                 // it will not run
	rests                     // nothing, for now
)

// each decides on a step that runs once for each item of a list, and on one item's step.
// The list is made when what the step depends on has ended, and again when that has run
// again; the step itself ends when all its items have.
func (n *schedule) each(s plan.Step, i int, at map[string]int, room *room) decision {
	x := &n.State.Plan[i]
	if s.Of == "" {
		switch {
		case !s.IsEach() || x.Items == nil:
		case !n.ended(s.Needs, at):
			x.Items = nil
		case n.ended(s.Dependencies, at):
			n.Gather = append(n.Gather, i)
			return rests
		default:
			return rests
		}
		return goesOn
	}
	of := n.State.Plan[at[s.Of]]
	switch {
	case of.Items == nil && !of.Status.Ended():
		return rests
	case of.Items != nil && itemOf(x.ID) >= *of.Items:
		x.Reason = "the list has no such item any more"
	case of.Status.Ended():
		x.Reason = "step " + of.ID + " is " + string(of.Status)
	case s.FailFast && n.failed(s.Of):
		x.Reason = "another item failed"
	case room.left <= 0 || s.Parallel > 0 && room.busy[s.Of] >= s.Parallel:
		return rests
	default:
		return goesOn
	}
	x.Status = Skipped
	return isSkipped
}

// failed tells whether an item of a step has failed.
func (n *schedule) failed(of string) bool {
	return slices.ContainsFunc(n.State.Plan, func(x Step) bool {
		return x.Of == of && (x.Status == Failed || x.Status == CouldNot)
	})
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
func (n *schedule) waits(now time.Time) {
	for i, x := range n.State.Plan {
		switch {
		case x.Status != Waiting || x.DueAt.IsZero():
		case x.DueAt.After(now):
			n.wake(x.DueAt.Time)
		default:
			n.Due = append(n.Due, i)
		}
	}
}

// moves does what the schedule says of lists and of waiting. It reports whether there is
// something to decide again.
func (e *engine) moves(n schedule) (again bool) {
	for _, i := range n.Due {
		e.due(i)
	}
	for _, i := range n.Gather {
		e.gather(i)
	}
	for _, i := range n.Expand {
		e.expand(i)
	}
	if n.Undo {
		e.undo(UndoFailed)
	}
	again = n.Undo || len(n.Due)+len(n.Gather)+len(n.Expand) > 0
	e.unsaved = e.unsaved || again
	return again
}

// maxItems bounds the bytes of all items of a step: they are kept in each checkpoint.
const maxItems = 8 << 20

// expand makes the list of a step that runs once for each item, and the step of each. An
// item that is as it was keeps what it has come to; another in its place is begun anew.
func (e *engine) expand(i int) {
	s, r := e.plan.Steps[i], e.resolver()
	list, err := plan.Items(s, r)
	texts := make([][]byte, len(list))
	all := 0
	for n := 0; n < len(list) && err == nil; n++ {
		clean, secret := e.secrets.Value(list[n])
		if texts[n], err = encode(clean); err == nil && secret {
			err = fmt.Errorf("item %d holds what looks like a secret, and items are kept with the run", n)
		}
		all += len(texts[n])
	}
	if err == nil && all > maxItems {
		err = fmt.Errorf("its items have %d bytes, more than %d; let it run for each file's path", all, maxItems)
	}
	if err != nil {
		e.fail(i, e.clean("its list of items cannot be made: "+err.Error()), piton.CauseStepFailed, ended{})
		return
	}
	at := map[string]int{}
	for n, x := range e.state.Plan {
		if x.Of == s.ID {
			at[x.ID] = n
		}
	}
	for n, text := range texts {
		id := plan.ItemID(s.ID, n)
		if was, had := at[id]; had {
			e.item(&e.state.Plan[was], text)
		} else {
			e.state.Plan = append(e.state.Plan, Step{ID: id, Of: s.ID, Item: text, Status: Pending, Round: e.state.Plan[i].Round})
		}
	}
	count := len(texts)
	e.state.Plan[i].Items = &count
	e.plan, e.state = aligned(e.own, e.state)
	e.tell(Event{Kind: StepSays, Step: s.ID, Message: fmt.Sprintf("runs for %d items", count)})
}

// item has a step run for an item, unless it did already, or may still.
func (e *engine) item(x *Step, text []byte) {
	same := bytes.Equal(x.Item, text)
	switch {
	case x.Status == Skipped && same:
		x.Status, x.Reason = Pending, ""
	case same || !x.Status.Ended() && x.Status != Pending:
	default:
		r := resumption{s: &e.state, fresh: map[int]bool{}}
		x.Status, x.Item = Completed, text // what was done was done for another item
		r.renew(e.state.step(x.ID))
	}
}

// gather ends a step whose items have all ended.
func (e *engine) gather(i int) {
	x := &e.state.Plan[i]
	var failed []string
	why := ""
	for _, y := range e.state.Plan {
		if y.Of == x.ID && itemOf(y.ID) < *x.Items && (y.Status == Failed || y.Status == CouldNot) {
			failed = append(failed, y.ID)
			why = y.Reason
		}
	}
	switch n := len(failed); {
	case n == 0:
		e.finish(x, Result{})
		e.tell(Event{Kind: StepCompleted, Step: x.ID, Message: fmt.Sprintf("%d items", *x.Items)})
	case n == 1:
		e.fail(i, fmt.Sprintf("%s failed: %s", named(failed), why), piton.CauseStepFailed, ended{})
	default:
		list := strings.Join(failed[:min(n, 5)], ", ")
		if n > 5 {
			list += ", …"
		}
		e.fail(i, fmt.Sprintf("%d of %d items failed: %s; the last one: %s", n, *x.Items, list, why), piton.CauseStepFailed, ended{})
	}
}

// brought are the outputs of the items of a step, in their order; null where one was skipped.
func (e *engine) brought(s State, of Step) []any {
	list := make([]any, *of.Items)
	for _, r := range s.Results {
		n := itemOf(r.StepID)
		if mine := r.StepID == plan.ItemID(of.ID, n); mine && n >= 0 && n < len(list) {
			if list[n] = r.Output; e.outputs[r.StepID] != nil {
				list[n] = e.outputs[r.StepID]
			}
		}
	}
	return list
}

// each are the values that only a step's own expressions have.
func (e *engine) each(i int) map[string]any {
	s := e.plan.Steps[i]
	if !s.Repeats() {
		return s.Each
	}
	own := map[string]any{"iteration": e.state.Plan[i].Iteration + 1}
	maps.Copy(own, s.Each)
	return own
}

// withItems adds to the ids of steps those of their items.
func (s State) withItems(ids []string) (all []string) {
	all = slices.Clone(ids)
	for _, x := range s.Plan {
		if x.Of != "" && slices.Contains(ids, x.Of) && !slices.Contains(all, x.ID) {
			all = append(all, x.ID)
		}
	}
	return all
}

// repeats has a step that has brought an output run once more, where its condition wants it.
func (e *engine) repeats(d ended, output any) bool {
	s, x := e.plan.Steps[d.step], &e.state.Plan[d.step]
	if !s.Repeats() {
		return false
	}
	r := e.resolver()
	r.Each = e.each(d.step)
	again, err := r.Again(s, output)
	switch {
	case err != nil:
		e.fail(d.step, e.clean("repeat: "+err.Error()), piton.CauseStepFailed, d)
		return true
	case !again:
		return false
	case x.Iteration+1 >= s.Repeat.Times():
		e.fail(d.step, fmt.Sprintf("it has run %d times, and its condition does not hold yet", s.Repeat.Times()), piton.CauseStepFailed, d)
		return true
	}
	iteration, wait := x.Iteration+1, time.Duration(s.Repeat.Delay)
	x.Status = Completed
	(&resumption{s: &e.state, fresh: map[int]bool{}}).renew(d.step)
	x.Iteration, x.RetryAt = iteration, piton.At(e.now().Add(wait))
	e.unsaved = true
	e.tell(Event{Kind: StepSays, Step: x.ID, Attempt: x.Attempt, Message: fmt.Sprintf("has run %d of at most %d times; its condition does not hold yet", iteration, s.Repeat.Times())})
	return true
}
