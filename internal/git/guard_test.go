package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestStrangersPrograms shows that plain git runs a program the repository names, and that we do not.
func TestStrangersPrograms(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntouch "+mark+"\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	filtered := func(w work) {
		w.write(".gitattributes", "a filter=x\n")
		at(w, "a", time.Unix(1e9, 0))
	}
	for _, tc := range []struct {
		name string
		set  func(work)
	}{
		{"fsmonitor", func(w work) { w.git("config", "core.fsmonitor", script) }},
		{"filter", func(w work) {
			w.git("config", "filter.x.clean", script)
			filtered(w)
		}},
		{"filter that must succeed", func(w work) {
			w.git("config", "filter.x.clean", script)
			w.git("config", "filter.x.required", "true")
			filtered(w)
		}},
		{"filter process", func(w work) {
			w.git("config", "filter.x.process", script)
			filtered(w)
		}},
		{"filter with an odd name", func(w work) {
			w.write(".gitattributes", "a filter=x=.y\n")
			w.git("config", "--file", w.path(".git/config"), "filter.x=.y.clean", script)
			at(w, "a", time.Unix(1e9, 0))
		}},
		{"filter in an included file", func(w work) {
			w.write(".git/more", "[filter \"x\"]\nclean = "+script+"\n")
			w.git("config", "include.path", "more")
			filtered(w)
		}},
		{"filter of this worktree", func(w work) {
			w.git("config", "extensions.worktreeConfig", "true")
			w.git("config", "--worktree", "filter.x.clean", script)
			filtered(w)
		}},
		{"filter of a submodule", func(w work) {
			sub := w.submodule("sub")
			sub.git("config", "filter.x.clean", script)
			sub.write(".gitattributes", "inside filter=x\n")
			at(sub, "inside", time.Unix(1e9, 0))
		}},
		{"filter of a submodule that another one hides", func(w work) {
			sub := work{t, w.path("sub")}
			sub.write("inside", "")
			sub.git("init", "-q")
			sub.commit()
			w.write(".gitmodules", "[submodule \"a\"]\n\tpath = other\n\turl = ./o\n")
			w.git("add", "sub", ".gitmodules")
			sub.git("config", "filter.x.clean", script)
			sub.write(".gitattributes", "inside filter=x\n")
			at(sub, "inside", time.Unix(1e9, 0))
		}},
		{"filter of a repository taken in", func(w work) {
			sub := work{t, w.path("sub")}
			sub.write("inside", "")
			sub.git("init", "-q")
			sub.commit()
			w.git("add", "sub")
			sub.git("config", "filter.x.clean", script)
			sub.write(".gitattributes", "inside filter=x\n")
			at(sub, "inside", time.Unix(1e9, 0))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := committed(t)
			tc.set(w)
			_ = os.Remove(mark)
			b, err := w.repo().Baseline(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := compare(t.Context(), w.repo(), &b); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("got the program run, want it left alone")
			}
			plain := exec.Command("git", "--no-optional-locks", "status")
			plain.Dir = w.dir
			_ = plain.Run()
			if _, err := os.Stat(mark); err != nil {
				t.Error("git itself does not run it: this case shows nothing")
			}
		})
	}
}

// The user's own filters work, also where the repository names them again.
func TestUsersFilters(t *testing.T) {
	w := committed(t)
	global := w.path("../global")
	w.write("../global", "[filter \"x\"]\nclean = sed s/^w/a/\nrequired\n")
	t.Setenv("GIT_CONFIG_GLOBAL", global)
	w.write(".gitattributes", "a filter=x\n")
	w.commit()
	w.write("a", "w"+lines("a")[1:])
	w.git("config", "filter.x.clean", "false")
	st, err := w.repo().Status(t.Context())
	if err != nil || len(st.Entries) != 0 {
		t.Errorf("got %+v, %v, want the file as in HEAD by the user's filter", st.Entries, err)
	}
}
