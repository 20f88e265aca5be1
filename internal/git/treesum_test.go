package git

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestTreeSum(t *testing.T) {
	large := strings.Repeat("x", hashedSize)
	for _, tc := range []struct {
		name         string
		before, then func(work)
		same         bool
	}{
		{"nothing happens", func(w work) { w.write("a", "1") }, func(work) {}, true},
		{"written again as it was", func(w work) { w.write("a", "1") }, func(w work) { w.remove("a"); w.write("a", "1") }, true},
		{"a dirty file is written", func(w work) { w.write("a", "1") }, func(w work) { w.write("a", "2") }, false},
		{"a file is made", func(work) {}, func(w work) { w.write("new", "1") }, false},
		{"a file is removed", func(work) {}, func(w work) { w.remove("a") }, false},
		{"an ignored file is made", func(w work) { w.write(".gitignore", "out\n") }, func(w work) { w.write("out", "1") }, true},
		{"a commit", func(w work) { w.write("a", "1") }, func(w work) { w.commit() }, false},
		{"the mode", func(w work) { w.write("a", "1") }, func(w work) { w.mode("a", 0o755) }, false},
		{"a large file gets another time", func(w work) { w.write("a", large) }, func(w work) { w.age("a") }, false},
		{"no commit yet", func(w work) { w.git("update-ref", "-d", "HEAD") }, func(w work) { w.write("a", "2") }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := committed(t)
			tc.before(w)
			first, second := treeSum(w), ""
			tc.then(w)
			second = treeSum(w)
			if first == "" || (first == second) != tc.same {
				t.Errorf("got %q, then %q, want the same: %v", first, second, tc.same)
			}
		})
	}
	for _, tc := range []struct {
		name string
		turn func(work)
	}{
		{"a repository inside", func(w work) { w.git("init", "-q", "inner"); w.write("inner/x", "1") }},
		{"submodules", func(w work) { w.write(".gitmodules", "") }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := committed(t)
			tc.turn(w)
			if got := treeSum(w); got != "" {
				t.Errorf("got %q, want none", got)
			}
		})
	}
	t.Run("no repository", func(t *testing.T) {
		if got, err := (Repo{Dir: t.TempDir()}).TreeSum(t.Context()); err == nil {
			t.Errorf("got %q, want an error", got)
		}
	})
}

func treeSum(w work) string {
	w.t.Helper()
	s, err := w.repo().TreeSum(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w work) mode(name string, m os.FileMode) {
	w.t.Helper()
	if err := os.Chmod(w.dir+"/"+name, m); err != nil {
		w.t.Fatal(err)
	}
}

func (w work) age(name string) {
	w.t.Helper()
	if err := os.Chtimes(w.dir+"/"+name, time.Time{}, time.Unix(1_000_000_000, 0)); err != nil {
		w.t.Fatal(err)
	}
}
