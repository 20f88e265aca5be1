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

// Append adds a checkpoint as the head of its branch. What it asks, it asks at once where
// it can: what of that is written, is written only where the branch has the expected head.
func (t *tx) Append(ctx context.Context, clean redact.Clean[store.Prepared]) (piton.Checkpoint, error) {
	return t.append(ctx, clean.Get())
}

func (t *tx) append(ctx context.Context, p store.Prepared) (piton.Checkpoint, error) {
	a := &appending{tx: t, Prepared: p, c: p.NewRecord(), state: p.State.Get()}
	a.op = "save to " + a.c.Label()
	if err := a.look(ctx); err != nil {
		return a.c, err
	}
	begun, err := a.place(ctx)
	if err != nil {
		return a.c, err
	}
	if !begun {
		return t.append(ctx, p) // another has begun the branch meanwhile: now it can be locked
	}
	manifest, err := a.store(ctx)
	if err != nil {
		return a.c, err
	}
	return a.c, t.becomeHead(ctx, a.op, a.branch, a.c, manifest)
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
