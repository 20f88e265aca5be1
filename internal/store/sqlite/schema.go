package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/store/sqlstore"
)

// meddling counts what could have a write do something else than it says: a
// trigger, a view in a table's place, a conflict that is passed over or drops the row
// that was there, a reference that deletes. Our own schema has none of these words.
const meddling = `SELECT COUNT(*) FROM sqlite_schema WHERE type IN ('trigger', 'view') OR name NOT LIKE 'search%' AND (
	lower(sql) GLOB '*[^a-z0-9_]conflict[^a-z0-9_]*' OR lower(sql) GLOB '*[^a-z0-9_]virtual[^a-z0-9_]*' OR
	lower(sql) GLOB '*[^a-z0-9_]delete[^a-z0-9_]*' OR lower(sql) GLOB '*[^a-z0-9_]update[^a-z0-9_]*')`

// altered names the tables and indexes that are not written as this program writes
// them. A flipped bit in a column's name leaves a schema that SQLite finds whole, and
// in which no row can be read.
func altered(ctx context.Context, db *sql.DB) ([]string, error) {
	var version int
	if err := db.QueryRowContext(ctx, `SELECT version FROM piton_schema`).Scan(&version); err != nil || version != sqlstore.SchemaVersion {
		return nil, nil // another program's, or opening it says what is wrong
	}
	fresh, err := openDB("file::memory:", nil)
	if err != nil {
		return nil, err
	}
	defer fresh.Close()
	fresh.SetMaxOpenConns(1) // each connection would have a memory of its own
	if err := sqlstore.Migrate(ctx, fresh, sqlstore.Dialect{Migration: bare, Error: dbError}); err != nil {
		return nil, err
	}
	want, err := written(ctx, fresh)
	if err != nil {
		return nil, err
	}
	have, err := written(ctx, db)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range want {
		if !slices.Contains(have, e) {
			found = append(found, "the schema's entry for "+e.name+" is missing, or is not as this program writes it")
		}
	}
	return found, nil
}

// definition is how a table or an index is written in a schema.
type definition struct{ name, text string }

func written(ctx context.Context, db *sql.DB) ([]definition, error) {
	rows, err := db.QueryContext(ctx, `SELECT CAST(name AS TEXT), COALESCE(CAST(sql AS TEXT), '') FROM sqlite_schema ORDER BY rowid`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []definition
	for rows.Next() {
		var d definition
		if err := rows.Scan(&d.name, &d.text); err != nil {
			return nil, err
		}
		d.text = strings.Join(strings.Fields(d.text), " ")
		list = append(list, d)
	}
	return list, rows.Err()
}

// bare takes comments and indentation out of a migration: SQLite keeps the text
// of every table and parses it again at each open, which hooks do all the time.
func bare(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "--")
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
