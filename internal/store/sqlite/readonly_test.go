//go:build unix

package sqlite_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// readChild opens each path it reads as a user without rights, and says how
// many checkpoints it lists and loads there, and how a write ends.
func readChild(ctx context.Context, _ []string) error {
	if os.Getuid() == 0 {
		if err := syscall.Setgid(nobody); err != nil {
			return err
		}
		if err := syscall.Setuid(nobody); err != nil {
			return err
		}
	}
	return lines(func(path string) string { return reads(ctx, path) })
}

func reads(ctx context.Context, path string) string {
	s, err := sqlite.Open(ctx, path, sqlite.Options{Existing: true})
	if err != nil {
		return fmt.Sprintf("open: %s (%s) %v", piton.CodeOf(err), hint(err), err)
	}
	defer s.Close()
	page, err := s.List(ctx, piton.Query{})
	if err != nil {
		return fmt.Sprintf("list: %s %v", piton.CodeOf(err), err)
	}
	for _, c := range page.Checkpoints {
		if _, err := s.State(ctx, c.ID); err != nil {
			return fmt.Sprintf("load: %s %v", piton.CodeOf(err), err)
		}
	}
	err = event(ctx, s)
	return fmt.Sprintf("%d read, write: %s (%s) %v", len(page.Checkpoints), piton.CodeOf(err), hint(err), err)
}

// TestReadingWhatCannotBeWritten reads stores in a folder that a user cannot
// write to. What is read is never older than what was saved.
func TestReadingWhatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	crashed := crash(t)
	place := func(name string, wal []byte) string {
		path := filepath.Join(dir, name, "piton.db")
		s := open(t, path, sqlite.Options{})
		add(t, s, `{"a":1}`)
		add(t, s, `{"b":1}`)
		s.Close()
		if wal != nil {
			if err := os.WriteFile(path, crashed.db, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path+"-wal", wal, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		os.Chmod(path, 0o444)
		if err := os.Chmod(filepath.Dir(path), 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(filepath.Dir(path), 0o700) })
		return path
	}
	// A log cannot be used beside a file that cannot be written, wherever it
	// lies.
	inOpenFolder := place("file", crashed.wal)
	if err := os.Chmod(filepath.Dir(inOpenFolder), 0o777); err != nil {
		t.Fatal(err)
	}
	c := start(t, "read")
	for _, x := range []struct{ name, path, want string }{
		{"a whole store", place("whole", nil), "2 read, write: unavailable (it is open for reading"},
		{"a log to recover", place("log", crashed.wal), "open: unavailable (its -wal holds"},
		{"a log to recover in a folder that can be written", inOpenFolder, "open: unavailable (its -wal holds"},
	} {
		before, err := os.ReadFile(x.path)
		if err != nil {
			t.Fatal(err)
		}
		c.tell(t, x.path)
		if got := c.hear(t); !strings.HasPrefix(got, x.want) {
			t.Errorf("%s: got %q, want %q", x.name, got, x.want)
		}
		if after, err := os.ReadFile(x.path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: the file has changed (%v)", x.name, err)
		}
	}
}
