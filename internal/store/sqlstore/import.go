package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Import adds a checkpoint of another store under its own id and number.
func (t *tx) Import(ctx context.Context, clean redact.Clean[store.Entry]) (bool, error) {
	e := clean.Get()
	c := e.Checkpoint
	op := "import " + c.ID
	_, err := t.checkpoint(ctx, op, byID, c.ID)
	if err == nil || piton.CodeOf(err) != piton.NotFound {
		return false, err
	}
	w, err := t.adopt(ctx, op, e.Workflow)
	if err != nil {
		return false, err
	}
	c.WorkflowID, c.Completed = w.ID, !c.CompletedAt.IsZero()
	b, exists, err := t.lockBranch(ctx, w.ID, c.Branch)
	if err != nil {
		return false, err
	}
	from, missing := "", ""
	if c.ParentID != "" {
		parent, err := t.checkpoint(ctx, op, byID, c.ParentID)
		switch {
		case piton.CodeOf(err) == piton.NotFound:
			missing, c.ParentID = c.ParentID, ""
		case err != nil:
			return false, err
		case parent.Branch != c.Branch:
			from = parent.ID
		}
	}
	if !exists {
		// Before anything is written: after a conflict the caller may go on.
		if taken, err := t.taken(ctx, op, w, c); err != nil || taken {
			return false, err
		}
		if b, err = t.beginBranch(ctx, op, w.ID, c.Branch, from); err != nil {
			return false, err
		}
	}
	if taken, err := t.taken(ctx, op, w, c); err != nil || taken {
		return false, err
	}
	if c.Seq <= 0 {
		if c.Seq, err = t.nextNumber(ctx, op, w.ID); err != nil {
			return false, err
		}
	}
	if err := t.nextOrdinal(ctx, op, &c); err != nil {
		return false, err
	}
	epoch := b.appended / epochLength
	manifest, stored, err := t.store(ctx, op, b, epoch, e.State, nil, c.ID)
	if err != nil {
		return false, err
	}
	c.StateBytes, c.StoredBytes = int64(len(e.State)), stored
	if err := t.insert(ctx, op, b.id, epoch, c, manifest); err != nil {
		return false, err
	}
	if err := t.newest(ctx, op, b, w, c, e.Workflow); err != nil {
		return false, err
	}
	if err := t.link(ctx, op, c, missing); err != nil {
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
	name := w.Name
	w.Seq, w.HeadID = 0, ""
	for n := 2; ; n++ {
		if err := t.putWorkflow(ctx, w); piton.CodeOf(err) != piton.Conflict {
			return w, err
		}
		w.Name = fmt.Sprintf("%s-%d", name, n)
	}
}

// taken tells whether another process has imported a checkpoint since we looked,
// which the branch's lock lets us see. Conflict when another checkpoint holds its
// number.
func (t *tx) taken(ctx context.Context, op string, w piton.Workflow, c piton.Checkpoint) (bool, error) {
	if c.Seq <= 0 { // its number is given out here, so only the id tells
		_, err := t.checkpoint(ctx, op, byID, c.ID)
		if piton.CodeOf(err) == piton.NotFound {
			return false, nil
		}
		return err == nil, err
	}
	var other string
	err := t.q.QueryRowContext(ctx, `SELECT id FROM checkpoints WHERE workflow_id = $1 AND seq = $2`, w.ID, c.Seq).Scan(&other)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, t.d.Error(op, err)
	case other == c.ID:
		return true, nil
	}
	return false, store.NumberTaken(op, w, c.Seq, other)
}

// nextNumber gives out a workflow's next number.
func (t *tx) nextNumber(ctx context.Context, op, workflow string) (n int64, err error) {
	err = t.q.QueryRowContext(ctx, `UPDATE workflows SET seq = seq + 1 WHERE id = $1 RETURNING seq`, workflow).Scan(&n)
	if err != nil {
		err = t.d.Error(op, err)
	}
	return n, err
}

// beginBranch adds a branch. Another process may have been first.
func (t *tx) beginBranch(ctx context.Context, op, workflow, name, from string) (branch, error) {
	if err := t.exec(ctx, op, `INSERT INTO branches (workflow_id, name, head_id, appended, from_id) VALUES ($1, $2, '', 0, $3) ON CONFLICT (workflow_id, name) DO NOTHING`,
		workflow, name, from); err != nil {
		return branch{}, err
	}
	b, _, err := t.lockBranch(ctx, workflow, name)
	return b, err
}

// newest makes an imported checkpoint the head of its branch and workflow
// where its number is the highest that counts there. The next number is behind
// all that either store gave out.
func (t *tx) newest(ctx context.Context, op string, b branch, w piton.Workflow, c piton.Checkpoint, from piton.Workflow) error {
	if err := t.exec(ctx, op, `UPDATE branches SET appended = appended + 1, head_id = CASE WHEN EXISTS
		(SELECT 1 FROM checkpoints x WHERE x.workflow_id = branches.workflow_id AND +x.branch = branches.id AND x.seq > $1) THEN head_id ELSE $2 END WHERE id = $3`, c.Seq, c.ID, b.id); err != nil {
		return err
	}
	closed := c.Finishes()
	if from.HeadID == c.ID {
		closed = from.Closed
	}
	if err := t.exec(ctx, op, `UPDATE workflows SET head_id = $1, head_ordinal = $2, head_session = $3, closed = $4
		WHERE id = $5 AND $2 = `+headOf("ordinal", "workflows.id"),
		c.ID, c.Ordinal, c.SessionID, boolInt(closed), w.ID); err != nil {
		return err
	}
	return t.exec(ctx, op, `UPDATE workflows SET seq = $1 WHERE id = $2 AND seq < $1`, max(c.Seq, from.Seq), w.ID)
}

// Archive notes that states lie in a file of the archive and drops them here.
func (t *tx) Archive(ctx context.Context, ids []string, file string) (int64, error) {
	op := "archive"
	cs, err := t.hold(ctx, ids...)
	if err != nil {
		return 0, err
	}
	var freed int64
	epochs := map[epochKey]bool{}
	for _, c := range cs {
		key, size, err := t.place(ctx, op+" "+c.ID, c.Ordinal)
		if err != nil {
			return 0, err
		}
		epochs[key] = true
		freed += size
		if err := t.exec(ctx, op, `DELETE FROM manifests WHERE checkpoint = $1`, c.Ordinal); err != nil {
			return 0, err
		}
		if err := t.exec(ctx, op, `UPDATE checkpoints SET archive = $1 WHERE ordinal = $2`, file, c.Ordinal); err != nil {
			return 0, err
		}
		event := store.EventOf(store.CheckpointArchived, now(), c)
		event.Data = map[string]any{"file": file}
		if err := t.note(ctx, event); err != nil {
			return 0, err
		}
	}
	for _, key := range sortedEpochs(epochs) {
		n, err := t.sweep(ctx, key)
		if err != nil {
			return 0, err
		}
		freed += n
	}
	return freed, nil
}
