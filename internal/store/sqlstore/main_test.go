package sqlstore_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// databases are the kinds of database whose stores these tests look into, with
// SQL of their own.
var databases = []struct {
	name string
	open func(testing.TB) *sqlstore.Store
}{
	{"sqlite", sqliteStore},
	{"postgres", postgresStore},
}

func postgresStore(t testing.TB) *sqlstore.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), pgtest.DSN(t), postgres.Options{Connect: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func sqliteStore(t testing.TB) *sqlstore.Store {
	t.Helper()
	return storeAt(t, filepath.Join(t.TempDir(), "piton.db"))
}

func storeAt(t testing.TB, path string) *sqlstore.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// each runs a test on a new store of every kind.
func each(t *testing.T, test func(*testing.T, *sqlstore.Store)) {
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) { test(t, d.open(t)) })
	}
}

var when = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// prepared is what Append takes.
func prepared(workflow, state string) store.Prepared {
	sum := sha256.Sum256([]byte(state))
	return store.Prepared{State: redact.Unchecked(json.RawMessage(state)), Record: piton.Checkpoint{
		ID: piton.NewID(piton.CheckpointPrefix), InWorkflow: piton.InWorkflow{WorkflowID: workflow}, Trigger: piton.TriggerManual,
		CreatedAt: piton.At(when), OfState: piton.OfState{SHA256: hex.EncodeToString(sum[:]), SchemaVersion: 1},
	}}
}

// workflow adds a workflow and returns its id.
func workflow(t testing.TB, s *sqlstore.Store) string {
	t.Helper()
	id := piton.NewID(piton.WorkflowPrefix)
	update(t, s, func(tx store.LocalTx) error {
		return tx.PutWorkflow(t.Context(), redact.Value(piton.Workflow{ID: id, Type: piton.TypeCustom, CreatedAt: piton.At(when)}))
	})
	return id
}

func update(t testing.TB, s *sqlstore.Store, fn func(store.LocalTx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); err != nil {
		t.Fatalf("update: got %v, want no error", err)
	}
}

// add appends a state to a workflow.
func add(t testing.TB, s *sqlstore.Store, workflow, state string) (c piton.Checkpoint) {
	t.Helper()
	update(t, s, func(tx store.LocalTx) (err error) {
		c, err = tx.Append(t.Context(), redact.Value(prepared(workflow, state)))
		return err
	})
	return c
}

// remove deletes a checkpoint and returns what was set free.
func remove(t testing.TB, s *sqlstore.Store, ids ...string) (freed int64) {
	t.Helper()
	update(t, s, func(tx store.LocalTx) (err error) {
		freed, err = tx.Delete(t.Context(), ids)
		return err
	})
	return freed
}

// run executes SQL of the test's own.
func run(t testing.TB, s *sqlstore.Store, query string, args ...any) {
	t.Helper()
	if _, err := s.DB.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// number asks for one number.
func number(t testing.TB, s *sqlstore.Store, query string, args ...any) (n int64) {
	t.Helper()
	if err := s.DB.QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// text asks for the rows of one column, joined by blanks.
func text(t testing.TB, s *sqlstore.Store, query string, args ...any) string {
	t.Helper()
	rows, err := s.DB.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var x string
		if err := rows.Scan(&x); err != nil {
			t.Fatal(err)
		}
		all = append(all, x)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

// noise is a JSON object of about n bytes that hardly compresses; seed tells
// one from the other.
func noise(seed, n int) string {
	var b []byte
	for i := 0; len(b) < n; i++ {
		sum := sha256.Sum256(fmt.Append(nil, seed, i))
		b = hex.AppendEncode(b, sum[:])
	}
	return `{"noise":"` + string(b[:n]) + `"}`
}

func wantState(t testing.TB, s *sqlstore.Store, id, want string) {
	t.Helper()
	got, err := s.State(t.Context(), id)
	if err != nil {
		t.Fatalf("state of %s: got %v, want no error", id, err)
	}
	if string(got) != want {
		t.Fatalf("state of %s: got %d bytes %.80q, want %d bytes %.80q", id, len(got), got, len(want), want)
	}
}
