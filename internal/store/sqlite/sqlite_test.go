package sqlite_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/storetest"
)

func TestStore(t *testing.T) {
	storetest.RunLocal(t, func(t testing.TB) *store.Local { return searching(t).Local() })
	storetest.RunRuns(t, func(t testing.TB) store.Checkpoints { return fresh(t) })
}

// open opens the store at path and closes it when the test ends.
func open(t testing.TB, path string, o sqlite.Options) *sqlstore.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, o)
	if err != nil {
		t.Fatalf("open: got %v, want no error", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// fresh opens a new store.
func fresh(t testing.TB) *sqlstore.Store {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "piton.db"), sqlite.Options{})
}

// add appends a state to a workflow of its own and returns the checkpoint.
func add(t testing.TB, s *sqlstore.Store, state string) piton.Checkpoint {
	t.Helper()
	sum := sha256.Sum256([]byte(state))
	w := piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Type: piton.TypeCustom}
	var c piton.Checkpoint
	err := s.Save(t.Context(), func(tx store.Tx) (err error) {
		if err := tx.PutWorkflow(t.Context(), redact.Value(w)); err != nil {
			return err
		}
		c, err = tx.Append(t.Context(), redact.Value(store.Prepared{State: redact.Unchecked(json.RawMessage(state)), Record: piton.Checkpoint{
			InWorkflow: piton.InWorkflow{WorkflowID: w.ID}, Trigger: piton.TriggerManual, CreatedAt: piton.At(time.Now()), OfState: piton.OfState{SHA256: hex.EncodeToString(sum[:]), SchemaVersion: 1},
		}}))
		return err
	})
	if err != nil {
		t.Fatalf("save: got %v, want no error", err)
	}
	return c
}

// wantState loads a state and compares it.
func wantState(t testing.TB, s *sqlstore.Store, id, want string) {
	t.Helper()
	got, err := s.State(t.Context(), id)
	if err != nil || string(got) != want {
		t.Fatalf("state of %s: got %.80q, %v, want %.80q", id, got, err, want)
	}
}

// integrity fails unless SQLite finds the file whole.
func integrity(t testing.TB, s *sqlstore.Store) {
	t.Helper()
	var got string
	if err := s.DB.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&got); err != nil || got != "ok" {
		t.Fatalf("integrity: got %q, %v, want ok", got, err)
	}
}

// wantError fails unless err has the code, and a hint where one helps.
func wantError(t testing.TB, err error, want piton.Code) {
	t.Helper()
	if got := piton.CodeOf(err); got != want {
		t.Fatalf("got %q (%v), want %q", got, err, want)
	}
	if hint(err) == "" {
		t.Errorf("%v: got no hint, want one", err)
	}
}
