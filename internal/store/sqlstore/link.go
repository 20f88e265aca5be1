package sqlstore

import (
	"context"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// waiting is the counter that holds the ordinal of the nth imported checkpoint
// whose parent was not there.
func waiting(parent string, n int) string { return fmt.Sprintf("child of %s %d", parent, n) }

// maxWaiting bounds how many checkpoints wait for one parent; those beyond stay
// without one.
const maxWaiting = 1000

// link notes that an imported checkpoint's parent is missing, and gives those
// that wait for this one their parent.
func (t *tx) link(ctx context.Context, op string, c piton.Checkpoint, missing string) error {
	for n := 1; missing != "" && n <= maxWaiting; n++ {
		added, err := t.changed(ctx, op, `INSERT INTO counters (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, waiting(missing, n), c.Ordinal)
		if err != nil {
			return err
		}
		if added > 0 {
			break
		}
	}
	for n := 1; n <= maxWaiting; n++ {
		var child int64
		found, err := t.get(ctx, op, `SELECT value FROM counters WHERE name = $1`, params{waiting(c.ID, n)}, &child)
		if err != nil || !found {
			return err
		}
		if err := t.adoptChild(ctx, op, c, child); err != nil {
			return err
		}
		if err := t.exec(ctx, op, `DELETE FROM counters WHERE name = $1`, waiting(c.ID, n)); err != nil {
			return err
		}
	}
	return nil
}

// adoptChild makes a checkpoint the parent of one that waits for it, unless that
// is gone or the rules forbid it.
func (t *tx) adoptChild(ctx context.Context, op string, parent piton.Checkpoint, ordinal int64) error {
	child, err := t.checkpoint(ctx, op, `c.ordinal = $1`, ordinal)
	if piton.CodeOf(err) == piton.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	adopts, err := store.Adopts(parent, child, func(id string) (piton.Checkpoint, error) { return t.checkpoint(ctx, op, byID, id) })
	if err != nil || !adopts {
		return err
	}
	if err := t.exec(ctx, op, `UPDATE checkpoints SET parent_id = $1 WHERE ordinal = $2`, parent.ID, ordinal); err != nil {
		return err
	}
	if parent.Branch == child.Branch {
		return nil
	}
	return t.joinBranch(ctx, op, child, parent.ID)
}

// joinBranch notes from where the branch of a checkpoint begins, where that is
// the first on it and came before its parent did.
func (t *tx) joinBranch(ctx context.Context, op string, c piton.Checkpoint, from string) error {
	return t.exec(ctx, op, `UPDATE branches SET from_id = $1 WHERE workflow_id = $2 AND name = $3 AND from_id = ''
		AND NOT EXISTS (SELECT 1 FROM checkpoints x WHERE x.workflow_id = $2 AND +x.branch = branches.id AND x.seq < $4)`, from, c.WorkflowID, c.Branch, c.Seq)
}
