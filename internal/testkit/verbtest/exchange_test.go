package verbtest_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/store/filestore"
	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/testkit/pgtest"
	"github.com/piton-project/piton/internal/testkit/verbtest"
)

// TestExchange goes between all pairs of the three stores.
func TestExchange(t *testing.T) {
	verbtest.Exchange(t,
		verbtest.Kind{Name: "sqlite", Open: func(t testing.TB) verbtest.Fixture {
			s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "piton.db"), sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return verbtest.SQL(s)
		}},
		verbtest.Kind{Name: "postgres", Open: func(t testing.TB) verbtest.Fixture {
			s, err := postgres.Open(t.Context(), pgtest.DSN(t), postgres.Options{Connect: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return verbtest.SQL(s)
		}},
		verbtest.Kind{Name: "filestore", Open: func(t testing.TB) verbtest.Fixture {
			dir := t.TempDir()
			s, err := filestore.Open(dir, filestore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return verbtest.Files(s, dir)
		}},
	)
}
