package sqlite_test

import (
	"bytes"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// migrated makes a store, gives it the schema of a newer program and returns
// its path and a checkpoint in it.
func migrated(t *testing.T, version, oldest int) (path, id string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "piton.db")
	s := open(t, path, sqlite.Options{})
	id = add(t, s, `{"a":1}`).ID
	for _, q := range []string{
		`ALTER TABLE checkpoints ADD COLUMN newer TEXT NOT NULL DEFAULT 'x'`, `CREATE TABLE newer (id TEXT)`,
		fmt.Sprintf(`UPDATE piton_schema SET version = %d, oldest_writer = %d`, version, oldest),
	} {
		if _, err := s.DB.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path, id
}

func TestNewerSchemaThatOnlyAddsIsUsed(t *testing.T) {
	path, id := migrated(t, sqlstore.SchemaVersion+3, sqlstore.SchemaVersion)
	s := open(t, path, sqlite.Options{})
	wantState(t, s, id, `{"a":1}`)
	wantState(t, s, add(t, s, `{"b":1}`).ID, `{"b":1}`)
	var version int
	if err := s.DB.QueryRowContext(t.Context(), `SELECT version FROM piton_schema`).Scan(&version); err != nil || version != sqlstore.SchemaVersion+3 {
		t.Errorf("version: got %d, %v, want it as it was", version, err)
	}
}

func TestNewerSchemaThatWantsNewerWritersIsRefused(t *testing.T) {
	path, _ := migrated(t, sqlstore.SchemaVersion+3, sqlstore.SchemaVersion+1)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		wantError(t, err, piton.Invalid)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file has changed (%v), want it byte for byte as it was", err)
	}
	if _, err := os.Stat(path + "-wal"); !os.IsNotExist(err) {
		t.Errorf("-wal: got %v, want none left behind", err)
	}
}

func TestFileOfAnotherProgramIsNotTouched(t *testing.T) {
	path, _ := migrated(t, sqlstore.SchemaVersion, 1)
	s := open(t, path, sqlite.Options{})
	if _, err := s.DB.ExecContext(t.Context(), `DROP TABLE piton_schema`); err != nil {
		t.Fatal(err)
	}
	s.Close()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = sqlite.Open(t.Context(), path, sqlite.Options{})
	wantError(t, err, piton.Invalid)
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file has changed (%v), want it byte for byte as it was", err)
	}
}

// TestASchemaThatMeddlesIsRefused: what somebody has put into a file's schema could
// drop what was acknowledged.
func TestASchemaThatMeddlesIsRefused(t *testing.T) {
	for _, q := range []string{
		`CREATE TRIGGER x BEFORE INSERT ON manifests BEGIN SELECT RAISE(IGNORE); END`,
		`CREATE TRIGGER x AFTER INSERT ON events BEGIN DELETE FROM checkpoints; END`,
		`CREATE TABLE loot (a); CREATE TRIGGER x AFTER INSERT ON blobs BEGIN INSERT INTO loot VALUES (new.data); END`,
		`ALTER TABLE manifests RENAME TO m; CREATE VIEW manifests AS SELECT * FROM m`,
		`DROP TABLE manifests; CREATE TABLE manifests (checkpoint INTEGER PRIMARY KEY, data BLOB NOT NULL, x DEFAULT 1 UNIQUE ON/**/CONFLICT REPLACE)`,
		"DROP TABLE manifests; CREATE TABLE manifests (checkpoint INTEGER PRIMARY KEY, data BLOB NOT NULL, x DEFAULT 1 UNIQUE on\nconflict ignore)",
		`DROP TABLE manifests; CREATE TABLE manifests (checkpoint INTEGER PRIMARY KEY REFERENCES counters (name) ON DELETE CASCADE, data BLOB NOT NULL)`,
		`DROP TABLE manifests; CREATE TABLE manifests (checkpoint INTEGER PRIMARY KEY REFERENCES counters (name) ON UPDATE SET NULL, data BLOB NOT NULL)`,
	} {
		path := filepath.Join(t.TempDir(), "piton.db")
		s := open(t, path, sqlite.Options{})
		add(t, s, `{"a":1}`)
		if _, err := s.DB.ExecContext(t.Context(), `PRAGMA foreign_keys = 0; `+q); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := sqlite.Open(t.Context(), path, sqlite.Options{FTS5: fts5.Register})
		wantError(t, err, piton.Invalid)
	}
}

// TestNothingInASchemaActs: a trigger that comes while a store is open does nothing.
func TestNothingInASchemaActs(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "piton.db"), sqlite.Options{})
	if _, err := s.DB.ExecContext(t.Context(), `CREATE TRIGGER x BEFORE INSERT ON manifests BEGIN SELECT RAISE(IGNORE); END`); err != nil {
		t.Fatal(err)
	}
	wantState(t, s, add(t, s, `{"a":1}`).ID, `{"a":1}`)
}

// TestASchemaThatOnlyAddsMayUseAnyName: a newer program's columns meddle with nothing.
func TestASchemaThatOnlyAddsMayUseAnyName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	s := open(t, path, sqlite.Options{})
	if _, err := s.DB.ExecContext(t.Context(), `CREATE TABLE newer (updated_at INTEGER, last_update INTEGER, conflicts TEXT, deleted INTEGER)`); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s = open(t, path, sqlite.Options{FTS5: fts5.Register})
	wantState(t, s, add(t, s, `{"a":1}`).ID, `{"a":1}`)
}

// TestAColumnOfAnotherNameIsNoticed: SQLite finds such a schema whole.
func TestAColumnOfAnotherNameIsNoticed(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "piton.db"), sqlite.Options{FTS5: fts5.Register})
	add(t, s, `{"a":1}`)
	find(t, s, "word") // the index of searches belongs to a whole store
	if lines, err := s.Check(t.Context()); err != nil || len(lines) > 0 {
		t.Fatalf("got %v, %v, want the store whole", lines, err)
	}
	if _, err := s.DB.ExecContext(t.Context(), `ALTER TABLE checkpoints RENAME COLUMN phase_total TO phase_tot`); err != nil {
		t.Fatal(err)
	}
	if lines, err := s.Check(t.Context()); err != nil || len(lines) != 1 {
		t.Errorf("got %v, %v, want the table named", lines, err)
	}
}

var update = flag.Bool("update", false, "write the whole schema of sqlstore anew")

// firstSchema makes a database as the first program made it, of a table that says so and
// the first migration.
func firstSchema(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile("../sqlstore/migrations/001_first.sql")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{`CREATE TABLE piton_schema (version INTEGER NOT NULL, oldest_writer INTEGER NOT NULL)`, `INSERT INTO piton_schema VALUES (1, 1)`, bare(string(text))} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
}

// bare is a text of SQL without comments and indentation.
func bare(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "--")
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// schemaOf is what SQLite keeps of the tables and indexes of a store, and its counters, in
// SQL.
func schemaOf(t *testing.T, path string) string {
	t.Helper()
	s := open(t, path, sqlite.Options{})
	rows, err := s.DB.QueryContext(t.Context(), `
		SELECT sql FROM (SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'piton_schema' ORDER BY rowid)
		UNION ALL SELECT format('INSERT INTO counters (name, value) VALUES (%Q, %d)', name, value) FROM counters`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var text strings.Builder
	for rows.Next() {
		var q string
		if err := rows.Scan(&q); err != nil {
			t.Fatal(err)
		}
		text.WriteString(q + ";\n")
	}
	return text.String()
}

// TestSchemaIsThatOfAllMigrations: a new store has the tables of one that the first
// program made and this one has migrated.
func TestSchemaIsThatOfAllMigrations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "first.db")
	firstSchema(t, path)
	want := schemaOf(t, path)
	const file = "../sqlstore/schema.sql"
	if *update {
		if err := os.WriteFile(file, []byte("-- What the migrations make together; written by 'go test ./internal/store/sqlite -run TestSchemaIs -update'.\n"+want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := schemaOf(t, filepath.Join(t.TempDir(), "new.db")); got != want {
		t.Errorf("a new store has\n%s\nwant, as migrations make it,\n%s", got, want)
	}
}
