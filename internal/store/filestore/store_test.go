package filestore

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) store.Checkpoints { return fresh(t) })
}

// fresh opens a new store.
func fresh(t testing.TB) *Store {
	t.Helper()
	return reopened(t, t.TempDir())
}

// reopened opens the store in a folder as another process of the same user does,
// with the cache that is there.
func reopened(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir, Options{Cache: cacheOf(t)})
	if err != nil {
		t.Fatalf("open: got %v, want no error", err)
	}
	return s
}

// anew opens the store as somebody does who has no cache.
func anew(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatalf("open: got %v, want no error", err)
	}
	return s
}

// reread has a store read every file anew: one that was changed a moment ago, and is as
// long as it was, may look the same.
func reread(t testing.TB, s *Store) {
	t.Helper()
	if _, err := s.reread(t.Context(), "read again"); err != nil {
		t.Fatal(err)
	}
}

// cacheOf is a test's folder for caches.
func cacheOf(t testing.TB) string { return filepath.Join(filepath.Dir(t.TempDir()), "cache") }

// sums tells whether bytes have a sum.
func sums(b []byte, want string) bool {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]) == want
}
