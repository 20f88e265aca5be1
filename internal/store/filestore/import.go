package filestore

import (
	"context"
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
		for name := range store.FreeNames(given.Name) {
			if given.Name = name; x.named(name, given.Project) == nil {
				break
			}
		}
		w = &workflow{Workflow: given}
		x.workflows[w.ID] = w
	}
	if err := t.mayAdd(ctx, op, &c, e.State); err != nil {
		if made {
			delete(x.workflows, w.ID)
		}
		return false, err
	}
	var parent *piton.Checkpoint
	if p := x.entry(c.ParentID); p != nil {
		parent = &p.c
	}
	entry := e
	entry.Checkpoint = c
	i := store.PlanImport(entry, w.ID, parent)
	if c = i.Record; c.Seq < 1 {
		c.Seq = w.Seq + 1
	}
	added, err := t.add(c, e.State)
	if err != nil {
		return false, &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	w.Seq = e.LastNumber(w.Seq, c.Seq)
	if w.HeadID == c.ID {
		if w.Closed, w.ClosedAt = e.Closes(), 0; w.Closed {
			w.ClosedAt = w.Seq
		}
	}
	t.own(w)
	if i.From != "" {
		t.begins(w, added, i.From) // the branch came before the checkpoint it begins with
	}
	if err := t.link(w, added.c, i.WaitsFor); err != nil {
		return false, err
	}
	imported := createdEvent(added.c)
	imported.At, imported.Kind = now(), store.CheckpointImported
	t.log = append(t.log, imported)
	return true, nil
}

// link notes that an imported checkpoint's parent is missing, and gives those
// that wait for this one their parent.
func (t *tx) link(w *workflow, c piton.Checkpoint, missing string) error {
	if missing != "" {
		t.mark(w, c.ID, func(n *note) { n.Waits = missing })
	}
	for _, id := range slices.Sorted(maps.Keys(w.Marks)) {
		if c.ID == "" || w.Marks[id].Waits != c.ID {
			continue
		}
		t.mark(w, id, func(n *note) { n.Waits = "" })
		child := t.x.entry(id)
		if child == nil {
			continue
		}
		adopts, err := store.Adopts(c, child.c, func(id string) (piton.Checkpoint, error) {
			if e := t.x.entry(id); e != nil {
				return e.c, nil
			}
			return piton.Checkpoint{}, store.NoCheckpoint("find " + id)
		})
		if err != nil {
			return err
		}
		if !adopts {
			continue
		}
		if err := t.change(id, func(x *piton.Checkpoint) { x.ParentID = c.ID }, func(n *note) { n.Parent = &c.ID }); err != nil {
			return err
		}
		if child.c.Branch != c.Branch {
			t.begins(w, child, c.ID)
		}
	}
	return nil
}

// begins notes where a branch was forked from, if that is not known yet and the
// checkpoint is its first.
func (t *tx) begins(w *workflow, e *entry, from string) {
	if b := w.branch(e.c.Branch); b == nil || b.From != "" || !t.first(e) {
		return
	}
	w.branch(e.c.Branch).From = from
}

// first reports whether nothing of its branch has a lower number.
func (t *tx) first(e *entry) bool {
	t.x.fill()
	return !slices.ContainsFunc(t.x.order, func(o *entry) bool {
		return o.c.WorkflowID == e.c.WorkflowID && o.c.Branch == e.c.Branch && o.c.Seq < e.c.Seq
	})
}
