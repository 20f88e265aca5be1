package git

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"
)

func (f File) show() string {
	s := Entry{Path: f.Path, OrigPath: f.OrigPath, Code: f.Code, Untracked: f.Untracked, Deleted: f.Deleted}.show()
	if f.Committed {
		s += " committed"
	}
	return s
}

// compare compares the work tree as it is now with the baseline.
func compare(ctx context.Context, r Repo, base *Baseline) (Changes, error) {
	r.Folders = r.Folders || base != nil && base.Bounded
	st, err := r.Status(ctx)
	if err != nil {
		return Changes{}, err
	}
	return r.Compare(ctx, st, base)
}

// turn takes a baseline after before, keeps it as the database would, and gives what during changed.
func turn(t *testing.T, w work, before, during func(work)) []string {
	t.Helper()
	before(w)
	b, err := w.repo().Baseline(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kept, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	var base Baseline
	if err := json.Unmarshal(kept, &base); err != nil {
		t.Fatal(err)
	}
	during(w)
	return changes(t, w, &base)
}

func changes(t *testing.T, w work, base *Baseline) []string {
	t.Helper()
	c, err := compare(t.Context(), w.repo(), base)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range c.Files {
		got = append(got, f.show())
		if f.Deleted != f.ModTime.IsZero() {
			t.Errorf("%q: got deleted %v and time %v", f.Path, f.Deleted, f.ModTime)
		}
	}
	return got
}

func nothing(work) {}

func write(name, text string) func(work) { return func(w work) { w.write(name, text) } }

func TestChangedAgainstBaseline(t *testing.T) {
	for _, tc := range []struct {
		name           string
		before, during func(work)
		want           []string
	}{
		{"nothing", nothing, nothing, nil},
		{"what was dirty and stays so", func(w work) {
			w.write("a", "1")
			w.write("new", "")
			w.remove("b")
			w.git("mv", "dir/c", "dir/d")
			_ = os.Symlink("a", w.path("link"))
		}, nothing, nil},
		{"renamed in the work tree only, and stays so", func(w work) {
			w.remove("a")
			w.write("z", lines("a"))
			w.git("add", "-N", "z")
		}, nothing, nil},
		{"renamed in the work tree only, edited", func(w work) {
			w.remove("a")
			w.write("z", lines("a"))
			w.git("add", "-N", "z")
		}, write("z", lines("a")+"1"), []string{`.R "z" < "a"`}},
		{"clean file edited", nothing, write("a", "1"), []string{`.M "a"`}},
		{"dirty file edited, same size", write("a", "1"), write("a", "2"), []string{`.M "a"`}},
		{"dirty file edited, same size and time", func(w work) {
			w.write("a", "1")
			at(w, "a", time.Unix(1e9, 0))
		}, func(w work) {
			w.write("a", "2")
			at(w, "a", time.Unix(1e9, 0))
		}, []string{`.M "a"`}},
		{"dirty file written again as it was", write("a", "1"), write("a", "1"), nil},
		{"dirty file touched", write("a", "1"), func(w work) { at(w, "a", time.Unix(1e9, 0)) }, nil},
		{"dirty file made executable", write("a", "1"), func(w work) { _ = os.Chmod(w.path("a"), 0o755) }, []string{`.M "a"`}},
		{"dirty file staged", write("a", "1"), func(w work) { w.git("add", "a") }, []string{`M. "a"`}},
		{"dirty file deleted", write("a", "1"), func(w work) { w.remove("a") }, []string{`.D "a" deleted`}},
		{"dirty file taken back", write("a", "1"), func(w work) { w.git("checkout", "-q", "a") }, []string{` "a"`}},
		{"deleted file brought back", func(w work) { w.remove("a") }, func(w work) { w.git("checkout", "-q", "a") }, []string{` "a"`}},
		{"untracked file deleted", write("new", "1"), func(w work) { w.remove("new") }, []string{` "new" deleted`}},
		{"untracked file ignored now", write("new", "1"), write(".git/info/exclude", "new\n"), nil},
		{"large file appended to", write("big", big("1")), write("big", big("1")+"x"), []string{`?? "big" untracked`}},
		{"large file written again", write("big", big("1")), func(w work) {
			w.write("big", big("2"))
			at(w, "big", time.Unix(1e9, 0))
		}, []string{`?? "big" untracked`}},
		{"link turned", func(w work) { _ = os.Symlink("a", w.path("link")) }, func(w work) {
			w.remove("link")
			_ = os.Symlink("b", w.path("link"))
		}, []string{`?? "link" untracked`}},
		{"renamed", nothing, func(w work) { w.git("mv", "a", "z") }, []string{`R. "z" < "a"`}},
		{"dirty file renamed", write("a", lines("a")+"1"), func(w work) { w.git("mv", "a", "z") }, []string{`RM "z" < "a"`}},
		{"rename taken back", func(w work) { w.git("mv", "a", "z") }, func(w work) { w.git("mv", "z", "a") }, []string{` "a"`, ` "z" deleted`}},
		{"rename edited until it is none", func(w work) { w.git("mv", "a", "z") }, func(w work) {
			w.write("z", "other")
			w.git("add", "z")
		}, []string{`A. "z"`}},
		{"stash and back", write("a", "1"), func(w work) {
			w.git("stash", "-q")
			w.git("stash", "pop", "-q")
		}, nil},
		{"submodule with dirty content", func(w work) { w.submodule("sub") }, write("sub/inside", "2"), nil},
		{"weird names", write("a\n\xff", "1"), func(w work) {
			w.write("a\n\xff", "2")
			w.write("b\t\xfe", "1")
		}, []string{`?? "a\n\xff" untracked`, `?? "b\t\xfe" untracked`}},
		{"folder in place of a file", write("new", "1"), func(w work) {
			w.remove("new")
			w.write("new/x", "1")
		}, []string{` "new"`, `?? "new/x" untracked`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := committed(t)
			equalLines(t, turn(t, w, tc.before, tc.during), tc.want)
		})
	}
}

func TestChangedWithoutBaseline(t *testing.T) {
	w := committed(t)
	w.write("a", "1")
	w.write("new", "1")
	w.remove("b")
	equalLines(t, changes(t, w, nil), []string{`.M "a"`, `.D "b" deleted`, `?? "new" untracked`})
}

func TestChangedInAWorktree(t *testing.T) {
	main := committed(t)
	main.git("worktree", "add", "-q", "-b", "side", "../side")
	w := work{t, main.path("../side")}
	main.write("a", "foreign")
	got := turn(t, w, write("b", "1"), func(w work) {
		w.write("x", "1")
		w.git("add", "x")
		w.git("commit", "-q", "-m", "x")
		w.write("dir/c", "1")
	})
	equalLines(t, got, []string{`.M "dir/c"`, `A "x" committed`})
}

func TestChangedWhenBounded(t *testing.T) {
	w := committed(t)
	for i := range 10 {
		w.write(fmt.Sprintf("many/%d", i), "")
	}
	r := Repo{Dir: w.dir, MaxUntracked: 5}
	bounded, err := r.Baseline(t.Context())
	if err != nil || !bounded.Bounded {
		t.Fatalf("got %+v, %v, want it bounded", bounded, err)
	}
	w.write("a", "1")
	r.MaxUntracked = 0
	st, err := r.Status(t.Context())
	if err != nil || st.Bounded {
		t.Fatalf("got %+v, %v, want it whole", st, err)
	}
	if c, err := r.Compare(t.Context(), st, &bounded); err != nil || len(c.Files) != 1 || c.Files[0].Path != "a" || c.Bounded == "" {
		t.Errorf("bounded before, whole now: got %+v, %v, want a alone, and the bound", c, err)
	}
	c, err := compare(t.Context(), r, &bounded)
	if err != nil || len(c.Files) != 1 || c.Files[0].Path != "a" || c.Bounded == "" {
		t.Errorf("bounded before: got %+v, %v, want a alone, and the bound", c, err)
	}
	at(w, "many", time.Unix(1e9, 0))
	full, err := r.Baseline(t.Context())
	if err != nil || full.Bounded {
		t.Fatalf("got %+v, %v, want it whole", full, err)
	}
	w.write("many/3", "1")
	r.MaxUntracked = 5
	c, err = compare(t.Context(), r, &full)
	var got []string
	for _, f := range c.Files {
		got = append(got, f.show())
	}
	if err != nil || c.Bounded == "" {
		t.Errorf("got %+v, %v, want the bound", c, err)
	}
	equalLines(t, got, []string{`?? "many/3" untracked`})

	w.write("many/new", "1")
	if c, err = compare(t.Context(), r, &full); err != nil || len(c.Files) != 2 || c.Files[0].Path != "many/" {
		t.Errorf("new file: got %+v, %v, want many/ too", c, err)
	}
}

func at(w work, name string, when time.Time) {
	w.t.Helper()
	if err := os.Chtimes(w.path(name), when, when); err != nil {
		w.t.Fatal(err)
	}
}

func big(word string) string {
	b := make([]byte, hashedSize)
	for i := range b {
		b[i] = word[0]
	}
	return string(b)
}
