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
	if !t.d.Pipelined || prepared.Fork || prepared.Parent != "" {
		if err := t.putWorkflow(ctx, first); err != nil {
			return piton.Checkpoint{}, err
		}
		return t.Append(ctx, p)
	}
	op := "write workflow " + first.Label()
	if err := t.exec(ctx, op, addWorkflow, workflowArgs(first)...); err != nil {
		return piton.Checkpoint{}, err
	}
	c := prepared.NewRecord()
	if err := t.exec(ctx, op, `INSERT INTO branches (workflow_id, name, head_id, appended, from_id)
		SELECT x.id, CAST($2 AS TEXT), '', 0, '' FROM workflows x WHERE x.id = $1 ON CONFLICT (workflow_id, name) DO NOTHING`, first.ID, c.Branch); err != nil {
		return c, err
	}
	state := prepared.State.Get()
	if k, ok := prepared.Packed.(*packed); !ok || !k.plan.Of(state) {
		k, err := t.d.pack(op, state, nil, false)
		if err != nil {
			return c, err
		}
		prepared.Packed = k
	}
	c, done, err := t.appendAhead(ctx, "save to "+c.Label(), prepared)
	if err == nil && !done { // it has no branch: the workflow was not added
		t.lost = store.NameTaken(op)
		return c, t.lost
	}
	return c, err
}
