package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/sqlite"
	"github.com/piton-project/piton/sqlstore"
	"github.com/piton-project/piton/storetest"
)

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

func TestStore(t *testing.T) {
	storetest.RunLocal(t, func(t testing.TB) storetest.Store { return fresh(t) })
}
