package git

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// image is all of a folder but access times: names, kinds, sizes, times, content.
func image(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		s := fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano())
		if p := look(dir, d.Name()); info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			s += fmt.Sprintf(" %x %d", sha256.Sum256(b), p.CtimeNano)
		}
		files[path] = s
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestNothingIsWritten(t *testing.T) {
	w := committed(t)
	sub := w.submodule("sub")
	w.git("config", "core.untrackedCache", "true")
	w.git("config", "core.fsmonitor", "true")
	w.git("config", "feature.manyFiles", "true")
	w.git("worktree", "add", "-q", "../side")
	b, err := w.repo().Baseline(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	commitFile("b", "2")(w)
	for _, name := range []string{"a", "dir/c", "../side/a", "sub/inside"} {
		at(w, name, time.Unix(1e9, 0)) // the index is out of date: git would like to write it
	}
	sub.write("more", "1")
	w.write("new/x", "1")
	w.git("mv", "dir/c", "dir/d")
	for _, tc := range []struct {
		name string
		call func(context.Context) error
	}{
		{"status", func(ctx context.Context) error { _, err := w.repo().Status(ctx); return err }},
		{"status, folders", func(ctx context.Context) error { _, err := Repo{Dir: w.dir, Folders: true}.Status(ctx); return err }},
		{"baseline", func(ctx context.Context) error { _, err := w.repo().Baseline(ctx); return err }},
		{"changed", func(ctx context.Context) error { _, err := compare(ctx, w.repo(), &b); return err }},
		{"changed, all", func(ctx context.Context) error { _, err := compare(ctx, w.repo(), nil); return err }},
		{"worktree", func(ctx context.Context) error { _, err := compare(ctx, Repo{Dir: w.path("../side")}, &b); return err }},
		{"submodule", func(ctx context.Context) error { _, err := compare(ctx, Repo{Dir: sub.dir}, &b); return err }},
		{"find, origin", func(context.Context) error { _, dir, _ := Find(w.dir); Origin(dir); return nil }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := image(t, w.dir)
			if err := tc.call(t.Context()); err != nil {
				t.Fatal(err)
			}
			if after := image(t, w.dir); !maps.Equal(before, after) {
				for path, was := range before {
					if after[path] != was {
						t.Errorf("%s: got %q, want %q", path, after[path], was)
					}
				}
				t.Error("something was written")
			}
		})
	}
	before := image(t, w.path(".git"))
	w.git("-c", "core.fsmonitor=", "status")
	if maps.Equal(before, image(t, w.path(".git"))) {
		t.Error("plain git status writes nothing either: this test shows nothing")
	}
}

// TestNothingIsWrittenForASparseIndex: git would write tree objects for a full index that the configuration wants sparse. One that is
// sparse is read as it is.
func TestNothingIsWrittenForASparseIndex(t *testing.T) {
	for _, wanted := range []bool{false, true} {
		w := committed(t)
		w.write("out/side/x", "1")
		w.git("add", "out")
		w.git("commit", "-qm", "out")
		w.git("sparse-checkout", "set", "--cone", "dir")
		w.git("config", "index.sparse", "true")
		w.write("dir/new", "1")
		w.git("-c", fmt.Sprint("index.sparse=", wanted), "add", "dir/new") // the index has a tree that no commit has
		if got := sparse(w.path(".git/index")); got != wanted {
			t.Fatalf("the index is sparse: got %v, want %v", got, wanted)
		}
		before := image(t, w.dir)
		st, err := w.repo().Status(t.Context())
		if err != nil || len(st.Entries) != 1 || st.Entries[0].Path != "dir/new" {
			t.Errorf("sparse %v: got %+v, %v, want the new file", wanted, st, err)
		}
		if !maps.Equal(before, image(t, w.dir)) {
			t.Errorf("sparse %v: something was written", wanted)
		}
		if wanted {
			continue
		}
		w.git("--no-optional-locks", "status")
		if maps.Equal(before, image(t, w.dir)) {
			t.Skip("this git writes nothing either")
		}
	}
}
