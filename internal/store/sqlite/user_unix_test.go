//go:build unix

package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// nobody is a user without rights; the tests may run as root, whom no mode
// stops.
const nobody = 65534

// userChild opens each path it reads as a user without rights, writes an event
// and says how that ended.
func userChild(ctx context.Context, _ []string) error {
	if os.Getuid() == 0 {
		if err := syscall.Setgid(nobody); err != nil {
			return err
		}
		if err := syscall.Setuid(nobody); err != nil {
			return err
		}
	}
	return lines(func(path string) string {
		s, err := sqlite.Open(ctx, path, sqlite.Options{Wait: 20 * time.Millisecond})
		step := "open"
		if err == nil {
			defer s.Close()
			step, err = "write", event(ctx, s)
		}
		hinted := "without a hint"
		if hint(err) != "" {
			hinted = "with a hint"
		}
		return fmt.Sprintf("%s: %s %s (%v)", step, piton.CodeOf(err), hinted, err)
	})
}

func TestWhatMayNotBeWrittenIsUnavailable(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const none = 0o777 // no file at all
	place := func(name string, folder, file os.FileMode) string {
		path := filepath.Join(dir, name, "piton.db")
		if file == none {
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
		} else {
			open(t, path, sqlite.Options{}).Close()
			if err := os.Chmod(path, file); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(filepath.Dir(path), folder); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(filepath.Dir(path), 0o700) })
		return path
	}
	c := start(t, "user")
	for _, x := range []struct{ name, path, want string }{
		{"a missing file in a folder for reading", place("missing", 0o555, none), "open: unavailable with a hint"},
		{"a missing folder in a folder for reading", filepath.Join(place("deep", 0o555, none), "sub", "piton.db"), "open: unavailable with a hint"},
		{"a folder that may not be entered", place("closed", 0o000, 0o644), "open: unavailable with a hint"},
		{"a file in a folder for reading", place("reading", 0o555, 0o444), "open: unavailable with a hint"},
		{"a file that may not be read", place("secret", 0o777, 0o000), "open: unavailable with a hint"},
		{"a file for reading", place("readonly", 0o777, 0o444), "open: unavailable with a hint"},
	} {
		c.tell(t, x.path)
		if got := c.hear(t); !strings.HasPrefix(got, x.want) {
			t.Errorf("%s: got %q, want %q", x.name, got, x.want)
		}
	}
}
