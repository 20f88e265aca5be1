//go:build unix

package git

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPipeInAFolder: git waits at a pipe that it takes for a list of what it ignores. It is asked once, and the pipe is named.
func TestPipeInAFolder(t *testing.T) {
	for _, name := range []string{"sub/.gitignore", "sub/below/.gitattributes"} {
		w := committed(t)
		w.write("sub/below/x", "x")
		if err := syscall.Mkfifo(w.path(name), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := blocking(w.dir, time.Minute); got != w.path(name) {
			t.Errorf("%s: got %q", name, got)
		}
	}
	w := committed(t)
	w.write("sub/x", "x")
	w.write("sub/.gitignore", "y")
	if got := blocking(w.dir, time.Minute); got != "" {
		t.Errorf("nothing to wait for: got %q", got)
	}
	w.remove("sub/.gitignore")
	if err := syscall.Mkfifo(w.path("sub/.gitignore"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := w.repo()
	r.Patience = 100 * time.Millisecond
	if _, err := r.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "sub/.gitignore is not a regular file") {
		t.Errorf("got %v, want the pipe named", err)
	}
}
