package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/testkit/need"
)

// work is a real repository in a temporary folder.
type work struct {
	t   testing.TB
	dir string
}

// newWork makes a repository without a commit, deaf to the machine's own configuration.
func newWork(t testing.TB, args ...string) work {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		need.Missing(t, "no git here")
	}
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "c", "GIT_COMMITTER_EMAIL": "c@example.com",
	} {
		t.Setenv(name, value)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := work{t, filepath.Join(dir, "work")}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return w
}

// committed makes one with files a, b and dir/c committed.
func committed(t testing.TB) work {
	t.Helper()
	w := newWork(t)
	w.write("a", lines("a"))
	w.write("b", lines("b"))
	w.write("dir/c", lines("c"))
	w.commit()
	return w
}

// lines is content long enough for git to see a rename.
func lines(word string) string { return strings.Repeat(word+" line\n", 20) }

func (w work) repo() Repo { return Repo{Dir: w.dir} }

func (w work) git(args ...string) string { return w.gitWith(nil, args...) }

func (w work) gitWith(env []string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir, cmd.Env = w.dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

// conflict runs what is to fail.
func (w work) conflict(args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	if out, err := cmd.CombinedOutput(); err == nil {
		w.t.Fatalf("git %q: got no conflict:\n%s", args, out)
	}
}

func (w work) commit() {
	w.t.Helper()
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "work")
}

func (w work) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w work) write(name, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w work) remove(name string) {
	w.t.Helper()
	if err := os.RemoveAll(w.path(name)); err != nil {
		w.t.Fatal(err)
	}
}

// submodule adds another repository at sub.
func (w work) submodule(sub string) work {
	w.t.Helper()
	other := work{w.t, w.t.TempDir()}
	other.git("init", "-q", "-b", "main")
	other.write("inside", lines("inside"))
	other.commit()
	w.git("submodule", "--quiet", "add", other.dir, sub)
	w.commit()
	return work{w.t, w.path(sub)}
}

func equalLines(t *testing.T, got, want []string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got:\n%s\nwant:\n%s", g, w)
	}
}
