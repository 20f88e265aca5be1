package filestore

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Import adds a checkpoint of another store.
func (t *tx) Import(ctx context.Context, clean redact.Clean[store.Entry]) (bool, error) {
	e := clean.Get()
	x, err := t.at(ctx)
	if err != nil {
		return false, err
	}
	c := e.Checkpoint
	op := "import " + c.ID
	if x.entry(c.ID) != nil {
		return false, nil
	}
	if c.WorkflowID == "" {
		c.WorkflowID = e.Workflow.ID
	}
	w := x.flow(c.WorkflowID)
	if w != nil && c.Seq > 0 && c.Seq <= w.Seq {
		if o := x.numbered(w.ID, c.Seq); o != nil {
			return false, store.NumberTaken(op, w.Workflow, c.Seq, o.c.ID)
		}
	}
	made := w == nil
	if made {
		if !piton.IsWholeID(piton.WorkflowPrefix, c.WorkflowID) {
			return false, piton.Errorf(piton.Invalid, op, "an id looks like wf_0123456789abcdef", "%q is not a workflow's id", c.WorkflowID)
		}
		given := e.Workflow
		given.ID, given.Seq, given.HeadID = c.WorkflowID, 0, ""
		given.Name = t.freeWorkflowName(given.Name, given.Project)
		w = &workflow{Workflow: given}
		x.workflows[w.ID] = w
	}
	if err := t.mayAdd(ctx, op, &c, e.State); err != nil {
		if made {
			delete(x.workflows, w.ID)
		}
		return false, err
	}
	if c.Seq < 1 {
		c.Seq = w.Seq + 1
	}
	c.Completed = !c.CompletedAt.IsZero()
	missing := ""
	if c.ParentID == "" || x.entry(c.ParentID) == nil {
		missing, c.ParentID = c.ParentID, ""
	}
	if c.Branch == "" {
		c.Branch = piton.MainBranch
	}
	added, err := t.add(c, e.State)
	if err != nil {
		return false, &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	w.Seq = max(w.Seq, c.Seq, e.Workflow.Seq)
	if w.HeadID == c.ID {
		w.Closed, w.ClosedAt = c.Finishes(), 0
		if e.Workflow.HeadID == c.ID {
			w.Closed = e.Workflow.Closed
		}
		if w.Closed {
			w.ClosedAt = w.Seq
		}
	}
	t.own(w)
	if p := x.byID[added.c.ParentID]; p != nil && p.c.Branch != added.c.Branch {
		if b := w.branch(added.c.Branch); b.From == "" && t.first(added) {
			b.From = p.c.ID // the branch came before the checkpoint it begins with
		}
	}
	if err := t.link(w, added.c, missing); err != nil {
		return false, err
	}
	imported := createdEvent(added.c)
	imported.At, imported.Kind = now(), store.CheckpointImported
	t.log = append(t.log, imported)
	return true, nil
}

// freeWorkflowName is a name, with a number behind it where it is taken.
func (t *tx) freeWorkflowName(name, project string) string {
	free := name
	for n := 2; t.x.named(free, project) != nil; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// link notes that an imported checkpoint's parent is missing, and gives those
// that wait for this one their parent.
func (t *tx) link(w *workflow, c piton.Checkpoint, missing string) error {
	if missing != "" {
		n := w.Marks[c.ID]
		n.Waits = missing
		w.Marks = with(w.Marks, c.ID, n)
	}
	for _, id := range slices.Sorted(maps.Keys(w.Marks)) {
		n := w.Marks[id]
		if n.Waits != c.ID || c.ID == "" {
			continue
		}
		n.Waits = ""
		if w.Marks = with(w.Marks, id, n); n == (note{}) {
			delete(w.Marks, id)
		}
		child := t.x.entry(id)
		if child == nil || child.c.ParentID != "" || t.descends(c, id) {
			continue
		}
		if err := t.change(id, func(x *piton.Checkpoint) { x.ParentID = c.ID }, func(n *note) { n.Parent = &c.ID }); err != nil {
			return err
		}
		if b := w.branch(child.c.Branch); b != nil && child.c.Branch != c.Branch && b.From == "" && t.first(child) {
			b.From = c.ID
		}
	}
	return nil
}

// descends tells whether a checkpoint has another among its ancestors.
func (t *tx) descends(c piton.Checkpoint, ancestor string) bool {
	seen := map[string]bool{}
	for c.ParentID != "" && !seen[c.ParentID] {
		if c.ParentID == ancestor {
			return true
		}
		seen[c.ParentID] = true
		e := t.x.entry(c.ParentID)
		if e == nil {
			break
		}
		c = e.c
	}
	return false
}

// first tells whether nothing of its branch has a lower number.
func (t *tx) first(e *entry) bool {
	t.x.fill()
	return !slices.ContainsFunc(t.x.order, func(o *entry) bool {
		return o.c.WorkflowID == e.c.WorkflowID && o.c.Branch == e.c.Branch && o.c.Seq < e.c.Seq
	})
}
