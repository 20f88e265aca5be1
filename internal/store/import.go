package store

import (
	"cmp"
	"fmt"
	"iter"

	"github.com/piton-project/piton"
)

// NumberTaken is the Conflict of an import whose number is held by another
// checkpoint of the workflow.
func NumberTaken(op string, w piton.Workflow, seq int64, holder string) error {
	return piton.Errorf(piton.Conflict, op, "'export workflow "+w.ID+"' on each side and 'import' bring the two lines together; nothing is overwritten",
		"%s holds number %d of workflow %s here", holder, seq, w.Label())
}

// FreeNames are the names that a workflow may get in a store where its own is
// taken, the best first.
func FreeNames(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := 1; ; n++ {
			free := name
			if n > 1 {
				free = fmt.Sprintf("%s-%d", name, n)
			}
			if !yield(free) {
				return
			}
		}
	}
}

// Imported is where an import puts an entry.
type Imported struct {
	Record piton.Checkpoint // without a number it gets the workflow's next one
	// From is the entry's parent where that is on another branch: the entry's
	// branch begins there, unless it is known where from or has a lower number.
	From string
	// WaitsFor is the parent that is not in the store: the entry is its child once
	// that is imported too.
	WaitsFor string
}

// PlanImport returns where an entry comes to in a workflow of the store. parent
// is the entry's parent, nil when it is not in the store.
func PlanImport(e Entry, workflow string, parent *piton.Checkpoint) Imported {
	i := Imported{Record: e.Checkpoint}
	c := &i.Record
	c.WorkflowID, c.Completed = workflow, !c.CompletedAt.IsZero()
	c.Branch = cmp.Or(c.Branch, piton.MainBranch)
	switch {
	case parent == nil:
		i.WaitsFor, c.ParentID = c.ParentID, ""
	case parent.Branch != c.Branch:
		i.From = parent.ID
	}
	return i
}

// Closes reports whether the workflow is closed once the entry is its head: as
// the entry's own workflow is where it is the head there too, else as the
// checkpoint finishes it.
func (e Entry) Closes() bool {
	c := e.Checkpoint
	c.Completed = !c.CompletedAt.IsZero()
	if e.Workflow.HeadID == c.ID {
		return e.Workflow.Closed
	}
	return c.Finishes()
}

// LastNumber is the last number that a workflow has given out after an import of
// the entry under number seq; last is the one before. The next number is behind
// all that either store gave out.
func (e Entry) LastNumber(last, seq int64) int64 { return max(last, seq, e.Workflow.Seq) }

// Adopts reports whether a checkpoint that was imported becomes the parent of one
// that waits for it: not if that has a parent by now, or is an ancestor itself.
// get returns a checkpoint by its id.
func Adopts(parent, child piton.Checkpoint, get func(id string) (piton.Checkpoint, error)) (bool, error) {
	if child.ParentID != "" {
		return false, nil
	}
	seen := map[string]bool{child.ID: true}
	for at := parent; at.ParentID != ""; {
		if seen[at.ParentID] {
			return false, nil // a cycle
		}
		seen[at.ParentID] = true
		var err error
		at, err = get(at.ParentID)
		if piton.CodeOf(err) == piton.NotFound {
			break
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}
