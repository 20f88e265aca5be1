package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// show writes an entry as: code path < original path, and what else it is.
func (e Entry) show() string {
	s := fmt.Sprintf("%s %q", e.Code, e.Path)
	if e.OrigPath != "" {
		s += fmt.Sprintf(" < %q", e.OrigPath)
	}
	for _, flag := range []struct {
		is   bool
		word string
	}{{e.Untracked, "untracked"}, {e.Deleted, "deleted"}, {e.Submodule, "submodule"}} {
		if flag.is {
			s += " " + flag.word
		}
	}
	return s
}

func TestStatus(t *testing.T) {
	for _, tc := range []struct {
		name string
		turn func(work)
		want []string
	}{
		{"clean", func(w work) {}, nil},
		{"modified, staged, both", func(w work) {
			w.write("a", "1")
			w.write("b", "2")
			w.write("dir/c", "3")
			w.git("add", "b", "dir/c")
			w.write("dir/c", "4")
		}, []string{`.M "a"`, `M. "b"`, `MM "dir/c"`}},
		{"untracked files one by one", func(w work) {
			w.write("new/deep/x", "")
			w.write("new/y", "")
		}, []string{`?? "new/deep/x" untracked`, `?? "new/y" untracked`}},
		{"deleted, in the index too, from the index only", func(w work) {
			w.remove("a")
			w.git("rm", "-q", "b")
			w.git("rm", "-q", "--cached", "dir/c")
		}, []string{`.D "a" deleted`, `D. "b" deleted`, `D? "dir/c" untracked`}},
		{"renamed", func(w work) { w.git("mv", "a", "z") }, []string{`R. "z" < "a"`}},
		{"renamed in the work tree only", func(w work) {
			w.remove("a")
			w.write("z", lines("a"))
			w.git("add", "-N", "z")
		}, []string{`.R "z" < "a"`}},
		{"renamed though configured off", func(w work) {
			w.git("config", "status.renames", "false")
			w.git("mv", "a", "z")
		}, []string{`R. "z" < "a"`}},
		{"untracked though configured off", func(w work) {
			w.git("config", "status.showUntrackedFiles", "no")
			w.write("x", "")
		}, []string{`?? "x" untracked`}},
		{"a name taken again after a rename", func(w work) {
			w.git("mv", "a", "z")
			w.write("a", "other")
		}, []string{`?? "a" untracked`, `R. "z" < "a"`}},
		{"conflict", func(w work) {
			w.git("checkout", "-q", "-b", "side")
			w.write("a", "side")
			w.commit()
			w.git("checkout", "-q", "main")
			w.write("a", "main")
			w.commit()
			w.conflict("merge", "-q", "side")
		}, []string{`UU "a"`}},
		{"names of all kinds", func(w work) {
			for _, name := range []string{"new\nline", `quo"te`, "bl ank", "tab\t", "-dash", "ünï", "\xff\xfe", ":(top)x", "# x", "? x"} {
				w.write(name, "")
			}
		}, []string{`?? "# x" untracked`, `?? "-dash" untracked`, `?? ":(top)x" untracked`, `?? "? x" untracked`, `?? "bl ank" untracked`,
			`?? "new\nline" untracked`, `?? "quo\"te" untracked`, `?? "tab\t" untracked`, `?? "ünï" untracked`, `?? "\xff\xfe" untracked`}},
		{"a repository inside", func(w work) {
			w.write("inner/x", "")
			work{w.t, w.path("inner")}.git("init", "-q")
		}, []string{`?? "inner/" untracked`}},
		{"submodule with dirty content", func(w work) { w.submodule("sub").write("inside", "1") }, nil},
		{"submodule at another commit", func(w work) {
			sub := w.submodule("sub")
			sub.write("more", "")
			sub.commit()
		}, []string{`.M "sub" submodule`}},
		{"ignored", func(w work) {
			w.write(".gitignore", "*.log\n")
			w.write("x.log", "")
		}, []string{`?? ".gitignore" untracked`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := committed(t)
			tc.turn(w)
			st, err := w.repo().Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range st.Entries {
				got = append(got, e.show())
			}
			equalLines(t, got, tc.want)
			if st.Bounded || st.Head != w.git("rev-parse", "HEAD") || st.Branch != "main" {
				t.Errorf("got bounded %v, head %q, branch %q", st.Bounded, st.Head, st.Branch)
			}
		})
	}
}

func TestStatusHead(t *testing.T) {
	w := newWork(t)
	w.write("x", "")
	check := func(head, branch string) {
		t.Helper()
		st, err := w.repo().Status(t.Context())
		if err != nil || st.Head != head || st.Branch != branch {
			t.Errorf("got head %q, branch %q, %v, want %q, %q", st.Head, st.Branch, err, head, branch)
		}
	}
	check("", "main")
	w.commit()
	check(w.git("rev-parse", "HEAD"), "main")
	w.git("checkout", "-q", "--detach")
	check(w.git("rev-parse", "HEAD"), "")
}

func TestStatusFromASubfolder(t *testing.T) {
	w := committed(t)
	w.write("a", "1")
	st, err := Repo{Dir: w.path("dir")}.Status(t.Context())
	if err != nil || len(st.Entries) != 1 || st.Entries[0].Path != "a" {
		t.Errorf("got %+v, %v, want the one entry a", st.Entries, err)
	}
}

func TestBounded(t *testing.T) {
	w := committed(t)
	for i := range 30 {
		w.write(fmt.Sprintf("many/%d", i), "")
		w.write(fmt.Sprintf("some%d/x", i%12), "")
	}
	w.write("a", "1")
	for _, tc := range []struct {
		name    string
		repo    Repo
		entries int
		reason  string
	}{
		{"below the bound", Repo{MaxUntracked: 42}, 43, ""},
		{"above it", Repo{MaxUntracked: 41}, 14, "more than 41 untracked files"},
		{"folders above it too", Repo{MaxUntracked: 5}, 6, "13 untracked files and folders; the first 5 are shown"},
		{"folders asked for", Repo{Folders: true}, 14, "as asked"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.repo.Dir = w.dir
			st, err := tc.repo.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(st.Entries) != tc.entries || st.Bounded != (tc.reason != "") || !strings.Contains(st.Reason, tc.reason) {
				t.Errorf("got %d entries, bounded %v: %q, want %d, %q", len(st.Entries), st.Bounded, st.Reason, tc.entries, tc.reason)
			}
			if st.Entries[0].Path != "a" {
				t.Errorf("got %q first, want the tracked file kept", st.Entries[0].Path)
			}
		})
	}
}

func TestSlowUntrackedFiles(t *testing.T) {
	w := committed(t)
	w.write("many/x", "")
	fakeGit(t, `case "$*" in *-uall*) exec sleep 60;; esac`)
	r := w.repo()
	r.Patience = 50 * time.Millisecond
	st, err := r.Status(t.Context())
	if err != nil || !st.Bounded || !strings.Contains(st.Reason, "50ms") || len(st.Entries) != 1 || st.Entries[0].Path != "many/" {
		t.Errorf("got %+v, %v, want the folder many/ and why", st, err)
	}
	fakeGit(t, `exec sleep 60`)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := w.repo().Status(ctx); !errors.Is(err, ErrTimeout) {
		t.Errorf("got %v, want %v", err, ErrTimeout)
	}
}
