package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/piton-project/piton"
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
		err := t.q.QueryRowContext(ctx, `SELECT value FROM counters WHERE name = $1`, waiting(c.ID, n)).Scan(&child)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return t.d.Error(op, err)
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
// is gone, has another parent by now, or is an ancestor itself.
func (t *tx) adoptChild(ctx context.Context, op string, parent piton.Checkpoint, ordinal int64) error {
	child, err := t.checkpoint(ctx, op, `c.ordinal = $1`, ordinal)
	if piton.CodeOf(err) == piton.NotFound || err == nil && child.ParentID != "" {
		return nil
	}
	if err != nil {
		return err
	}
	seen := map[string]bool{child.ID: true}
	for at := parent; at.ParentID != ""; {
		if seen[at.ParentID] {
			return nil // a circle
		}
		seen[at.ParentID] = true
		at, err = t.checkpoint(ctx, op, byID, at.ParentID)
		if piton.CodeOf(err) == piton.NotFound {
			break
		}
		if err != nil {
			return err
		}
	}
	if err := t.exec(ctx, op, `UPDATE checkpoints SET parent_id = $1 WHERE ordinal = $2`, parent.ID, ordinal); err != nil {
		return err
	}
	if parent.Branch == child.Branch {
		return nil
	}
	// It began its branch without one.
	return t.exec(ctx, op, `UPDATE branches SET from_id = $1 WHERE workflow_id = $2 AND name = $3 AND from_id = ''
		AND NOT EXISTS (SELECT 1 FROM checkpoints x WHERE x.branch = branches.id AND x.seq < $4)`, parent.ID, child.WorkflowID, child.Branch, child.Seq)
}
