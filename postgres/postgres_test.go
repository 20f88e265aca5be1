package postgres_test

import (
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/pgtest"
	"github.com/piton-project/piton/postgres"
	"github.com/piton-project/piton/sqlstore"
	"github.com/piton-project/piton/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) piton.Checkpoints { return open(t, pgtest.DSN(t)) })
}

// open opens the store at dsn and closes it when the test ends.
func open(t testing.TB, dsn string) *sqlstore.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), dsn, postgres.Options{})
	if err != nil {
		t.Fatalf("open: got %v, want no error", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
