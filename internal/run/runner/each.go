package runner

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

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
		e.undo(undoFailed)
	}
	again = n.Undo || len(n.Due)+len(n.Gather)+len(n.Expand) > 0
	e.unsaved = e.unsaved || again
	return again
}

// maxItems bounds the bytes of all items of a run: they are kept in each checkpoint.
const maxItems = 8 << 20

// expand makes the list of a step that runs once for each item, and the step of each. An
// item that is as it was keeps what it has come to; another in its place is begun anew.
func (e *engine) expand(i int) {
	s, r := e.plan.Steps[i], e.resolver()
	list, err := plan.Items(s, r)
	texts := make([][]byte, len(list))
	at, all := map[string]int{}, 0
	for n, x := range e.state.Plan {
		if x.Of == s.ID {
			at[x.ID] = n
		} else {
			all += len(x.Item)
		}
	}
	for n := 0; n < len(list) && err == nil; n++ {
		clean, secret := e.secrets.Value(list[n])
		if texts[n], err = encode(clean); err == nil && secret {
			err = fmt.Errorf("item %d holds what looks like a secret, and items are kept with the run", n)
		}
		all += len(texts[n])
	}
	if err == nil && all > maxItems {
		err = fmt.Errorf("with its items those of the run's steps have %d bytes, more than %d; let it run for each file's path", all, maxItems)
	}
	if err != nil {
		e.fail(i, e.clean("its list of items cannot be made: "+err.Error()), piton.CauseStepFailed, Ended{})
		return
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
	e.align()
	e.tell(Event{Kind: StepSays, Step: s.ID, Message: fmt.Sprintf("runs for %d items", count)})
}

// item has a step run for an item, unless it did already, or may still.
func (e *engine) item(x *Step, text []byte) {
	if !bytes.Equal(x.Item, text) {
		x.Status, x.Item = Completed, text // what was done was done for another item
		e.state.renew(e.state.step(x.ID))
	} else if x.Status == Skipped {
		x.Status, x.Reason = Pending, ""
	}
}

// gather ends a step whose items have all ended.
func (e *engine) gather(i int) {
	x := &e.state.Plan[i]
	var failed []string
	why := ""
	for _, y := range e.state.Plan {
		if y.Of == x.ID && itemOf(y.ID) < *x.Items && y.Status.failed() {
			failed = append(failed, y.ID)
			why = y.Reason
		}
	}
	switch n := len(failed); {
	case n == 0:
		e.finish(x, Result{})
		e.tell(Event{Kind: StepCompleted, Step: x.ID, Message: fmt.Sprintf("%d items", *x.Items)})
	case n == 1:
		e.fail(i, fmt.Sprintf("%s failed: %s", named(failed), why), piton.CauseStepFailed, Ended{})
	default:
		list := strings.Join(failed[:min(n, 5)], ", ")
		if n > 5 {
			list += ", …"
		}
		e.fail(i, fmt.Sprintf("%d of %d items failed: %s; the last one: %s", n, *x.Items, list, why), piton.CauseStepFailed, Ended{})
	}
}

// due goes on with a step whose time of waiting is over.
func (e *engine) due(i int) {
	x := &e.state.Plan[i]
	at, signal, child := x.DueAt, x.Signal, x.Child
	x.DueAt, x.Signal, x.Child = piton.Time{}, "", ""
	switch {
	case signal != "":
		e.fail(i, fmt.Sprintf("the signal %s did not come until %s", signal, at), piton.CauseStepFailed, Ended{})
	case child != "":
		x.Status, x.Reason = Pending, ""
	default:
		e.finish(x, Result{Output: map[string]any{"until": at.String()}})
		e.tell(Event{Kind: StepCompleted, Step: x.ID, Attempt: x.Attempt})
	}
}

func (e *engine) undo(why Undoing) {
	e.state = e.state.undo(e.own, why)
	e.align()
	e.tell(Event{Kind: StepSays, Message: "what was done is undone"})
}
