package marks_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
)

// listed is the newest command of the list of undos.
func (w *world) listed() marks.UndoEntry {
	w.Helper()
	list, err := w.asks().Undos(w.Context(), piton.UndosRequest{})
	if err != nil || len(list.Undos) == 0 {
		w.Fatalf("got %+v, %v, want an undo", list, err)
	}
	return list.Undos[0]
}

// TestListed: the list says of a command what has become of each file, and no more than is known.
func TestListed(t *testing.T) {
	type counts struct{ removed, reverted, emptied, overwritten, moved, notKept, canReturn int }
	for _, x := range []struct {
		name, prepare, line string
		want                counts
		told                bool // the person is told at the stop
	}{
		{"moved to another folder", "", "mkdir -p d && mv new d/new2", counts{moved: 1, canReturn: 1}, false},
		{"moved, and lost there", "", "mkdir -p d && mv new d/new2 && rm d/new2", counts{removed: 1, canReturn: 1}, true},
		{"removed where a copy was before", "cp new copy", "rm new", counts{removed: 1, canReturn: 1}, true},
		{"too large, and written over at its own size", "", "head -c 2000000 /dev/zero > large; touch -d 2001-01-01 large", counts{overwritten: 1, notKept: 1}, false},
		{"too large, and only read", "", "cat large new > /dev/null; rm new", counts{removed: 1, canReturn: 1}, true},
		{"too large, and removed", "", "rm large", counts{removed: 1, notKept: 1}, true},
		{"back to HEAD, with other ends of lines", "", "git checkout -q crlf.txt", counts{reverted: 1, canReturn: 1}, true},
		{"back to HEAD, as git converts it", "", "git checkout -q ident.id", counts{reverted: 1, canReturn: 1}, true},
		{"back to another commit", "git commit -q --allow-empty -m y", "git reset -q --hard HEAD~1", counts{reverted: 2, canReturn: 2}, true},
		{"committed", "", "echo agent > crlf.txt && git commit -qam y", counts{overwritten: 1}, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := newRepository(t)
			w.write(filepath.Join(w.home, ".config", "piton", "config.yaml"), "debrief:\n  mode: off\nrestore:\n  max_file_mb: 1\n")
			w.write(".gitattributes", "*.txt text eol=crlf\n*.id ident\n")
			w.write("crlf.txt", "first\r\n")
			w.write("ident.id", "$Id$\nfirst\n")
			w.bash(w.tree, "git add -A && git commit -qm x && git rm -q --cached -r . && git reset -q --hard")
			w.write("crlf.txt", "mine\r\n")
			w.write("ident.id", "mine\n")
			w.write("new", "mine, new\n")
			w.write("large", large[:2_000_000])
			w.bash(w.tree, x.prepare)
			s := w.opens()
			s.runs(x.line)
			if told := s.stop(); (told != "") != x.told {
				t.Errorf("the person is told %q", told)
			}
			e := w.listed()
			if got := (counts{e.Removed, e.Reverted, e.Emptied, e.Overwritten, e.Moved, e.NotKept, e.CanReturn}); got != x.want {
				t.Errorf("got %+v, want %+v", got, x.want)
			}
			if e, n := w.asks().Lost(t.Context()); n > 0 != (x.want.removed+x.want.reverted > 0 && x.want.canReturn > 0) {
				t.Errorf("got %d of %s as lost", n, e.Says())
			}
		})
	}
}

// TestADamagedCopyIsNotPromised: list, preview and undo say the same of a file whose copy is damaged.
func TestADamagedCopyIsNotPromised(t *testing.T) {
	w := newRepository(t)
	w.write("a", "mine\n")
	w.write("damaged", "mine too\n")
	s := w.opens()
	s.runs("rm a damaged")
	s.stop()
	f, _ := w.marksOf(keep.Query{Kind: mark.AtCommand})[0].Find("damaged")
	db, err := sqlite3.Open("file:" + filepath.Join(w.state(), keep.File))
	w.ok(err)
	w.ok(db.Exec("update blob set data=x'0041' where sum='" + f.Sum + "'"))
	w.ok(db.Close())
	if e := w.listed(); e.Removed != 2 || e.CanReturn != 1 || e.NotKept != 1 || len(e.Lacks) != 1 {
		t.Errorf("listed is %+v, want one of two", e)
	}
	p := w.asks()
	copies, err := p.PreviewRestore(t.Context(), piton.RestoreRequest{From: w.listed().ID, To: filepath.Join(w.home, "out")})
	w.ok(err)
	done, err := p.RestoreFiles(t.Context(), copies)
	if err != nil || copies.Returns != 1 || !slices.Equal(copies.Files, done.Files) {
		t.Errorf("shown was %+v, and done %+v, %v", copies.Files, done.Files, err)
	}
	if x := w.undone(piton.UndoRequest{}); x.Returns != 1 || x.Left != 1 { // which looks that the preview has said the same
		t.Errorf("got %+v, want one of two", x.Files)
	}
	if files, err := p.VerifyMarks(t.Context()); err != nil || len(files) == 0 {
		t.Errorf("got %q, %v, want the damaged copy named", files, err)
	}
}

// TestFolderModes: a folder that comes back permits no more than it did, nor does one above it.
func TestFolderModes(t *testing.T) {
	w := newRepository(t)
	w.write("private/open/deep", "mine\n")
	w.write("open/own/deep", "mine\n")
	w.write("open/file", "mine\n")
	for name, mode := range map[string]os.FileMode{"private": 0o700, "private/open": 0o755, "open/own": 0o711} {
		w.ok(os.Chmod(w.path(name), mode))
	}
	s := w.opens()
	s.runs("rm -rf private open")
	s.stop()
	w.undone(piton.UndoRequest{})
	for name, want := range map[string]os.FileMode{"private": 0o700, "private/open": 0o700, "open": 0o755, "open/own": 0o711} {
		if info, err := os.Stat(w.path(name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s is %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
}

// TestAskedThroughALink: a file is found by a path through a symbolic link, also where its folder is gone.
func TestAskedThroughALink(t *testing.T) {
	w := newRepository(t)
	w.write("d/e/f", "mine\n")
	link := filepath.Join(w.home, "link")
	w.ok(os.Symlink(w.tree, link))
	s := w.opens()
	s.runs("rm -rf d")
	s.stop()
	w.undone(piton.UndoRequest{Paths: []string{filepath.Join(link, "d", "e", "f")}})
	if w.read("d/e/f") != "mine\n" {
		t.Error("it is not back")
	}
}

// TestAnotherBranch: a file that a switch of branches brought is left, for a reason that is true.
func TestAnotherBranch(t *testing.T) {
	w := newRepository(t)
	w.write("a", "first\n")
	w.bash(w.tree, "git add a && git commit -qm x")
	w.write("a", "mine\n")
	s := w.opens()
	s.runs("git checkout -q -- a")
	s.stop()
	time.Sleep(time.Second) // git's clock has seconds
	w.bash(w.tree, "git worktree add -q -b other ../other && cd ../other && echo theirs > a && git commit -qam y && cd - && git worktree remove --force ../other && git switch -q other")
	shown, err := w.asks().PreviewUndo(t.Context(), piton.UndoRequest{Command: "1"})
	if err != nil || len(shown.Files) != 1 || !strings.Contains(shown.Files[0].Reason, "a commit, or another branch") {
		t.Errorf("got %+v, %v", shown.Files, err)
	}
}
