//go:build amd64 || arm64

package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/testkit/disktest"
)

// TestCommitsReachTheDisk watches a store being made, and two commits, at the system
// calls.
func TestCommitsReachTheDisk(t *testing.T) {
	disktest.Check(t, func(dir string, ack func()) error {
		s, err := sqlite.Open(context.Background(), filepath.Join(dir, "made", "x.db"), sqlite.Options{})
		if err != nil {
			return err
		}
		for range 2 {
			if _, err := (history.Keeper{Store: s}).Save(context.Background(), history.Draft{Workflow: "w", State: []byte(`{}`)}); err != nil {
				return err
			}
			ack()
		}
		return nil
	}, []string{"x.db-shm", "x.db.mark"}, []string{"x.db", "x.db-wal"})
}
