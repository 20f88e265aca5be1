//go:build unix

package sqlite_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/sqlite"
)

// TestOnlyRegularFilesBeside: what stands beside a store may be another's.
func TestOnlyRegularFilesBeside(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	for _, end := range []string{"-wal", "-shm", "-journal", ".lock"} {
		for _, kind := range []string{"link", "dangling link", "pipe", "folder"} {
			path := filepath.Join(t.TempDir(), "piton.db")
			s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s.Close()
			os.Remove(path + end)
			if err := os.WriteFile(outside, []byte("theirs"), 0o640); err != nil {
				t.Fatal(err)
			}
			switch kind {
			case "link":
				err = os.Symlink(outside, path+end)
			case "dangling link":
				err = os.Symlink(outside+"-new", path+end)
			case "pipe":
				err = syscall.Mkfifo(path+end, 0o600)
			case "folder":
				err = os.Mkdir(path+end, 0o700)
			}
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() {
				s, err := sqlite.Open(t.Context(), path, sqlite.Options{Existing: true})
				if err == nil {
					s.Close()
				}
				done <- err
			}()
			select {
			case err := <-done:
				if end != ".lock" && piton.CodeOf(err) != piton.Invalid {
					t.Errorf("%s is a %s: got %v, want it refused", end, kind, err)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("%s is a %s: it still waits", end, kind)
			}
			raw, err := os.ReadFile(outside)
			info, err2 := os.Stat(outside)
			if _, err3 := os.Lstat(outside + "-new"); err != nil || err2 != nil || string(raw) != "theirs" || info.Mode().Perm() != 0o640 || err3 == nil {
				t.Errorf("%s is a %s: got %q, %v, want the file outside as it was and none beside it", end, kind, raw, info.Mode())
			}
		}
	}
}
