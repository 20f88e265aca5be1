package sqlstore

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

const addWorkflow = `INSERT INTO workflows (id, name, type, project, session_id, created_at, seq, head_id, head_ordinal, head_session, closed)
	VALUES ($1, $2, $3, $4, $5, $6, 0, '', 0, '', $7) ON CONFLICT DO NOTHING`

func workflowArgs(w piton.Workflow) []any {
	return []any{w.ID, w.Name, w.Type, w.Project, w.SessionID, w.CreatedAt.Millis(), boolInt(w.Closed)}
}

// PutWorkflow adds a workflow, or changes its closed mark and session.
func (t *tx) PutWorkflow(ctx context.Context, clean redact.Clean[piton.Workflow]) error {
	return t.putWorkflow(ctx, clean.Get())
}

func (t *tx) putWorkflow(ctx context.Context, w piton.Workflow) error {
	op := "write workflow " + w.Label()
	// Not by a failing constraint: that would end a transaction in PostgreSQL,
	// and the caller may go on with the workflow that has the name.
	n, err := t.changed(ctx, op, addWorkflow, workflowArgs(w)...)
	if err != nil || n > 0 {
		return err
	}
	n, err = t.changed(ctx, op, `UPDATE workflows SET closed = $1, session_id = $2 WHERE id = $3`, boolInt(w.Closed), w.SessionID, w.ID)
	if err == nil && n == 0 {
		err = store.NameTaken(op)
	}
	return err
}

// Append adds a checkpoint as the head of its branch.
func (t *tx) Append(ctx context.Context, clean redact.Clean[store.Prepared]) (piton.Checkpoint, error) {
	return t.append(ctx, clean.Get())
}

func (t *tx) append(ctx context.Context, p store.Prepared) (piton.Checkpoint, error) {
	c := p.NewRecord()
	op := "save to " + c.Label()
	if t.d.Pipelined && !p.Fork {
		if c, done, err := t.appendAhead(ctx, op, p); done || err != nil {
			return c, err
		}
	}
	b, exists, err := t.lockBranch(ctx, c.WorkflowID, c.Branch)
	if err != nil {
		return c, err
	}
	if !exists {
		if _, err := t.workflow(ctx, op, `id = $1`, c.WorkflowID); err != nil {
			return c, err
		}
	}
	found := true
	if need := p.Needs(b.head); need != "" {
		if err := t.lockParent(ctx, need); err != nil {
			return c, err
		}
		if _, found, err = t.there(ctx, op, need); err != nil {
			return c, err
		}
	}
	if c, err = store.PlanAppend(op, p, c, store.Branched{Exists: exists, Head: b.head}, found); err != nil {
		return c, err
	}
	if !exists {
		began, err := t.get(ctx, op, `INSERT INTO branches (workflow_id, name, head_id, appended, from_id) VALUES ($1, $2, '', 0, $3) ON CONFLICT (workflow_id, name) DO NOTHING RETURNING id`,
			params{c.WorkflowID, c.Branch, c.ParentID}, &b.id)
		if err == nil && !began {
			return t.append(ctx, p) // another has begun it meanwhile: now it can be locked
		}
		if err != nil {
			return c, err
		}
	}
	if err := t.nextOrdinal(ctx, op, &c); err != nil {
		return c, err
	}
	known, err := t.get(ctx, op, `UPDATE workflows SET seq = seq + 1, head_id = $1, head_ordinal = $2, head_session = $3,
		closed = CASE closed WHEN 0 THEN CAST($4 AS BIGINT) ELSE CAST($5 AS BIGINT) END WHERE id = $6 RETURNING seq, name, type`,
		params{c.ID, c.Ordinal, c.SessionID, boolInt(p.Closes(c, false)), boolInt(p.Closes(c, true)), c.WorkflowID}, &c.Seq, &c.Workflow, &c.WorkflowType)
	if err == nil && !known {
		err = store.NoWorkflow(op)
	}
	if err != nil {
		return c, err
	}
	manifest, stored, err := t.store(ctx, op, b, p.State.Get(), p.Packed, c.ID)
	if err != nil {
		return c, err
	}
	c.StateBytes, c.StoredBytes = int64(len(p.State.Get())), stored
	return c, t.becomeHead(ctx, op, b, c, manifest)
}

// Complete marks a checkpoint as completed and closes its workflow.
func (t *tx) Complete(ctx context.Context, id string, at piton.Time) error {
	c, err := t.holdOne(ctx, id)
	if err != nil || c.Completed {
		return err
	}
	op := "complete " + id
	if err := t.exec(ctx, op, `UPDATE checkpoints SET completed_at = $1 WHERE ordinal = $2`, at.Millis(), c.Ordinal); err != nil {
		return err
	}
	if err := t.exec(ctx, op, `UPDATE workflows SET closed = 1 WHERE id = $1`, c.WorkflowID); err != nil {
		return err
	}
	if err := t.exec(ctx, op, `UPDATE sessions SET current_id = '' WHERE current_id = $1 AND current_id <> ''`, c.WorkflowID); err != nil {
		return err
	}
	return t.note(ctx, store.EventOf(store.CheckpointCompleted, at, c))
}
