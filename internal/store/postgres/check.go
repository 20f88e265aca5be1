package postgres

import (
	"context"
	"database/sql"
	"fmt"
)

// maxFaults bounds what one question of check lists.
const maxFaults = 20

// references are the questions that find what points nowhere. Foreign keys
// stand guard over most of it while saving; a page that was lost under them
// they do not see. Each answer is a line.
var references = []string{
	`SELECT 'checkpoint ' || c.id || ': its workflow ' || c.workflow_id || ' is missing' FROM checkpoints c
		WHERE NOT EXISTS (SELECT 1 FROM workflows w WHERE w.id = c.workflow_id)`,
	`SELECT 'checkpoint ' || c.id || ': its branch ' || c.branch_name || ' is missing' FROM checkpoints c
		WHERE NOT EXISTS (SELECT 1 FROM branches b WHERE b.id = c.branch)`,
	`SELECT 'checkpoint ' || c.id || ': its parent ' || c.parent_id || ' is missing' FROM checkpoints c
		WHERE c.parent_id <> '' AND NOT EXISTS (SELECT 1 FROM checkpoints p WHERE p.id = c.parent_id)`,
	`SELECT 'checkpoint ' || c.id || ': the list of its blobs is missing' FROM checkpoints c
		WHERE c.archive = '' AND NOT EXISTS (SELECT 1 FROM manifests m WHERE m.checkpoint = c.ordinal)`,
	`SELECT 'checkpoint ' || c.id || ': its number ' || c.seq || ' is above the last of its workflow, ' || w.seq FROM checkpoints c
		JOIN workflows w ON w.id = c.workflow_id WHERE c.seq > w.seq`,
	`SELECT 'checkpoint ' || c.id || ': its ordinal ' || c.ordinal || ' is above the last of the store, ' || n.last_value FROM checkpoints c
		JOIN checkpoint_numbers n ON c.ordinal > n.last_value`,
	`SELECT 'the list of blobs ' || m.checkpoint || ': its checkpoint is missing' FROM manifests m
		WHERE NOT EXISTS (SELECT 1 FROM checkpoints c WHERE c.ordinal = m.checkpoint)`,
	`SELECT 'workflow ' || w.id || ': its head ' || w.head_id || ' is missing' FROM workflows w
		WHERE w.head_id <> '' AND NOT EXISTS (SELECT 1 FROM checkpoints c WHERE c.id = w.head_id)`,
	`SELECT 'workflow ' || b.workflow_id || ', branch ' || b.name || ': its head ' || b.head_id || ' is missing' FROM branches b
		WHERE b.head_id <> '' AND NOT EXISTS (SELECT 1 FROM checkpoints c WHERE c.id = b.head_id)`,
	`SELECT 'blob ' || b.branch || '/' || b.epoch || '/' || b.n || ': its epoch is missing or has not come so far' FROM blobs b
		WHERE NOT EXISTS (SELECT 1 FROM epochs e WHERE e.branch = b.branch AND e.n = b.epoch AND e.next_blob > b.n)`,
	`SELECT 'index ' || i.indexrelid::regclass || ' is not valid' FROM pg_index i ` + ours + ` WHERE NOT i.indisvalid`,
}

// ours joins the indexes of our schema's tables: i to its table t.
const ours = `JOIN pg_class t ON t.oid = i.indrelid AND t.relkind = 'r'
	AND t.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('piton_schema'))`

// check asks for dangling references, and, where the extension amcheck is
// installed, whether tables and indexes are whole in themselves. Page sums are
// the server's own: with data_checksums it refuses a damaged page at each read.
func check(ctx context.Context, db *sql.DB) ([]string, error) {
	var faults []string
	for _, q := range references {
		more, err := lines(ctx, db, fmt.Sprint(q, " LIMIT ", maxFaults))
		if err != nil && !damaged(err) {
			return nil, dbError("check the store", err)
		}
		if err != nil {
			more = append(more, err.Error())
		}
		faults = append(faults, more...)
	}
	more, err := amcheck(ctx, db)
	if err != nil {
		return nil, dbError("check the store", err)
	}
	return append(faults, more...), nil
}

// damaged tells whether the server has met bytes that are none of its own.
func damaged(err error) bool {
	state := stateOf(err)
	return state == "XX001" || state == "XX002"
}

// amcheck looks into tables and indexes, where the extension is installed and
// this role may use it.
func amcheck(ctx context.Context, db *sql.DB) ([]string, error) {
	var may bool
	err := db.QueryRowContext(ctx, `SELECT COALESCE(bool_and(has_function_privilege(p.oid, 'EXECUTE')), false) FROM pg_proc p
		JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
		JOIN pg_extension e ON e.oid = d.refobjid WHERE e.extname = 'amcheck' AND p.proname IN ('bt_index_check', 'verify_heapam')`).Scan(&may)
	if err != nil || !may {
		return nil, err
	}
	var schema string
	if err := db.QueryRowContext(ctx, `SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'amcheck'`).Scan(&schema); err != nil {
		return nil, err
	}
	var faults []string
	for _, kind := range []struct{ list, look string }{
		{`SELECT DISTINCT t.oid::regclass::text FROM pg_index i ` + ours, `SELECT 'table %[2]s, block ' || blkno || ': ' || msg FROM %[1]s.verify_heapam('%[2]s')`},
		{`SELECT i.indexrelid::regclass::text FROM pg_index i ` + ours, `SELECT 'index %[2]s' FROM %[1]s.bt_index_check('%[2]s', true) WHERE false`},
	} {
		names, err := lines(ctx, db, kind.list)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			more, err := lines(ctx, db, fmt.Sprintf(kind.look, schema, name)+fmt.Sprint(" LIMIT ", maxFaults))
			if err != nil && !damaged(err) {
				return nil, err
			}
			if err != nil {
				more = append(more, name+": "+err.Error())
			}
			faults = append(faults, more...)
		}
	}
	return faults, nil
}

// lines asks for one column of text.
func lines(ctx context.Context, db *sql.DB, query string) ([]string, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		list = append(list, line)
	}
	return list, rows.Err()
}
