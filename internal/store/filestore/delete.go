package filestore

import (
	"context"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Delete removes checkpoints; children get the nearest surviving ancestor.
func (t *tx) Delete(ctx context.Context, ids []string) (int64, error) {
	x, err := t.at(ctx)
	if err != nil {
		return 0, err
	}
	x.fill()
	gone := map[string]*entry{}
	for _, id := range ids {
		e, err := x.find("delete "+id, id)
		if err != nil {
			return 0, err
		}
		if err := t.unmoved(e); err != nil {
			return 0, err
		}
		gone[e.c.ID] = e
	}
	if len(gone) == 0 {
		return 0, nil
	}
	var doomed []piton.Checkpoint
	touched := map[string]bool{} // workflows
	var freed int64
	for id, e := range gone {
		doomed, touched[e.c.WorkflowID] = append(doomed, e.c), true
		freed += e.size
		delete(x.byID, id)
		t.drop(e)
	}
	x.order = slices.DeleteFunc(x.order, func(e *entry) bool { return gone[e.c.ID] != nil })
	heirs := store.PlanDelete(doomed)
	t.rebase(heirs)
	for _, e := range slices.Clone(x.order) {
		if gone[e.c.ParentID] == nil {
			continue
		}
		parent := heirs.Of(e.c.ParentID)
		if err := t.change(e.c.ID, func(c *piton.Checkpoint) { c.ParentID = parent }, func(n *note) { n.Parent = &parent }); err != nil {
			return 0, err
		}
		freed += e.size - x.byID[e.c.ID].size
	}
	for id := range touched {
		t.rehead(id)
	}
	return freed, nil
}

// drop takes a checkpoint's file, marks and number away.
func (t *tx) drop(e *entry) {
	if e.stamp == (stamp{}) && t.puts[e.name] != nil {
		delete(t.puts, e.name) // it came in this transaction
	} else {
		delete(t.puts, e.name)
		t.removes[e.name] = true
	}
	delete(t.x.files, e.name)
	t.x.names.count--
	t.x.names.sum -= int64(keyOf(e.name))
	w := t.x.workflows[e.c.WorkflowID]
	t.own(w)
	delete(w.Marks, e.c.ID)
	delete(w.Numbers, e.name)
	t.seed.clear(e.c.ID, e.alias)
}

// rebase gives every branch that names a deleted checkpoint the ancestor that
// stays: as the one it was forked from, and as its head if it is empty now.
func (t *tx) rebase(heirs store.Heirs) {
	for _, w := range t.x.workflows {
		for i := range w.Branches {
			b := &w.Branches[i]
			from, base := heirs.Of(b.From), heirs.Of(b.Base)
			if b.head != nil && heirs.Of(b.head.c.ID) != b.head.c.ID {
				base = heirs.Of(b.head.c.ID)
			}
			if from != b.From || base != b.Base {
				b.From, b.Base = from, base
				t.own(w)
			}
		}
	}
}

// rehead finds a workflow's head again.
func (t *tx) rehead(id string) {
	w := t.x.workflows[id]
	before := w.Workflow
	t.x.settle(id)
	var head piton.Checkpoint
	if w.head != nil {
		head = w.head.c
	}
	after := store.Rehead(before, head)
	if w.HeadID != before.HeadID && w.Type != piton.TypeSession {
		w.Closed, w.ClosedAt = after.Closed, 0
	}
}

// Archive notes that states lie in a file of the archive and drops them here.
func (t *tx) Archive(ctx context.Context, ids []string, file string) (int64, error) {
	_, err := t.at(ctx)
	if err != nil {
		return 0, err
	}
	if file == "" {
		return 0, piton.Errorf(piton.Invalid, "archive", "give the archive's file", "the file has no name")
	}
	var freed int64
	for _, id := range ids {
		op := "archive " + id
		e, err := t.find(op, id)
		if err != nil {
			return 0, err
		}
		if e.c.Archive == file {
			continue
		}
		if e.why != "" {
			return 0, piton.Errorf(piton.Corrupt, op, "leave it out; 'verify' shows what is damaged", "the file %s: %s", e.name, e.why)
		}
		if err := t.unmoved(e); err != nil {
			return 0, err
		}
		changed, raw, err := e.archived(file)
		if err != nil {
			return 0, err
		}
		t.rewrite(changed, raw)
		t.log = append(t.log, store.ArchiveEvent(now(), changed.c, file))
		freed += max(0, e.size-changed.size)
	}
	return freed, nil
}

// Rewrite replaces a checkpoint's texts and its state.
func (t *tx) Rewrite(ctx context.Context, clean redact.Clean[store.Prepared]) error {
	p := clean.Get()
	_, err := t.at(ctx)
	if err != nil {
		return err
	}
	op := "rewrite " + p.Record.ID
	e, err := t.find(op, p.Record.ID)
	if err != nil {
		return err
	}
	if e.why != "" {
		return piton.Errorf(piton.Corrupt, op, "remove the file by hand", "the file %s: %s", e.name, e.why)
	}
	if err := t.unmoved(e); err != nil {
		return err
	}
	c, err := store.PlanRewrite(op, e.c, p)
	if err != nil {
		return err
	}
	state := []byte(p.State.Get())
	if c.Archive != "" {
		state = nil
	}
	changed, raw, err := e.rewritten(c, state)
	if err != nil {
		return err
	}
	changed.state = state
	t.erases = true
	t.rewrite(changed, raw)
	return nil
}
