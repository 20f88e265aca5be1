package git

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFiles: what git knows and what is new, not what is ignored.
func TestFiles(t *testing.T) {
	w := newWork(t)
	w.write(".gitignore", "*.log\n")
	w.write("a b/ü.go", "package a\n")
	w.commit()
	w.write("new.py", "x = 1\n")
	w.write("x.log", "noise\n")
	got, err := w.repo().Files(t.Context())
	slices.Sort(got)
	if diff := cmp.Diff([]string{".gitignore", "a b/ü.go", "new.py"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err := (Repo{Dir: t.TempDir()}).Files(t.Context()); err == nil {
		t.Errorf("without a repository: got %q, want an error", got)
	}
}
