package sqlite_test

import (
	"database/sql"
	"testing"

	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"

	"path/filepath"
	"time"
)

// pragmas are what every connection must have in force.
var pragmas = map[string]string{
	"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "auto_vacuum": "2", "busy_timeout": "1234", "fullfsync": "1",
}

func TestPragmasHoldOnEveryConnection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	for _, name := range []string{"new file", "old file"} {
		s := open(t, path, sqlite.Options{Wait: 1234 * time.Millisecond})
		for i, c := range connections(t, s) {
			for pragma, want := range pragmas {
				var got string
				if err := c.QueryRowContext(t.Context(), `PRAGMA `+pragma).Scan(&got); err != nil || got != want {
					t.Errorf("%s, connection %d, %s: got %q, %v, want %q", name, i, pragma, got, err, want)
				}
			}
			_, err := c.ExecContext(t.Context(), `INSERT INTO branches (workflow_id, name, head_id, appended) VALUES ('wf_none', 'main', '', 0)`)
			if err == nil {
				t.Errorf("%s, connection %d: got a branch of no workflow, want the foreign key to refuse it", name, i)
			}
		}
		s.Close()
	}
}

// connections takes all connections of a store's pool at once.
func connections(t testing.TB, s *sqlstore.Store) []*sql.Conn {
	t.Helper()
	var cs []*sql.Conn
	for range s.DB.Stats().MaxOpenConnections {
		c, err := s.DB.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		cs = append(cs, c)
	}
	if len(cs) < 2 {
		t.Errorf("got %d connections, want several", len(cs))
	}
	return cs
}

func TestDefaultWaitIsTenSeconds(t *testing.T) {
	var got string
	if err := fresh(t).DB.QueryRowContext(t.Context(), `PRAGMA busy_timeout`).Scan(&got); err != nil || got != "10000" {
		t.Errorf("got %q, %v, want 10000", got, err)
	}
}

func TestTransactionsTakeTheWriteLockAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	a, b := open(t, path, sqlite.Options{}), open(t, path, sqlite.Options{Wait: time.Millisecond})
	tx, err := a.DB.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if tx2, err := b.DB.BeginTx(t.Context(), nil); err == nil {
		tx2.Rollback()
		t.Error("a second transaction began, want the first to have the lock from its begin")
	}
}
