//go:build unix

package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/internal/store/sqlite"
)

// TestKeptLog closes a store and looks at what lies beside it. What was saved is in
// the file alone each time.
func TestKeptLog(t *testing.T) {
	for _, x := range []struct {
		name  string
		keep  bool
		mode  os.FileMode
		owner int // -1: this user
		kept  bool
	}{
		{"a store for its user alone", true, 0o600, -1, true},
		{"not asked for", false, 0o600, -1, false},
		{"a store that a group may use", true, 0o660, -1, false},
		{"a store that all may read", true, 0o644, -1, false},
		{"another user's store", true, 0o600, nobody, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "piton.db")
			o := sqlite.Options{KeepLog: x.keep}
			open(t, path, sqlite.Options{}).Close()
			if err := os.Chmod(path, x.mode); err != nil {
				t.Fatal(err)
			}
			if x.owner >= 0 {
				if err := os.Chown(path, x.owner, -1); err != nil {
					t.Skipf("only root can give a file away: %v", err)
				}
			}
			var ids []string
			for range 3 {
				s := open(t, path, o)
				ids = append(ids, add(t, s, `{"a":1}`).ID)
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				log, err := os.Stat(path + "-wal")
				if kept := err == nil; kept != x.kept || kept && log.Size() > 0 {
					t.Errorf("got the log kept %t (%v), want %t and nothing in it", kept, log, x.kept)
				}
				if _, err := os.Stat(path + "-shm"); (err == nil) != x.kept {
					t.Errorf("got the index kept %t, want %t", err == nil, x.kept)
				}
			}
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			other := filepath.Join(t.TempDir(), "copy.db")
			if err := os.WriteFile(other, b, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, from := range []string{other, path} {
				s := open(t, from, sqlite.Options{})
				for _, id := range ids {
					wantState(t, s, id, `{"a":1}`)
				}
				s.Close()
			}
			if _, err := os.Stat(path + "-wal"); err == nil {
				t.Error("got a log after a program that keeps none, want it deleted")
			}
		})
	}
}
