package sqlstore

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/record"
)

// becomeHead writes a checkpoint whose state is stored, as the head of its branch.
func (t *tx) becomeHead(ctx context.Context, op string, b branch, c piton.Checkpoint, manifest []byte) error {
	if err := t.insert(ctx, op, b.epoch(), c, manifest); err != nil {
		return err
	}
	if err := t.exec(ctx, op, `UPDATE branches SET head_id = $1, appended = appended + 1 WHERE id = $2`, c.ID, b.id); err != nil {
		return err
	}
	return t.note(ctx, store.EventOf(store.CheckpointCreated, c.CreatedAt, c))
}

// insert adds the rows of a checkpoint whose state is stored.
func (t *tx) insert(ctx context.Context, op string, e epoch, c piton.Checkpoint, manifest []byte) error {
	if t.d.Elsewhere == nil {
		c.File = ""
	}
	s, err := record.Sealed(op, c)
	if err != nil {
		return err
	}
	err = t.exec(ctx, op, `INSERT INTO checkpoints (ordinal, id, workflow_id, branch, branch_name, epoch, seq, parent_id, session_id, project,
		trigger_name, created_at, completed_at, phase_number, phase_total, state_bytes, stored_bytes, sum, damaged, tags, rest, seal)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, '', $19, $20, $21)`,
		c.Ordinal, c.ID, c.WorkflowID, e.branch, c.Branch, e.n, c.Seq, c.ParentID, c.SessionID, c.Project,
		string(c.Trigger), c.CreatedAt.Millis(), c.CompletedAt.Millis(), c.PhaseNumber, c.PhaseTotal, c.StateBytes, c.StoredBytes, s.Sum, s.Tags, s.Rest, s.Seal)
	if err != nil || t.d.Elsewhere != nil {
		return err
	}
	return t.exec(ctx, op, `INSERT INTO manifests (checkpoint, data) VALUES ($1, $2)`, c.Ordinal, manifest)
}
