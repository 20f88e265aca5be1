//go:build unix

package localfs_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/store/localfs"
)

// long bounds what comes at once on a machine that is not busy.
const long = time.Minute

func heard(t *testing.T, rings <-chan struct{}) {
	t.Helper()
	select {
	case <-rings:
	case <-time.After(long):
		t.Fatal("the ring was not heard")
	}
}

func TestBell(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bell")
	if localfs.Ring(path) || localfs.Attended(path) {
		t.Error("got somebody where there is nothing")
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("ringing made a file")
	}
	rings, stop, err := localfs.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if !localfs.Attended(path) || !localfs.Ring(path) {
		t.Fatal("got nobody, want the one that listens")
	}
	heard(t, rings)
	for range 100_000 { // more than a pipe holds
		if !localfs.Ring(path) {
			t.Fatal("got nobody while one listens")
		}
	}
	heard(t, rings)
	if info, err := os.Lstat(path); err != nil || info.Mode() != os.ModeNamedPipe|0o600 {
		t.Errorf("got %v (%v), want a pipe of the user's own", info.Mode(), err)
	}
	stop()
	if localfs.Attended(path) || localfs.Ring(path) {
		t.Error("got a ring heard after the stop")
	}
	if rings, stop, err = localfs.Listen(path); err != nil || !localfs.Ring(path) {
		t.Fatalf("got %v, want the pipe that is left used again", err)
	}
	heard(t, rings)
	stop()
}

// The name may be somebody else's.
func TestBellAtOtherThings(t *testing.T) {
	dir := t.TempDir()
	file, link, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, link, dir} {
		if localfs.Ring(path) || localfs.Attended(path) {
			t.Errorf("got somebody at %s", path)
		}
		if _, _, err := localfs.Listen(path); err == nil {
			t.Errorf("got it listening at %s", path)
		}
	}
	if localfs.Ring(pipe) {
		t.Error("got somebody at a pipe that nobody reads")
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "mine" {
		t.Errorf("got %q (%v), want the file as it was", b, err)
	}
}
