//go:build unix

package localfs

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// odd makes one of each kind of what is not a regular file, and a link to a file
// outside of the folder; it returns the folder and that file.
func odd(t *testing.T) (dir, outside string) {
	t.Helper()
	dir, outside = t.TempDir(), filepath.Join(t.TempDir(), "outside")
	l, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	err = errors.Join(
		os.WriteFile(outside, []byte("theirs"), 0o600), os.WriteFile(filepath.Join(dir, "file"), []byte("ours"), 0o600),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600), os.Mkdir(filepath.Join(dir, "folder"), 0o700),
		os.Symlink(outside, filepath.Join(dir, "link out")), os.Symlink("file", filepath.Join(dir, "link")),
		os.Symlink(filepath.Join(filepath.Dir(outside), "new"), filepath.Join(dir, "dangling link")),
		os.Symlink("/dev/zero", filepath.Join(dir, "link to a device")),
	)
	if err != nil {
		t.Fatal(err)
	}
	return dir, outside
}

// soon fails the test where fn waits for something.
func soon(t *testing.T, what string, fn func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { fn(); close(done) }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: it still waits", what)
	}
}

func TestOnlyRegularFilesBelowARootAreOpened(t *testing.T) {
	dir, outside := odd(t)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{"pipe", "socket", "folder", "link out", "link", "dangling link", "link to a device"} {
		soon(t, name, func() {
			if _, err := ReadIn(root, name, 100); !errors.Is(err, ErrIrregular) {
				t.Errorf("read %s: got %v, want it refused", name, err)
			}
			if unlock, err := LockIn(t.Context(), root, name, time.Second); err == nil {
				unlock()
				t.Errorf("lock %s: got no error, want it refused", name)
			}
			unlock, err := Lock(t.Context(), filepath.Join(dir, name), time.Second)
			if err == nil {
				unlock()
				t.Errorf("lock %s by its path: got no error, want it refused", name)
			}
		})
	}
	for _, name := range []string{"../outside", outside, "folder/../../x", "nothing/../../outside"} {
		if _, err := ReadIn(root, name, 100); err == nil {
			t.Errorf("read %s: got no error, want it refused", name)
		}
		if unlock, err := LockIn(t.Context(), root, name, time.Second); err == nil {
			unlock()
			t.Errorf("lock %s: got no error, want it refused", name)
		}
	}
	if raw, err := ReadIn(root, "file", 4); err != nil || string(raw) != "ours" {
		t.Errorf("got %q, %v, want the file", raw, err)
	}
	if _, err := ReadIn(root, "file", 3); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v, want it too large", err)
	}
	if list, err := os.ReadDir(filepath.Dir(outside)); err != nil || len(list) != 1 {
		t.Errorf("got %v, %v, want nothing new outside", list, err)
	}
}

func TestWhatAPersonNamesIsOpenedWithoutWaiting(t *testing.T) {
	dir, _ := odd(t)
	for name, ok := range map[string]bool{"pipe": true, "socket": false, "folder": false, "link out": true, "link": true, "dangling link": false, "link to a device": false, "file": true} {
		soon(t, name, func() {
			f, err := Open(filepath.Join(dir, name))
			if (err == nil) != ok {
				t.Errorf("%s: got %v, want it opened: %v", name, err, ok)
			}
			if err != nil {
				return
			}
			defer f.Close()
			want := map[string]string{"pipe": "", "link out": "theirs", "link": "ours", "file": "ours"}[name]
			b := make([]byte, 10)
			if n, _ := f.Read(b); string(b[:n]) != want {
				t.Errorf("%s: got %q, want %q", name, b[:n], want)
			}
		})
	}
}
