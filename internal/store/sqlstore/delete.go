package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/pack"
)

// epochKey names an epoch of a branch.
type epochKey struct{ branch, n int64 }

// Delete removes checkpoints. Branches are locked in the order of their
// numbers, first of all, so that two deletes and an append cannot meet.
func (t *tx) Delete(ctx context.Context, ids []string) (int64, error) {
	gone := map[string]piton.Checkpoint{}
	epochs := map[epochKey]bool{}
	workflows := map[string]bool{}
	held, err := t.hold(ctx, ids...)
	if err != nil {
		return 0, err
	}
	for _, c := range held {
		gone[c.ID] = c
		workflows[c.WorkflowID] = true
	}
	var freed int64
	for _, id := range sortedKeys(gone) {
		c := gone[id]
		key, manifest, err := t.place(ctx, "delete "+id, c.Ordinal)
		if err != nil {
			return 0, err
		}
		epochs[key] = true
		freed += manifest
		parent := survivor(c.ParentID, gone)
		if err := t.exec(ctx, "delete "+id, `UPDATE checkpoints SET parent_id = $1 WHERE parent_id = $2 AND parent_id <> ''`, parent, id); err != nil {
			return 0, err
		}
		if err := t.exec(ctx, "delete "+id, `DELETE FROM manifests WHERE checkpoint = $1`, c.Ordinal); err != nil {
			return 0, err
		}
		if err := t.exec(ctx, "delete "+id, `DELETE FROM checkpoints WHERE ordinal = $1`, c.Ordinal); err != nil {
			return 0, err
		}
		if err := t.moveHead(ctx, c, parent); err != nil {
			return 0, err
		}
		if err := t.unsearch(ctx, c.Ordinal); err != nil {
			return 0, err
		}
	}
	for _, key := range sortedEpochs(epochs) {
		n, err := t.sweep(ctx, key)
		if err != nil {
			return 0, err
		}
		freed += n
	}
	for _, w := range sortedKeys(workflows) {
		if err := t.rehead(ctx, w); err != nil {
			return 0, err
		}
	}
	return freed, nil
}

// place is the epoch a checkpoint's blobs lie in, and its manifest's size.
func (t *tx) place(ctx context.Context, op string, ordinal int64) (key epochKey, manifest int64, err error) {
	err = t.q.QueryRowContext(ctx, `SELECT c.branch, c.epoch, COALESCE(LENGTH(m.data), 0) FROM checkpoints c LEFT JOIN manifests m ON m.checkpoint = c.ordinal WHERE c.ordinal = $1`, ordinal).
		Scan(&key.branch, &key.n, &manifest)
	if err != nil {
		err = t.d.Error(op, err)
	}
	return key, manifest, err
}

func sortedEpochs(m map[epochKey]bool) []epochKey {
	return slices.SortedFunc(maps.Keys(m), func(a, b epochKey) int {
		return cmp.Or(cmp.Compare(a.branch, b.branch), cmp.Compare(a.n, b.n))
	})
}

// survivor walks up from a parent to the nearest ancestor that stays.
func survivor(parent string, gone map[string]piton.Checkpoint) string {
	for range gone {
		c, deleted := gone[parent]
		if !deleted {
			break
		}
		parent = c.ParentID
	}
	if _, deleted := gone[parent]; deleted {
		return "" // a circle of damaged rows
	}
	return parent
}

// moveHead gives a branch that has lost its head the newest one it still has,
// else the ancestor the head came from. A branch that began from what is gone
// begins from the ancestor too. Rows are found by their workflow (+branch keeps
// SQLite from the index by branch, which does not know the order).
func (t *tx) moveHead(ctx context.Context, c piton.Checkpoint, parent string) error {
	// SQLite numbers parameters in the order in which they first stand.
	return t.exec(ctx, "delete "+c.ID, `UPDATE branches SET
		head_id = CASE WHEN head_id = $1 THEN COALESCE((SELECT x.id FROM checkpoints x WHERE x.workflow_id = $2 AND +x.branch = branches.id ORDER BY x.seq DESC LIMIT 1), $3) ELSE head_id END,
		from_id = CASE WHEN from_id = $1 THEN $3 ELSE from_id END
		WHERE workflow_id = $2 AND (head_id = $1 OR from_id = $1)`, c.ID, c.WorkflowID, parent)
}

// onAside tells in SQL whether a checkpoint x lies on a branch that an import
// has set aside.
const onAside = `SUBSTR(x.branch_name, 1, 9) = '` + piton.AsidePrefix + `'`

// headOf is a column of a workflow's head in SQL: of the highest number that no
// import has set aside, else of the highest there is; null where there is none.
func headOf(column, workflow string) string {
	newest := func(also string) string {
		return `(SELECT x.` + column + ` FROM checkpoints x WHERE x.workflow_id = ` + workflow + also + ` ORDER BY x.seq DESC LIMIT 1)`
	}
	return `COALESCE(` + newest(` AND NOT `+onAside) + `, ` + newest("") + `)`
}

// rehead finds a workflow's head again. A caller's workflow is as finished as
// its new head is; a session's stays as its last stop left it.
func (t *tx) rehead(ctx context.Context, workflow string) error {
	w, err := t.workflow(ctx, "find the head of "+workflow, `id = $1`+t.d.Lock, workflow)
	if err != nil {
		return err
	}
	head, err := t.checkpoint(ctx, "find the head of "+workflow,
		`c.ordinal = `+headOf("ordinal", "$1"), workflow)
	if err != nil && piton.CodeOf(err) != piton.NotFound {
		return err
	}
	if head.ID == w.HeadID {
		return nil
	}
	closed := head.Finishes()
	if w.Type == piton.TypeSession {
		closed = w.Closed
	}
	return t.exec(ctx, "move the head of "+workflow, `UPDATE workflows SET head_id = $1, head_ordinal = $2, head_session = $3, closed = $4 WHERE id = $5`,
		head.ID, head.Ordinal, head.SessionID, boolInt(closed), workflow)
}

// sweep drops the blobs of an epoch that no manifest names any more.
func (t *tx) sweep(ctx context.Context, key epochKey) (int64, error) {
	named := map[int64]bool{}
	damaged := false
	err := t.rows(ctx, "sweep blobs", func(rows *sql.Rows) error {
		var manifest []byte
		if err := rows.Scan(&manifest); err != nil {
			return err
		}
		numbers, err := pack.Numbers(manifest)
		if err != nil {
			damaged = true
		}
		for _, n := range numbers {
			named[int64(n)] = true
		}
		return nil
	}, `SELECT m.data FROM checkpoints c JOIN manifests m ON m.checkpoint = c.ordinal WHERE c.branch = $1 AND c.epoch = $2`, key.branch, key.n)
	if err != nil || damaged {
		return 0, err // with a manifest that cannot be read nothing is dropped
	}
	var drop []any
	err = t.rows(ctx, "sweep blobs", func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		if !named[n] {
			drop = append(drop, n)
		}
		return err
	}, `SELECT n FROM blobs WHERE branch = $1 AND epoch = $2`, key.branch, key.n)
	if err != nil {
		return 0, err
	}
	var freed int64
	for part := range slices.Chunk(drop, batchRows) {
		these := batch{}
		these.args = []any{key.branch, key.n}
		these.add(part...)
		err := t.rows(ctx, "sweep blobs", func(rows *sql.Rows) error {
			var size int64
			err := rows.Scan(&size)
			freed += size
			return err
		}, `DELETE FROM blobs WHERE branch = $1 AND epoch = $2 AND n IN `+these.text.String()+` RETURNING LENGTH(data)`, these.args...)
		if err != nil {
			return 0, err
		}
	}
	return freed, nil
}

// SetAside marks a checkpoint as damaged.
func (s *Store) SetAside(ctx context.Context, id string, clean redact.Clean[string]) error {
	why := clean.Get()
	return s.write(ctx, "set "+id+" aside", func(t *tx) error {
		held, err := t.hold(ctx, id)
		if err != nil {
			return err
		}
		c, mark := held[0], "damaged = ''"
		if why == "" {
			mark = "damaged <> ''"
		}
		// Of a damaged record Damaged tells nothing of the mark.
		n, err := t.changed(ctx, "set "+id+" aside", `UPDATE checkpoints SET damaged = $1 WHERE ordinal = $2 AND `+mark, why, c.Ordinal)
		if err != nil || n == 0 {
			return err
		}
		e := store.EventOf(store.CheckpointDamaged, now(), c)
		if why == "" {
			e.Kind = store.CheckpointRepaired
		}
		e.Data = map[string]any{"why": why}
		return t.note(ctx, e)
	})
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
