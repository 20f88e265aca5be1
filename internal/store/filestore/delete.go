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
	heads := map[string]string{} // the workflows' heads before
	var freed int64
	for id, e := range gone {
		heads[e.c.WorkflowID] = x.workflows[e.c.WorkflowID].HeadID
		freed += e.size
		delete(x.byID, id)
		t.drop(e)
	}
	x.order = slices.DeleteFunc(x.order, func(e *entry) bool { return gone[e.c.ID] != nil })
	t.rebase(gone)
	for _, e := range slices.Clone(x.order) {
		if gone[e.c.ParentID] == nil {
			continue
		}
		parent := survivor(e.c.ParentID, gone)
		if err := t.change(e.c.ID, func(c *piton.Checkpoint) { c.ParentID = parent }, func(n *note) { n.Parent = &parent }); err != nil {
			return 0, err
		}
		freed += e.size - x.byID[e.c.ID].size
	}
	for id, before := range heads {
		t.rehead(id, before, gone)
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

// survivor walks up from a parent to the nearest ancestor that stays.
func survivor(parent string, gone map[string]*entry) string {
	for range gone {
		e := gone[parent]
		if e == nil {
			break
		}
		parent = e.c.ParentID
	}
	if gone[parent] != nil {
		return "" // a circle of damaged records
	}
	return parent
}

// rebase gives every branch that names a deleted checkpoint the ancestor that
// stays: as the one it was forked from, and as its head if it is empty now.
func (t *tx) rebase(gone map[string]*entry) {
	for _, w := range t.x.workflows {
		for i := range w.Branches {
			b := &w.Branches[i]
			from, base := survivor(b.From, gone), survivor(b.Base, gone)
			if b.head != nil && gone[b.head.c.ID] != nil {
				base = survivor(b.head.c.ID, gone)
			}
			if from != b.From || base != b.Base {
				b.From, b.Base = from, base
				t.own(w)
			}
		}
	}
}

// rehead finds a workflow's head again. A caller's workflow is as finished as
// its new head is; a session's stays as its last stop left it.
func (t *tx) rehead(id, before string, gone map[string]*entry) {
	w := t.x.workflows[id]
	t.x.settle(id)
	if w.HeadID == before || gone[before] == nil || w.Type == piton.TypeSession {
		return
	}
	w.Closed, w.ClosedAt = w.head != nil && w.head.c.Finishes(), 0
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
		changed, raw, err := archived(e, file)
		if err != nil {
			return 0, err
		}
		c := changed.c
		t.puts[e.name] = raw
		t.replace(&changed)
		event := store.EventOf(store.CheckpointArchived, now(), c)
		event.Data = map[string]any{"file": file}
		t.log = append(t.log, event)
		freed += max(0, e.size-changed.size)
	}
	return freed, nil
}

// Rewrite puts other texts and another state in the place of a checkpoint's.
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
	c, r := e.c, p.Record
	if c.Archive != r.Archive {
		return piton.Errorf(piton.Conflict, op, "try again", "its state has been moved")
	}
	c.StepName, c.Name, c.Description, c.TaskSummary, c.Tags, c.Origin, c.SHA256 = r.StepName, r.Name, r.Description, r.TaskSummary, r.Tags, r.Origin, r.SHA256
	state := []byte(p.State.Get())
	if c.Archive != "" {
		state = nil
	} else {
		c.StateBytes = int64(len(state))
	}
	raw, err := encode(c, e.alias, state)
	if err != nil {
		return &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	changed := *e
	changed.c, changed.own, changed.ours, changed.state, changed.size = c, true, false, state, int64(len(raw))
	t.puts[e.name] = raw
	t.erases = true
	t.replace(&changed)
	return nil
}
