//go:build amd64 || arm64

package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/disktest"
)

// TestCommitsReachTheDisk watches a store being made, and two commits, at the system
// calls.
func TestCommitsReachTheDisk(t *testing.T) {
	open := func(dir string) (*sqlstore.Store, error) {
		return sqlite.Open(context.Background(), filepath.Join(dir, "x.db"), sqlite.Options{})
	}
	disktest.Check(t, disktest.Saves(open), []string{"x.db-shm", "x.db.mark"}, []string{"x.db", "x.db-wal"})
}
