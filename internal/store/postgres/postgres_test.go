package postgres_test

import (
	"testing"
	"time"

	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/pgtest"
	"github.com/piton-project/piton/internal/testkit/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) store.Checkpoints { return open(t, pgtest.DSN(t)) })
	storetest.RunRuns(t, func(t testing.TB) store.Checkpoints { return open(t, pgtest.DSN(t)) })
}

// open opens the store at dsn and closes it when the test ends.
func open(t testing.TB, dsn string) *sqlstore.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), dsn, postgres.Options{Connect: time.Minute})
	if err != nil {
		t.Fatalf("open: got %v, want no error", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
