//go:build unix

package sqlite_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// TestNoFileInItsPlace: something of the length 0 that is not a file, as a folder is on
// some file systems, is not taken for a file whose -wal was left.
func TestNoFileInItsPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	if err := os.WriteFile(path+"-wal", []byte("left"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	wantError(t, err, piton.Invalid)
}
