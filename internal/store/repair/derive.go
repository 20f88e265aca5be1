package repair

import (
	"context"
	"database/sql"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/pages"
)

// The indexes that know something of rows that are lost.
const (
	checkpointIDs = "checkpoints_id"
	workflowIDs   = "sqlite_autoindex_workflows_1"
	workflowNames = "workflows_name"
)

var indexes = []string{checkpointIDs, workflowIDs, workflowNames}

// derived are rows and numbers that follow from others. What a statement
// changes is noted.
var derived = []struct{ note, query string }{
	{"", `INSERT OR IGNORE INTO counters (name, value) VALUES ('ordinal', 0)`},
	// The next search makes its index again.
	{"", `DELETE FROM counters WHERE name IN ('search_index', 'search_counted', 'search_form')`},
	{"", `DELETE FROM search_gone`},
	// A file of the archive that no checkpoint names may hold one whose record is
	// lost: no prune may take it for its own to remove.
	{"", `DELETE FROM counters WHERE name LIKE '` + store.ArchivedMark + `%'`},
	{"%d counter of checkpoints set behind the newest", `UPDATE counters SET value = (SELECT COALESCE(MAX(ordinal), 0) FROM checkpoints) WHERE name = 'ordinal' AND value < (SELECT COALESCE(MAX(ordinal), 0) FROM checkpoints)`},
	{"%d lines (branches) of workflows made again from their checkpoints", `INSERT OR IGNORE INTO branches (id, workflow_id, name, head_id, appended)
		SELECT c.branch, c.workflow_id, c.branch_name, '', 0 FROM checkpoints c WHERE c.branch NOT IN (SELECT id FROM branches) GROUP BY c.branch`},
	{"", `UPDATE branches SET head_id = (SELECT c.id FROM checkpoints c WHERE c.workflow_id = branches.workflow_id AND c.branch = branches.id ORDER BY c.seq DESC LIMIT 1)
		WHERE EXISTS (SELECT 1 FROM checkpoints c WHERE c.workflow_id = branches.workflow_id AND c.branch = branches.id)`},
	{"%d lists of blob numbers made again", `INSERT OR IGNORE INTO epochs (branch, n, next_blob) SELECT branch, epoch, MAX(n) + 1 FROM blobs GROUP BY branch, epoch`},
	{"", `UPDATE epochs SET next_blob = (SELECT MAX(b.n) + 1 FROM blobs b WHERE b.branch = epochs.branch AND b.epoch = epochs.n)
		WHERE next_blob <= (SELECT MAX(b.n) FROM blobs b WHERE b.branch = epochs.branch AND b.epoch = epochs.n)`},
	// The next save of each line begins a new epoch: a number whose blob is lost
	// is not given out again.
	{"", `UPDATE branches SET appended = 64 * MAX((appended + 63) / 64, COALESCE((SELECT MAX(c.epoch) + 1 FROM checkpoints c WHERE c.workflow_id = branches.workflow_id AND c.branch = branches.id), 0), COALESCE((SELECT MAX(e.n) + 1 FROM epochs e WHERE e.branch = branches.id), 0))`},
	{"%d workflows made again from their checkpoints; the type of one is lost, and its name where no index holds it", `INSERT OR IGNORE INTO workflows (id, name, type, project, session_id, created_at, seq, head_id, head_ordinal, head_session, closed)
		SELECT c.workflow_id, '', CASE WHEN EXISTS (SELECT 1 FROM sessions s WHERE s.workflow_id = c.workflow_id) THEN '` + piton.TypeSession + `' ELSE '` + piton.TypeCustom + `' END,
		c.project, c.session_id, MIN(c.created_at), 0, '', 0, '', 0 FROM checkpoints c WHERE c.workflow_id NOT IN (SELECT id FROM workflows) GROUP BY c.workflow_id`},
	{"", `UPDATE workflows SET closed = COALESCE((SELECT c.completed_at <> 0 FROM checkpoints c WHERE c.workflow_id = workflows.id ORDER BY c.seq DESC LIMIT 1), 0) WHERE seq = 0 AND head_id = '' AND EXISTS (SELECT 1 FROM checkpoints c WHERE c.workflow_id = workflows.id)`},
	{"", `UPDATE workflows SET seq = (SELECT MAX(c.seq) FROM checkpoints c WHERE c.workflow_id = workflows.id) WHERE seq < (SELECT MAX(c.seq) FROM checkpoints c WHERE c.workflow_id = workflows.id)`},
	// Its state is lost; so it is found as any other that is damaged.
	{"%d states lost the list of their parts", `INSERT OR IGNORE INTO manifests (checkpoint, data) SELECT ordinal, x'01' FROM checkpoints WHERE archive = '' AND ordinal NOT IN (SELECT checkpoint FROM manifests)`},
	{"%d projects made again, without their name", `INSERT OR IGNORE INTO projects (id, name, created_at) SELECT project, '', 0 FROM aliases WHERE project NOT IN (SELECT id FROM projects) GROUP BY project`},
}

// derive makes again what follows from what was saved.
func (b *builder) derive(ctx context.Context, t *sql.Tx) error {
	for _, d := range derived {
		res, err := t.ExecContext(ctx, d.query)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err == nil && n > 0 && d.note != "" {
			b.note(d.note, n)
		}
	}
	return b.rename(ctx, t)
}

// rename gives workflows that were made again the names that an index holds.
func (b *builder) rename(ctx context.Context, t *sql.Tx) error {
	ids := map[int64]string{}
	b.entries(workflowIDs, 2, func(v []any) {
		id, ok := v[0].(string)
		if row, is := v[1].(int64); ok && is {
			ids[row] = id
		}
	})
	var failed error
	b.entries(workflowNames, 3, func(v []any) {
		name, ok := v[1].(string)
		if row, is := v[2].(int64); ok && is && ids[row] != "" && failed == nil {
			_, failed = t.ExecContext(ctx, `UPDATE OR IGNORE workflows SET name = $1 WHERE id = $2 AND name = '' AND head_id = ''`, name, ids[row])
		}
	})
	return failed
}

// entries calls fn for the entries of an index that have so many columns.
func (b *builder) entries(index string, columns int, fn func(values []any)) (bad int) {
	f := b.found[index]
	bad = f.Broken
	for _, n := range slices.Concat(f.Linked, f.Adopted) {
		bad += b.src.Rows(n, func(r pages.Row) {
			if len(r.Values) == columns {
				fn(r.Values)
			} else {
				bad++
			}
		})
	}
	return bad
}

// lost names the checkpoints whose record is gone: the index of ids knows them,
// and where that is damaged too, the event stream. Where the record is there and the
// stream knows its id, the index's other id for it is damaged.
func (b *builder) lost(ctx context.Context, t *sql.Tx) error {
	here, at := map[string]bool{}, map[int64]string{}
	err := scan(ctx, t, `SELECT id, ordinal FROM checkpoints`, func(id string, ordinal int64) { here[id], at[ordinal] = true, id })
	if err != nil {
		return err
	}
	workflows := map[string]string{}
	err = scan(ctx, t, `SELECT checkpoint_id, workflow_id FROM events WHERE kind IN ('checkpoint_created', 'checkpoint_imported')`, func(id, workflow string) { workflows[id] = workflow })
	if err != nil {
		return err
	}
	missing := map[string]bool{}
	miss := func(id string) {
		if piton.IsWholeID(piton.CheckpointPrefix, id) && !here[id] && !b.gone[id] {
			missing[id] = true
		}
	}
	bad := b.entries(checkpointIDs, 2, func(v []any) {
		id, _ := v[0].(string)
		ordinal, _ := v[1].(int64)
		if _, right := workflows[at[ordinal]]; !right {
			miss(id)
		}
	})
	if bad > 0 || b.found[checkpointIDs].Root == 0 {
		for id := range workflows {
			miss(id)
		}
	}
	for id := range missing {
		b.report.Lost = append(b.report.Lost, Lost{ID: id, Workflow: workflows[id]})
	}
	slices.SortFunc(b.report.Lost, func(x, y Lost) int {
		if x.ID < y.ID {
			return -1
		}
		return 1
	})
	return nil
}

// scan gives the rows of a query of two columns.
func scan[A, B any](ctx context.Context, t *sql.Tx, query string, fn func(A, B)) error {
	rows, err := t.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var a A
		var b B
		if err := rows.Scan(&a, &b); err != nil {
			return err
		}
		fn(a, b)
	}
	return rows.Err()
}
