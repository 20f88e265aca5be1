package sqlite_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/sqlite"
	"github.com/piton-project/piton/sqlstore"
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
