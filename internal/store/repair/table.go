package repair

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/pages"
)

// table is a table as a new store has it.
type table struct {
	name    string
	columns []column
	keyed   bool // its first column is the row's key
}

type column struct {
	name, kind string
	null       bool // may be null, or left out
	fallback   bool // has a default
}

// prefixes are how the ids of tables begin.
var prefixes = map[string]string{
	"checkpoints": piton.CheckpointPrefix, "workflows": piton.WorkflowPrefix, "sessions": piton.SessionPrefix, "projects": piton.ProjectPrefix,
	"runs": piton.RunPrefix, "schedules": piton.SchedulePrefix,
}

// tablesOf are the tables of a new store, the event stream first: it tells of
// deletions.
func tablesOf(ctx context.Context, db *sql.DB) ([]table, error) {
	rows, err := db.QueryContext(ctx, `SELECT t.name, c.name, c.type, c."notnull", c.dflt_value IS NOT NULL, c.pk, (SELECT COUNT(*) FROM pragma_table_info(t.name) k WHERE k.pk > 0)
		FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'piton_schema' ORDER BY t.rootpage, c.cid`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []table
	for rows.Next() {
		var name string
		var c column
		var required, fallback bool
		var pk, keys int
		if err := rows.Scan(&name, &c.name, &c.kind, &required, &fallback, &pk, &keys); err != nil {
			return nil, err
		}
		if len(list) == 0 || list[len(list)-1].name != name {
			list = append(list, table{name: name, keyed: c.kind == "INTEGER" && pk == 1 && keys == 1})
		}
		x := &list[len(list)-1]
		c.null, c.fallback = !required && pk == 0 || x.keyed && len(x.columns) == 0, fallback
		x.columns = append(x.columns, c)
	}
	slices.SortStableFunc(list, func(a, b table) int {
		switch {
		case a.name == "events" && b.name != "events":
			return -1
		case b.name == "events" && a.name != "events":
			return 1
		}
		return 0
	})
	return list, rows.Err()
}

// rootsOf is where the tables and indexes of a new store begin.
func rootsOf(ctx context.Context, db *sql.DB) (map[string]uint32, error) {
	rows, err := db.QueryContext(ctx, `SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	roots := map[string]uint32{}
	for rows.Next() {
		var name string
		var root uint32
		if err := rows.Scan(&name, &root); err != nil {
			return nil, err
		}
		roots[name] = root
	}
	return roots, rows.Err()
}

// fits reports whether values can be a row of the table. One from before a
// column was added is shorter.
func (x table) fits(values []any) bool {
	if len(values) == 0 || len(values) > len(x.columns) {
		return false
	}
	for i, c := range x.columns {
		if i >= len(values) {
			if !c.null && !c.fallback {
				return false
			}
			continue
		}
		ok := false
		switch v := values[i].(type) {
		case nil:
			ok = c.null
		case int64:
			ok = c.kind == "INTEGER" && !(x.keyed && i == 0)
		case string:
			ok = c.kind == "TEXT"
			if prefix := prefixes[x.name]; c.name == "id" && prefix != "" {
				ok = ok && piton.IsWholeID(prefix, v)
			}
		case []byte:
			ok = c.kind == "BLOB"
		}
		if !ok {
			return false
		}
	}
	return true
}

// retype makes bytes of a text and a text of bytes, where the column is of that
// kind. One bit of a record tells them apart, the bytes are the same, and SQLite
// reads the one as the other.
func (x table) retype(values []any) {
	for i := range min(len(values), len(x.columns)) {
		switch v := values[i].(type) {
		case string:
			if x.columns[i].kind == "BLOB" {
				values[i] = []byte(v)
			}
		case []byte:
			if x.columns[i].kind == "TEXT" && utf8.Valid(v) {
				values[i] = string(v)
			}
		}
	}
}

// insert adds a row, unless its key is there already. It returns how many were
// added.
func (x table) insert(ctx context.Context, t *sql.Tx, r pages.Row) (int64, error) {
	values := slices.Clone(r.Values)
	if x.keyed {
		values[0] = r.Key
	}
	names, marks := make([]string, len(values)), make([]string, len(values))
	for i := range values {
		names[i], marks[i] = x.columns[i].name, fmt.Sprint("$", i+1)
	}
	res, err := t.ExecContext(ctx, `INSERT OR IGNORE INTO `+x.name+` (`+strings.Join(names, ", ")+`) VALUES (`+strings.Join(marks, ", ")+`)`, values...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
