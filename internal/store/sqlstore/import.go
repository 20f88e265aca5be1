package sqlstore

import (
	"cmp"
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Import adds a checkpoint of another store under its own id and number.
func (t *tx) Import(ctx context.Context, clean redact.Clean[store.Entry]) (bool, error) {
	return t.importEntry(ctx, clean.Get())
}

func (t *tx) importEntry(ctx context.Context, e store.Entry) (bool, error) {
	op := "import " + e.Checkpoint.ID
	if _, found, err := t.there(ctx, op, e.Checkpoint.ID); err != nil || found {
		return false, err
	}
	w, err := t.adopt(ctx, op, e.Workflow)
	if err != nil {
		return false, err
	}
	b, exists, err := t.lockBranch(ctx, w.ID, cmp.Or(e.Checkpoint.Branch, piton.MainBranch))
	if err != nil {
		return false, err
	}
	var parent *piton.Checkpoint
	if id := e.Checkpoint.ParentID; id != "" {
		p, found, err := t.there(ctx, op, id)
		if err != nil {
			return false, err
		}
		if found {
			parent = &p
		}
	}
	x := store.PlanImport(e, w.ID, parent)
	c := x.Record
	if !exists {
		// Before anything is written: after a conflict the caller may go on.
		if taken, err := t.taken(ctx, op, w, c); err != nil || taken {
			return false, err
		}
		if b, err = t.beginBranch(ctx, op, w.ID, c.Branch, x.From); err != nil {
			return false, err
		}
	}
	if taken, err := t.taken(ctx, op, w, c); err != nil || taken {
		return false, err
	}
	if c.Seq <= 0 {
		if err := t.row(ctx, op, `UPDATE workflows SET seq = seq + 1 WHERE id = $1 RETURNING seq`, params{w.ID}, &c.Seq); err != nil {
			return false, err
		}
	}
	if err := t.nextOrdinal(ctx, op, &c); err != nil {
		return false, err
	}
	a := &appending{tx: t, op: op, c: c, state: e.State, branch: b}
	manifest, err := a.store(ctx)
	if err != nil {
		return false, err
	}
	c = a.c
	if err := t.insert(ctx, op, b.epoch(), c, manifest); err != nil {
		return false, err
	}
	if err := t.newest(ctx, op, b, c, e); err != nil {
		return false, err
	}
	if exists && x.From != "" {
		if err := t.joinBranch(ctx, op, c, x.From); err != nil {
			return false, err
		}
	}
	if err := t.link(ctx, op, c, x.WaitsFor); err != nil {
		return false, err
	}
	return true, t.note(ctx, store.EventOf(store.CheckpointImported, now(), c))
}

// adopt finds a workflow by its id, or adds it; a name that is taken gets a
// number behind it.
func (t *tx) adopt(ctx context.Context, op string, w piton.Workflow) (piton.Workflow, error) {
	had, err := t.workflow(ctx, op, `id = $1`, w.ID)
	if err == nil || piton.CodeOf(err) != piton.NotFound {
		return had, err
	}
	w.Seq, w.HeadID = 0, ""
	for name := range store.FreeNames(w.Name) {
		w.Name = name
		if err = t.putWorkflow(ctx, w); piton.CodeOf(err) != piton.Conflict {
			break
		}
	}
	return w, err
}

// taken tells whether another process has imported a checkpoint since we looked,
// which the branch's lock lets us see. Conflict when another checkpoint holds its
// number.
func (t *tx) taken(ctx context.Context, op string, w piton.Workflow, c piton.Checkpoint) (bool, error) {
	if c.Seq <= 0 { // its number is given out here, so only the id tells
		_, found, err := t.there(ctx, op, c.ID)
		return found, err
	}
	var holder string
	found, err := t.get(ctx, op, `SELECT id FROM checkpoints WHERE workflow_id = $1 AND seq = $2`, params{w.ID, c.Seq}, &holder)
	if err == nil && found && holder != c.ID {
		err = store.NumberTaken(op, w, c.Seq, holder)
	}
	return found, err
}

// beginBranch adds a branch. Another process may have been first.
func (t *tx) beginBranch(ctx context.Context, op, workflow, name, from string) (branch, error) {
	if err := t.exec(ctx, op, addBranch,
		workflow, name, from); err != nil {
		return branch{}, err
	}
	b, _, err := t.lockBranch(ctx, workflow, name)
	return b, err
}

// newest makes an imported checkpoint the head of its branch and workflow
// where its number is the highest that counts there.
func (t *tx) newest(ctx context.Context, op string, b branch, c piton.Checkpoint, e store.Entry) error {
	if err := t.exec(ctx, op, `UPDATE branches SET appended = appended + 1, head_id = CASE WHEN EXISTS
		(SELECT 1 FROM checkpoints x WHERE x.workflow_id = branches.workflow_id AND +x.branch = branches.id AND x.seq > $1) THEN head_id ELSE $2 END WHERE id = $3`, c.Seq, c.ID, b.id); err != nil {
		return err
	}
	if err := t.exec(ctx, op, `UPDATE workflows SET head_id = $1, head_ordinal = $2, head_session = $3, closed = $4
		WHERE id = $5 AND $2 = `+headOf("ordinal", "workflows.id"),
		c.ID, c.Ordinal, c.SessionID, boolInt(e.Closes()), c.WorkflowID); err != nil {
		return err
	}
	return t.exec(ctx, op, `UPDATE workflows SET seq = $1 WHERE id = $2 AND seq < $1`, e.LastNumber(0, c.Seq), c.WorkflowID)
}
