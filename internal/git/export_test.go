package git

import (
	"os"
	"path/filepath"
	"testing"
)

// A commit's files are copied as they were, and nothing outside of the folder.
func TestExport(t *testing.T) {
	w := committed(t)
	w.write("x/b.txt", "one\n")
	w.write("run.sh", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(w.dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../outside", filepath.Join(w.dir, "x", "link")); err != nil {
		t.Fatal(err)
	}
	w.commit()
	w.write("x/b.txt", "two\n")
	head, err := w.repo().Baseline(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := w.repo().Export(t.Context(), head.Head, dir); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "x", "b.txt")); err != nil || string(text) != "one\n" {
		t.Errorf("got %q (%v), want the committed text", text, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "run.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("got %v (%v), want a program", info, err)
	}
	for _, commit := range []string{"HEAD", "--output=x", ""} {
		if err := w.repo().Export(t.Context(), commit, t.TempDir()); err == nil {
			t.Errorf("%q is taken for a commit", commit)
		}
	}
	if err := w.repo().Export(t.Context(), head.Head, filepath.Join(dir, "missing")); err == nil {
		t.Error("a folder that is not there is no error")
	}
}
