package sqlstore

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/piton-project/piton"
)

// Where a transaction does not own the whole database, it locks the rows of
// branches first of all: an append that of its branch, whatever takes states
// away those of all branches of its workflows, in order. Only under these
// locks may it look at what it will change.

// branchRow finds a branch; lock is the suffix that locks its row, or "".
func (r reader) branchRow(ctx context.Context, workflow, name, lock string) (b branch, found bool, err error) {
	b.of = [2]string{workflow, name}
	found, err = r.get(ctx, "lock branch "+name, `SELECT id, head_id, appended FROM branches WHERE workflow_id = $1 AND name = $2`+lock, params{workflow, name}, &b.id, &b.head, &b.appended)
	return b, found, err
}

// lockBranch finds a branch and locks its row.
func (t *tx) lockBranch(ctx context.Context, workflow, name string) (branch, bool, error) {
	return t.branchRow(ctx, workflow, name, t.d.Lock)
}

// lock locks the rows of branches that fit, in the order of their ids.
func (t *tx) lock(ctx context.Context, op, where string, arg any) error {
	if t.d.Lock == "" {
		return nil
	}
	return t.rows(ctx, op, func(*sql.Rows) error { return nil }, `SELECT id FROM branches WHERE `+where+` ORDER BY id`+t.d.Lock, arg)
}

// lockParent keeps the checkpoint a fork begins from until the fork is there.
func (t *tx) lockParent(ctx context.Context, id string) error {
	return t.lock(ctx, "lock the branch of "+id, `id = (SELECT c.branch FROM checkpoints c WHERE c.id = $1)`, id)
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
	for _, w := range slices.Sorted(maps.Keys(workflows)) {
		if err := t.lock(ctx, "lock the branches of "+w, `workflow_id = $1`, w); err != nil {
			return nil, err
		}
	}
	return t.find(ctx, ids)
}

func (t *tx) find(ctx context.Context, refs []string) ([]piton.Checkpoint, error) {
	found := map[string]piton.Checkpoint{}
	for _, ref := range refs {
		c, err := t.Checkpoint(ctx, ref)
		if err != nil {
			return nil, err
		}
		found[c.ID] = c
	}
	var all []piton.Checkpoint
	for _, id := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[id])
	}
	return all, nil
}

// nextOrdinal gives a checkpoint its number in the store, and notes by what a
// commit whose answer was lost is found again. The counter's row is locked
// until the end, so numbers become visible in order.
func (t *tx) nextOrdinal(ctx context.Context, op string, c *piton.Checkpoint) error {
	var numbered bool
	err := t.ask(ctx, op, t.ordinal(&numbered, c, ""))
	if err == nil && !numbered {
		err = t.noCounter(op)
	}
	return err
}

// ordinal asks for the number, on a condition.
func (t *tx) ordinal(numbered *bool, c *piton.Checkpoint, condition string, args ...any) question {
	columns, into := `value`, []any{&c.Ordinal}
	if t.d.Xact != "" {
		columns, into = columns+`, `+t.d.Xact, append(into, &t.xact)
	}
	t.appended = c.ID
	return one(numbered, `UPDATE counters SET value = value + 1 WHERE name = 'ordinal'`+condition+` RETURNING `+columns, args, into...)
}

// noCounter says that there is no counter of checkpoints.
func (t *tx) noCounter(op string) error { return t.d.fail(op, sql.ErrNoRows) }

// holdOne is hold for one checkpoint.
func (t *tx) holdOne(ctx context.Context, ref string) (piton.Checkpoint, error) {
	held, err := t.hold(ctx, ref)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	return held[0], nil
}
