package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/piton-project/piton"
)

//go:embed migrations/*.sql
var migrations embed.FS

// SchemaVersion is the number of the newest migration this program knows.
const SchemaVersion = 9

// oldestWriter is the oldest program that may still write to a database this
// one has migrated; it rises only with a migration that is not additive.
const oldestWriter = 1

// Migrate brings the database to SchemaVersion, each migration in a
// transaction of its own. A database that a newer program has migrated is used
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
	for v := version + 1; v <= SchemaVersion; v++ {
		if err := migrate(ctx, db, d, v); err != nil {
			return d.fail(fmt.Sprintf("migrate the store to schema %d", v), err)
		}
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

func migrate(ctx context.Context, db *sql.DB, d Dialect, v int) error {
	name, err := fs.Glob(migrations, fmt.Sprintf("migrations/%03d_*.sql", v))
	if err != nil || len(name) != 1 {
		return fmt.Errorf("migration %d: %d files (%v)", v, len(name), err)
	}
	text, err := migrations.ReadFile(name[0])
	if err != nil {
		return err
	}
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
	err = t.QueryRowContext(ctx, `SELECT version FROM piton_schema`).Scan(&have)
	if err == nil && have >= v {
		return nil
	}
	if err != nil && err != sql.ErrNoRows {
		return err
	}
	if _, err := t.ExecContext(ctx, d.Migration(string(text))); err != nil {
		return err
	}
	if _, err := t.ExecContext(ctx, `DELETE FROM piton_schema`); err != nil {
		return err
	}
	if _, err := t.ExecContext(ctx, `INSERT INTO piton_schema (version, oldest_writer) VALUES ($1, $2)`, v, oldestWriter); err != nil {
		return err
	}
	return t.Commit()
}
