package sqlstore

import (
	"context"
	"maps"
	"slices"

	"github.com/piton-project/piton/internal/store"
)

// Delete removes checkpoints. Branches are locked in the order of their
// numbers, first of all, so that two deletes and an append cannot meet.
func (t *tx) Delete(ctx context.Context, ids []string) (freed int64, err error) {
	gone, err := t.hold(ctx, ids...)
	if err != nil {
		return 0, err
	}
	if err := t.unneeded(ctx, gone); err != nil {
		return 0, err
	}
	heirs := store.PlanDelete(gone)
	epochs, workflows := map[epoch]bool{}, map[string]bool{}
	for _, c := range gone {
		op := "delete " + c.ID
		e, manifest, err := t.place(ctx, op, c.Ordinal)
		if err != nil {
			return 0, err
		}
		epochs[e], workflows[c.WorkflowID] = true, true
		freed += manifest
		if err := t.exec(ctx, op, `UPDATE checkpoints SET parent_id = $1 WHERE parent_id = $2 AND parent_id <> ''`, heirs[c.ID], c.ID); err != nil {
			return 0, err
		}
		if err := t.exec(ctx, op, `DELETE FROM manifests WHERE checkpoint = $1`, c.Ordinal); err != nil {
			return 0, err
		}
		if err := t.dropArtifacts(ctx, op, c.ID); err != nil {
			return 0, err
		}
		if err := t.exec(ctx, op, `DELETE FROM run_checkpoints WHERE checkpoint_id = $1`, c.ID); err != nil {
			return 0, err
		}
		if err := t.exec(ctx, op, `DELETE FROM checkpoints WHERE ordinal = $1`, c.Ordinal); err != nil {
			return 0, err
		}
		if err := t.unsearch(ctx, c.Ordinal); err != nil {
			return 0, err
		}
	}
	swept, err := t.sweep(ctx, epochs)
	if err != nil {
		return 0, err
	}
	for _, w := range slices.Sorted(maps.Keys(workflows)) {
		if err := t.moveHeads(ctx, w, heirs); err != nil {
			return 0, err
		}
		if err := t.rehead(ctx, w); err != nil {
			return 0, err
		}
	}
	return freed + swept, nil
}

// moveHeads gives the branches of a workflow that have lost their heads the
// newest checkpoint they still have, else the heir. A branch that began from what
// is gone begins from its heir too.
func (t *tx) moveHeads(ctx context.Context, workflow string, heirs store.Heirs) error {
	const op = "move the heads of branches"
	type ends struct {
		id         int64
		head, from string
	}
	branches, err := collect(ctx, t.reader, op, func(scan scanner) (b ends, err error) {
		err = scan(&b.id, &b.head, &b.from)
		return b, err
	}, `SELECT id, head_id, from_id FROM branches WHERE workflow_id = $1 ORDER BY id`, workflow)
	if err != nil {
		return err
	}
	for _, b := range branches {
		is := ends{b.id, heirs.Of(b.head), heirs.Of(b.from)}
		if is == b {
			continue
		}
		if is.head != b.head {
			// Rows are found by their workflow (+branch keeps SQLite from the index by
			// branch, which does not know the order).
			left, err := t.get(ctx, op, `SELECT x.id FROM checkpoints x WHERE x.workflow_id = $1 AND +x.branch = $2 ORDER BY x.seq DESC LIMIT 1`, params{workflow, b.id}, &is.head)
			if err == nil && !left {
				err = t.dropRuns(ctx, op, b.id)
			}
			if err != nil {
				return err
			}
		}
		if err := t.exec(ctx, op, `UPDATE branches SET head_id = $1, from_id = $2 WHERE id = $3`, is.head, is.from, b.id); err != nil {
			return err
		}
	}
	return nil
}
