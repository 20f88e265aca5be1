package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

// fakeGit puts a git before the real one in PATH, which runs script and then the real one.
func fakeGit(t *testing.T, script string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	text := "#!/bin/sh\n" + script + "\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestErrors(t *testing.T) {
	for _, tc := range []struct {
		name string
		dir  func(*testing.T) string
		want error
	}{
		{"outside", func(t *testing.T) string { return t.TempDir() }, ErrNoRepo},
		{"no such folder", func(t *testing.T) string { return filepath.Join(t.TempDir(), "x") }, ErrNoRepo},
		{"bare", func(t *testing.T) string { return newWork(t, "--bare").dir }, ErrBare},
		{"inside .git", func(t *testing.T) string { return newWork(t).path(".git") }, ErrBare},
		{"called bare", func(t *testing.T) string {
			w := newWork(t)
			w.git("config", "core.bare", "true")
			return w.dir
		}, ErrBare},
		{".git points nowhere", func(t *testing.T) string {
			w := committed(t)
			w.write("dir/.git", "gitdir: /nowhere\n")
			return w.path("dir")
		}, ErrNoRepo},
		{"git missing", func(t *testing.T) string {
			w := committed(t)
			t.Setenv("PATH", t.TempDir())
			return w.dir
		}, ErrNoGit},
		{"another's", func(t *testing.T) string {
			w := committed(t)
			if err := os.Chown(w.dir, 12345, -1); err != nil {
				need.Missing(t, "only root can give folders away")
			}
			return w.dir
		}, ErrOwner},
		{"another's, in words of git 2.35", func(t *testing.T) string {
			w := committed(t)
			fakeGit(t, `echo "fatal: unsafe repository ('/x' is owned by someone else)" >&2; exit 128`)
			return w.dir
		}, ErrOwner},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := Repo{Dir: tc.dir(t)}
			if _, err := r.Status(t.Context()); !errors.Is(err, tc.want) {
				t.Errorf("status: got %v, want %v", err, tc.want)
			}
			if _, err := r.Baseline(t.Context()); !errors.Is(err, tc.want) {
				t.Errorf("baseline: got %v, want %v", err, tc.want)
			}
			if _, err := compare(t.Context(), r, nil); !errors.Is(err, tc.want) {
				t.Errorf("changed: got %v, want %v", err, tc.want)
			}
			if tc.name == "called bare" { // what needs no work tree works
				return
			}
			if _, err := r.Left(t.Context(), time.Now(), "", ""); !errors.Is(err, tc.want) {
				t.Errorf("left: got %v, want %v", err, tc.want)
			}
			if id, err := r.HeadAt(t.Context(), time.Now()); !errors.Is(err, tc.want) || id != "" {
				t.Errorf("head at a time: got %q, %v, want %v", id, err, tc.want)
			}
			if was, err := r.Before(t.Context(), "", []string{"x"}); !errors.Is(err, tc.want) && tc.want != ErrOwner || len(was) > 0 && was["x"] != nil {
				t.Errorf("before: got %v, %v, want %v", was, err, tc.want)
			}
		})
	}
}

func TestOtherErrors(t *testing.T) {
	w := committed(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.repo().Status(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v, want %v", err, context.Canceled)
	}
	if was, err := w.repo().Before(gone, "", []string{"x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, before: got %v, %v, want %v", was, err, context.Canceled)
	}
	if files, err := w.repo().Left(t.Context(), time.Time{}, "", ""); err != nil || files != nil {
		t.Errorf("left, since no time: got %v, %v", files, err)
	}
	head := strings.TrimSpace(w.git("rev-parse", "HEAD"))
	for at, want := range map[time.Time]string{time.Now().Add(time.Hour): head, time.Unix(1e9, 0): ""} {
		if id, err := w.repo().HeadAt(t.Context(), at); err != nil || id != want {
			t.Errorf("head at %v: got %q, %v, want %q", at, id, err, want)
		}
	}
	path := os.Getenv("PATH")
	t.Setenv("PATH", t.TempDir())
	if _, err := w.repo().HeadAt(t.Context(), time.Now()); err == nil || !strings.HasPrefix(err.Error(), "git rev-list: ") {
		t.Errorf("no git: got %v, want what it was asked", err)
	}
	t.Setenv("PATH", path)
	w.write(".git/index", "no index")
	if _, err := w.repo().Status(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "git status: ") || !strings.Contains(err.Error(), "index") {
		t.Errorf("broken index: got %v, want git's own words", err)
	}
}

// A hook of git's runs us with its repository in the environment; it is not the one we are asked about.
func TestEnvironment(t *testing.T) {
	w := committed(t)
	other := t.TempDir()
	for _, name := range []string{"GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"} {
		t.Setenv(name, filepath.Join(other, "x"))
	}
	t.Setenv("GIT_TRACE", filepath.Join(other, "trace"))
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.excludesFile")
	t.Setenv("GIT_CONFIG_VALUE_0", filepath.Join(other, "ignore"))
	if err := os.WriteFile(filepath.Join(other, "ignore"), []byte("ignored\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.write("ignored", "")
	w.write("x", "")
	st, err := w.repo().Status(t.Context())
	if err != nil || len(st.Entries) != 1 || st.Entries[0].Path != "x" {
		t.Errorf("got %+v, %v, want x alone", st.Entries, err)
	}
	if _, err := os.Stat(filepath.Join(other, "trace")); err == nil {
		t.Error("got a trace written, want none")
	}
}
