package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/piton-project/piton"
)

//go:embed migrations/*.sql
var migrations embed.FS

// whole is what all migrations together make of an empty database, in a third of their
// time: each ALTER TABLE has SQLite parse the schema again. A test of sqlite writes it.
//
//go:embed schema.sql
var whole string

// SchemaVersion is the number of the newest migration this program knows.
const SchemaVersion = 13

// Migrate brings the database to SchemaVersion in one transaction. A database that a newer program has migrated is used
// as it is while that program says older writers still fit; otherwise it is
// Invalid and nothing is touched.
func Migrate(ctx context.Context, db *sql.DB, d Dialect) error {
	version, oldest, err := schema(ctx, db)
	if err != nil {
		return d.fail("read the schema's version", err)
	}
	if version == 0 && d.Existing {
		return piton.Errorf(piton.NotFound, "open the store", "nothing has been saved yet", "the database holds no store")
	}
	if oldest > SchemaVersion {
		return piton.Errorf(piton.Invalid, "open the store", "install the newest piton; if this is the newest, the file is damaged: 'repair'",
			"the store needs a newer Piton (schema %d); this one knows schema %d", oldest, SchemaVersion)
	}
	if d.Meddling != "" && version > 0 {
		var n int
		if err := db.QueryRowContext(ctx, d.Meddling).Scan(&n); err != nil {
			return d.fail("read the schema", err)
		}
		if n > 0 {
			return piton.Errorf(piton.Invalid, "open the store", "give the store a file of its own; 'repair' copies what this one holds to a new store",
				"somebody has added to its schema what could change or drop what is saved")
		}
	}
	if version >= SchemaVersion {
		return nil
	}
	if err := migrate(ctx, db, d); err != nil {
		return d.fail(fmt.Sprintf("migrate the store to schema %d", SchemaVersion), err)
	}
	return nil
}

// schema reads the version and the oldest writer; 0 for an empty database.
func schema(ctx context.Context, db *sql.DB) (version, oldest int, err error) {
	err = db.QueryRowContext(ctx, `SELECT version, oldest_writer FROM piton_schema`).Scan(&version, &oldest)
	if err == nil {
		return version, oldest, nil
	}
	// No such table, or the database cannot be read: a question that every
	// database answers tells the two apart.
	var n int
	if err2 := db.QueryRowContext(ctx, `SELECT 1`).Scan(&n); err2 != nil {
		return 0, 0, err2
	}
	if missingTable(err) {
		return 0, 0, nil
	}
	return 0, 0, err
}

func migrate(ctx context.Context, db *sql.DB, d Dialect) error {
	t, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer t.Rollback()
	if d.Begin != "" {
		if _, err := t.ExecContext(ctx, d.Begin); err != nil {
			return err
		}
	}
	if d.Strangers != "" {
		var n int
		if err := t.QueryRowContext(ctx, d.Strangers).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			return piton.Errorf(piton.Invalid, "open the store", "give the store a file, a database or a schema of its own; if this is Piton's own file, it is damaged: 'repair'", "this is another program's database")
		}
	}
	if _, err := t.ExecContext(ctx, d.Migration(`CREATE TABLE IF NOT EXISTS piton_schema (version INTEGER NOT NULL, oldest_writer INTEGER NOT NULL)`)); err != nil {
		return err
	}
	// Another process may have been first.
	var have int
	if err := t.QueryRowContext(ctx, `SELECT version FROM piton_schema`).Scan(&have); err != nil && err != sql.ErrNoRows {
		return err
	}
	if have >= SchemaVersion {
		return nil
	}
	texts, err := pending(have, d)
	if err != nil {
		return err
	}
	for _, text := range texts {
		if _, err := t.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	if _, err := t.ExecContext(ctx, `DELETE FROM piton_schema`); err != nil {
		return err
	}
	if _, err := t.ExecContext(ctx, `INSERT INTO piton_schema (version, oldest_writer) VALUES ($1, $2)`, SchemaVersion, d.OldestWriter); err != nil {
		return err
	}
	return t.Commit()
}

// pending are the texts that bring a schema from a version to SchemaVersion.
func pending(version int, d Dialect) (texts []string, err error) {
	if version == 0 {
		texts = append(texts, d.Migration(whole))
	}
	for n := version + 1; n <= SchemaVersion; n++ {
		if version > 0 {
			more, e := numbered(migrations, n)
			texts, err = append(texts, d.Migration(more)), errors.Join(err, e)
		}
		if d.Migrations != nil {
			more, e := numbered(d.Migrations, n)
			texts, err = append(texts, more), errors.Join(err, e)
		}
	}
	return slices.DeleteFunc(texts, func(text string) bool { return strings.TrimSpace(text) == "" }), err
}

// numbered is the text of a migration, empty where a folder has none of that number.
func numbered(in fs.FS, n int) (string, error) {
	names, err := fs.Glob(in, fmt.Sprintf("migrations/%03d_*.sql", n))
	if err != nil || len(names) == 0 {
		return "", err
	}
	text, err := fs.ReadFile(in, names[0])
	return string(text), err
}
