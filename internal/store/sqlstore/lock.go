package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/piton-project/piton"
)

// Where a transaction does not own the whole database, it locks the rows of
// branches first of all: an append that of its branch, whatever takes states
// away those of all branches of its workflows, in order. Only under these
// locks may it look at what it will change. A save locks no row that is wider
// than its workflow.

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

// settled is the number up to which a later question sees all there will ever be. Who
// remembers how far it has come goes no further.
func (r reader) settled(ctx context.Context, op, kind string) (up int64, err error) {
	if r.d.Numbers.Settled == "" {
		return math.MaxInt64, nil
	}
	err = r.row(ctx, op, fmt.Sprintf(r.d.Numbers.Settled, kind), nil, &up)
	return up, err
}

// nextOrdinal gives a checkpoint its number in the store.
func (t *tx) nextOrdinal(ctx context.Context, op string, c *piton.Checkpoint) error {
	columns, into := t.named(c, t.d.Numbers.Next, &c.Ordinal)
	return t.ask(ctx, op, append(t.counted(""), one(new(bool), `SELECT `+columns, nil, into...))...)
}

// counted moves the counter, on a condition.
func (t *tx) counted(condition string, args ...any) []question {
	if t.d.Numbers.Count == "" {
		return nil
	}
	return []question{{Asked: Asked{t.d.Numbers.Count + condition, args}}}
}

// named adds to columns the transaction's name, by which a commit whose answer was lost is
// found again together with a checkpoint that it adds.
func (t *tx) named(c *piton.Checkpoint, columns string, into ...any) (string, []any) {
	t.appended = c.ID
	if t.d.Xact == "" {
		return columns, into
	}
	return columns + `, ` + t.d.Xact, append(into, &t.xact)
}

// holdOne is hold for one checkpoint.
func (t *tx) holdOne(ctx context.Context, ref string) (piton.Checkpoint, error) {
	held, err := t.hold(ctx, ref)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	return held[0], nil
}
