//go:build unix

package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/sqlite"
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

// TestTheMarkLeadsNowhere puts what another may put there in the mark's place.
func TestTheMarkLeadsNowhere(t *testing.T) {
	const theirs = "the first line of a file that is none of ours, and longer than the line that a mark is\n"
	for what, place := range map[string]func(mark, outside string) error{
		"a link":           func(mark, outside string) error { return os.Symlink(outside, mark) },
		"a dangling link":  func(mark, outside string) error { return os.Symlink(outside+".new", mark) },
		"another's name":   func(mark, outside string) error { return os.Link(outside, mark) },
		"a folder":         func(mark, _ string) error { return os.Mkdir(mark, 0o700) },
		"a link to a pipe": func(mark, outside string) error { return os.Symlink(outside+".pipe", mark) },
		"a pipe":           func(mark, _ string) error { return syscall.Mkfifo(mark, 0o600) },
	} {
		t.Run(what, func(t *testing.T) {
			path, outside := filepath.Join(t.TempDir(), "piton.db"), filepath.Join(t.TempDir(), "outside")
			s := open(t, path, sqlite.Options{})
			add(t, s, `{"n":1}`)
			err := errors.Join(syscall.Mkfifo(outside+".pipe", 0o600), os.WriteFile(outside, []byte(theirs), 0o640), os.Chmod(outside, 0o640), os.Remove(path+".mark"), place(path+".mark", outside))
			if err != nil {
				t.Fatal(err)
			}
			add(t, s, `{"n":1}`)
			if backwards(t, path) {
				t.Error("the store is said to be older than it was")
			}
			if err := sqlite.Accept(t.Context(), path, s); err != nil {
				t.Error(err)
			}
			add(t, s, `{"n":1}`)
			if info, err := os.Lstat(path + ".mark"); err != nil || !info.Mode().IsRegular() {
				t.Errorf("got %v, %v, want a mark of our own once the store was accepted", info, err)
			}
			info, err := os.Stat(outside)
			if raw, err2 := os.ReadFile(outside); err != nil || err2 != nil || string(raw) != theirs || info.Mode().Perm() != 0o640 {
				t.Errorf("got %q, %v, %v, %v, want the other file as it was", raw, info, err, err2)
			}
			if _, err := os.Lstat(outside + ".new"); err == nil {
				t.Error("a file was made where the link leads")
			}
		})
	}
}
