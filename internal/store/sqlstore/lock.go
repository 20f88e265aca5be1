package sqlstore

import (
	"context"
	"database/sql"
	"slices"

	"github.com/piton-project/piton"
)

// Where a transaction does not own the whole database, it locks the rows of
// branches first of all: an append that of its branch, whatever takes states
// away those of all branches of its workflows, in order. Only under these
// locks may it look at what it will change.

// lockBranches locks all branches of a workflow, in the order of their ids.
func (t *tx) lockBranches(ctx context.Context, workflow string) error {
	if t.d.Lock == "" {
		return nil
	}
	return t.rows(ctx, "lock the branches of "+workflow, func(*sql.Rows) error { return nil },
		`SELECT id FROM branches WHERE workflow_id = $1 ORDER BY id`+t.d.Lock, workflow)
}

// lockParent keeps the checkpoint a fork begins from until the fork is there.
func (t *tx) lockParent(ctx context.Context, id string) error {
	if t.d.Lock == "" {
		return nil
	}
	return t.rows(ctx, "lock the branch of "+id, func(*sql.Rows) error { return nil },
		`SELECT id FROM branches WHERE id = (SELECT c.branch FROM checkpoints c WHERE c.id = $1)`+t.d.Lock, id)
}

// hold finds checkpoints, in the order of their ids and each once, and locks
// the branches of their workflows. What it returns is as it stands under the
// locks.
func (t *tx) hold(ctx context.Context, refs ...string) ([]piton.Checkpoint, error) {
	found, err := t.find(ctx, refs)
	if err != nil || t.d.Lock == "" {
		return found, err
	}
	workflows, ids := map[string]bool{}, []string{}
	for _, c := range found {
		workflows[c.WorkflowID] = true
		ids = append(ids, c.ID)
	}
	for _, w := range sortedKeys(workflows) {
		if err := t.lockBranches(ctx, w); err != nil {
			return nil, err
		}
	}
	return t.find(ctx, ids)
}

func (t *tx) find(ctx context.Context, refs []string) ([]piton.Checkpoint, error) {
	byID := map[string]piton.Checkpoint{}
	for _, ref := range refs {
		c, err := t.Checkpoint(ctx, ref)
		if err != nil {
			return nil, err
		}
		byID[c.ID] = c
	}
	var list []piton.Checkpoint
	for _, id := range sortedKeys(byID) {
		list = append(list, byID[id])
	}
	return slices.Clip(list), nil
}

// nextOrdinal gives a checkpoint its number in the store, and notes by what a
// commit whose answer was lost is found again. The counter's row is locked
// until the end, so numbers become visible in order.
func (t *tx) nextOrdinal(ctx context.Context, op string, c *piton.Checkpoint) error {
	query, into := `UPDATE counters SET value = value + 1 WHERE name = 'ordinal' RETURNING value`, []any{&c.Ordinal}
	if t.d.Xact != "" {
		query, into = query+`, `+t.d.Xact, append(into, &t.xact)
	}
	if err := t.q.QueryRowContext(ctx, query).Scan(into...); err != nil {
		return t.d.Error(op, err)
	}
	t.appended = c.ID
	return nil
}

// taken tells whether a state that was there has been taken away since.
func (r reader) taken(ctx context.Context, ordinal int64) bool {
	var n int
	err := r.q.QueryRowContext(ctx, `SELECT COUNT(*) FROM manifests WHERE checkpoint = $1`, ordinal).Scan(&n)
	return err == nil && n == 0
}
