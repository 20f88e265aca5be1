package sqlstore

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

var _ store.Beginner = (*tx)(nil)

// Begin adds a workflow with its first checkpoint.
func (t *tx) Begin(ctx context.Context, w redact.Clean[piton.Workflow], p redact.Clean[store.Prepared]) (piton.Checkpoint, error) {
	first, prepared := w.Get(), p.Get()
	if prepared.Fork || prepared.Parent != "" {
		if err := t.putWorkflow(ctx, first); err != nil {
			return piton.Checkpoint{}, err
		}
		return t.Append(ctx, p)
	}
	op := "write workflow " + first.Label()
	if err := t.exec(ctx, op, addWorkflow, workflowArgs(first)...); err != nil {
		return piton.Checkpoint{}, err
	}
	if err := t.exec(ctx, op, `INSERT INTO branches (workflow_id, name, head_id, appended, from_id)
		SELECT x.id, CAST($2 AS TEXT), '', 0, '' FROM workflows x WHERE x.id = $1 ON CONFLICT (workflow_id, name) DO NOTHING`, first.ID, prepared.NewRecord().Branch); err != nil {
		return piton.Checkpoint{}, err
	}
	c, err := t.Append(ctx, p)
	if piton.CodeOf(err) == piton.NotFound { // the workflow was not added
		t.lost = store.NameTaken(op)
		return c, t.lost
	}
	return c, err
}
