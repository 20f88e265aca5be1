package marks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton"
)

// TestBoundsOfWhatIsNamed: patterns and folders without end do not keep what is dirty from being marked.
func TestBoundsOfWhatIsNamed(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct{ before, line string }{
		"many folders": {"mkdir -p p/{1..60}/n && for i in p/*/n; do touch $i/{1..60}; done; echo p > .gitignore", "git checkout -- . && rm -rf p/*/n"},
		"links":        {"mkdir l && for i in {0..9}; do ln -s . l/l$i; done; echo l > .gitignore", "git checkout -- . && rm -f l/*/*/*/*/*/x*"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRepository(t)
			w.write("mine", "one\n")
			w.bash(w.tree, "git add mine && git commit -qm mine && echo two > mine && "+x.before)
			s := w.opens()
			s.runs(x.line)
			s.stop()
			w.undone(piton.UndoRequest{Paths: []string{w.path("mine")}})
			if got := w.read("mine"); got != "two\n" {
				t.Errorf("got %q back; the log: %s", got, w.log())
			}
		})
	}
}

// TestHome: what a line names below ~ and $HOME is marked in the tree that it lies in.
func TestHome(t *testing.T) {
	for _, line := range []string{"cd ~/other && git checkout -- .", "git -C ~/other checkout -- .", "rm ~/other/mine", "rm $HOME/other/mine"} {
		w := newRepository(t)
		t.Setenv("HOME", w.home)
		other := filepath.Join(w.home, "other")
		w.bash(w.home, "git init -q other && cd other && echo one > mine && git add . && git -c user.name=A -c user.email=a@b.example commit -qm x && echo two > mine")
		s := w.opens()
		s.runs(line)
		told := s.stop()
		if !strings.Contains(told, "mine") || !strings.Contains(told, other) {
			t.Errorf("%s: told %q", line, told)
		}
		w.tree = other
		w.undone(piton.UndoRequest{})
		if got := w.read("mine"); got != "two\n" {
			t.Errorf("%s: got %q back; the log: %s", line, got, w.log())
		}
	}
}

// TestAMovedTree: nothing is written through a link that has come in place of the tree since it was looked at.
func TestAMovedTree(t *testing.T) {
	w := newRepository(t)
	w.write("d/mine", "mine\n")
	s := w.opens()
	s.runs("rm -rf d")
	s.stop()
	p, closed := w.person()
	defer closed()
	x, err := p.PreviewUndo(t.Context(), piton.UndoRequest{})
	w.ok(err)
	outside := t.TempDir()
	w.ok(os.Rename(w.tree, w.tree+".moved"))
	w.ok(os.Symlink(outside, w.tree))
	if done, err := p.Undo(t.Context(), x); err == nil && done.Returns > 0 {
		t.Errorf("got %+v, want nothing written", done.Files)
	}
	if got := w.filesIn(outside); len(got) > 0 {
		t.Errorf("got %v outside of the tree", got)
	}
}

// TestBehindLinks: nothing outside of a tree is kept, where a folder of it has become a link.
func TestBehindLinks(t *testing.T) {
	w := newRepository(t)
	outside := t.TempDir()
	w.ok(os.WriteFile(filepath.Join(outside, "key"), []byte("theirs\n"), 0o600))
	w.write("dir/key", "one\n")
	w.bash(w.tree, "git add . && git commit -qm x && rm -rf dir && ln -s "+outside+" dir")
	s := w.opens()
	s.runs("rm -rf dir && mkdir dir")
	s.stop()
	if _, err := w.undo(piton.UndoRequest{}); err == nil && w.read("dir/key") == "theirs\n" {
		t.Error("a file from outside is in the tree")
	}
}
