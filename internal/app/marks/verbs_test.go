package marks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
)

// asks gives the verbs of marks for a test.
func (w *world) asks() marks.Marks {
	p, closed := w.person()
	w.Cleanup(closed)
	return p
}

// comesBack restores from a mark, by what it is called.
func (w *world) comesBack(from string) marks.Restoration {
	w.Helper()
	p := w.asks()
	shown, err := p.PreviewRestore(w.Context(), piton.RestoreRequest{From: from})
	w.ok(err)
	done, err := p.RestoreFiles(w.Context(), shown)
	w.ok(err)
	return done
}

// TestAMarkOfAPerson: what somebody marked can be had back, by its name and its id, however it was lost.
func TestAMarkOfAPerson(t *testing.T) {
	w := newRepository(t)
	for _, name := range []string{"modified", "staged", "d/deep"} {
		w.write(name, "first\n")
	}
	w.bash(w.tree, "git add -A && git commit -qm x")
	for _, name := range append([]string{"modified", "staged", "d/deep", "untracked", "e/f/g"}, odd...) {
		w.write(name, "mine\n")
	}
	w.bash(w.tree, "git add staged; ln -s mine link; chmod +x d/deep")
	before, p := w.files(), w.asks()
	m, err := p.MarkFiles(t.Context(), piton.MarkRequest{Name: " before "})
	w.ok(err)
	if m.Name != "before" || m.Kind != mark.AtRequest || len(m.Lacks) > 0 || m.Partial != "" {
		t.Errorf("got %+v", m)
	}
	if _, err := p.MarkFiles(t.Context(), piton.MarkRequest{Name: "before"}); piton.CodeOf(err) != piton.Conflict {
		t.Errorf("the same name again: got %v, want a conflict", err)
	}
	for _, ref := range []string{"before", m.ID, m.ID[:10]} {
		w.bash(w.tree, "git reset -q --hard; git clean -fdq")
		if w.comesBack(ref); len(differences(before, w.files())) > 0 {
			t.Errorf("%s: %q", ref, differences(before, w.files()))
		}
	}
	w.write("modified", "later\n")
	w.ok(os.Remove(w.path("untracked")))
	d, err := p.CompareFiles(t.Context(), piton.FilesRequest{From: "before"})
	w.ok(err)
	if got := fmt.Sprint(d.Files); got != "[{modified overwritten 5 6} {untracked removed 5 0}]" {
		t.Errorf("got %s", got)
	}
	if x := w.comesBack("before"); x.Returns != 1 || x.Left != 1 || w.read("modified") != "later\n" {
		t.Errorf("got %+v, want that what holds something else is left", x)
	}
	shown, err := p.PreviewRestore(t.Context(), piton.RestoreRequest{From: "before", Paths: []string{"modified"}, TheirsToo: true})
	w.ok(err)
	if _, err := p.RestoreFiles(t.Context(), shown); err != nil || w.read("modified") != "mine\n" {
		t.Errorf("theirs too: got %v, %q", err, w.read("modified"))
	}
	w.write("another", "new\n")
	second, err := p.MarkFiles(t.Context(), piton.MarkRequest{})
	w.ok(err)
	if d, err = p.CompareFiles(t.Context(), piton.FilesRequest{From: "before", To: second.ID}); err != nil || fmt.Sprint(d.Files) != "[{another changed 0 4}]" {
		t.Errorf("got %v, %v", d.Files, err)
	}
	f, err := p.ForgetMark(t.Context(), piton.MarkRequest{Name: "before"})
	if err != nil || f.ID != m.ID || f.Name != "" {
		t.Errorf("got %+v, %v", f, err)
	}
	for _, name := range []string{"before", ""} {
		if _, err := p.ForgetMark(t.Context(), piton.MarkRequest{Name: name}); err == nil {
			t.Errorf("%q was forgotten", name)
		}
	}
	if _, err := p.PreviewRestore(t.Context(), piton.RestoreRequest{From: "before"}); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("got %v, want that the name is nobody's any more", err)
	}
}

// TestMarksOfCheckpoints: a mark is found by the checkpoint that was saved with it, at a stop and before a risky command.
func TestMarksOfCheckpoints(t *testing.T) {
	w := newRepository(t)
	w.write("a", "first\n")
	w.bash(w.tree, "git add a && git commit -qm x")
	w.write("a", "mine\n")
	w.write("new", "mine\n")
	before, s := w.files(), w.opens()
	s.runs("git checkout -q -- . && git clean -fdq")
	risky := w.marksOf(keep.Query{Kind: mark.AtCommand})[0].Checkpoint
	s.bash(s.tree, "echo mine > a; echo mine > new")
	s.stop()
	end := w.marksOf(keep.Query{Kind: mark.AtStop})[0].Checkpoint
	for name, chk := range map[string]string{"before the command": risky, "at the stop": end} {
		if chk == "" {
			t.Errorf("%s: no checkpoint was joined with the mark", name)
			continue
		}
		w.bash(w.tree, "git checkout -q -- . && git clean -fdq")
		for _, ref := range []string{chk, chk[:10]} {
			if w.comesBack(ref); len(differences(before, w.files())) > 0 {
				t.Errorf("%s, %s: %q", name, ref, differences(before, w.files()))
			}
		}
	}
	if _, err := w.asks().PreviewRestore(t.Context(), piton.RestoreRequest{From: "chk_0000000000000000"}); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("got %v, want not found", err)
	}
}

// TestAnInterruptedUndo is found, stands in the way of another, and is ended by a person, forwards or backwards.
func TestAnInterruptedUndo(t *testing.T) {
	for _, back := range []bool{false, true} {
		w := newRepository(t)
		w.write("a", "mine\n")
		w.write("d/b", "mine\n")
		before, s := w.files(), w.opens()
		s.runs("rm -rf a d")
		s.stop()
		gone, p := w.files(), w.asks()
		if _, err := p.SettleUndo(t.Context(), "", back); piton.CodeOf(err) != piton.NotFound {
			t.Errorf("got %v where nothing was interrupted, want not found", err)
		}
		done := w.undone(piton.UndoRequest{})
		w.ok(os.Remove(w.path("d/b"))) // as if it had been killed before this one
		k, err := keep.Open(w.state(), time.Second, true)
		w.ok(err)
		journal := w.marksOf(keep.Query{ID: done.Undo})[0]
		journal.LookedAt = time.Time{}
		w.ok(k.Look(journal))
		w.ok(k.Close())
		list, err := p.Undos(t.Context(), piton.UndosRequest{})
		if err != nil || list.Interrupted == nil || list.Interrupted.ID != done.Undo {
			t.Errorf("got %+v, %v, want it named", list.Interrupted, err)
		}
		if _, err := w.undo(piton.UndoRequest{}); piton.CodeOf(err) != piton.Conflict {
			t.Errorf("got %v of another undo, want a conflict", err)
		}
		x, err := p.SettleUndo(t.Context(), "", back)
		w.ok(err)
		want := map[bool]map[string]file{false: before, true: gone}[back]
		if diff := differences(want, w.files()); len(diff) > 0 || x.Returns != 1 {
			t.Errorf("back %t: %q, %+v", back, diff, x.Files)
		}
		if _, err := p.SettleUndo(t.Context(), "", back); piton.CodeOf(err) != piton.NotFound {
			t.Errorf("got %v again, want not found", err)
		}
		w.undone(piton.UndoRequest{}) // forwards it is undone, backwards it is done
		if diff := differences(map[bool]map[string]file{false: gone, true: before}[back], w.files()); len(diff) > 0 {
			t.Errorf("back %t, and undone: %q", back, diff)
		}
	}
}

// TestWhoChangedWhat: each command with what it changed, and what was lost last.
func TestWhoChangedWhat(t *testing.T) {
	w := newRepository(t)
	w.write("a", "first\n")
	w.write("clean", "first\n")
	w.bash(w.tree, "git add -A && git commit -qm x")
	w.write("a", "mine\n")
	w.write("new", "mine\n")
	s, p := w.opens(), w.asks()
	s.runs("sh -c 'echo made > made; echo changed > clean'")
	s.runs("git checkout -q -- a")
	s.runs("ls")
	s.runs("rm new made")
	s.stop()
	for _, session := range []string{"", w.marksOf(keep.Query{Kind: mark.AtStop})[0].Client} {
		work, err := p.ExplainFiles(t.Context(), piton.ExplainRequest{Session: session})
		w.ok(err)
		var got []string
		for _, c := range work.Commands {
			for _, f := range c.Changed {
				got = append(got, fmt.Sprint(strings.Fields(c.Command)[0], " ", f.Path, " ", f.Lost))
			}
		}
		if want := "rm made removed, rm new removed, git a reverted, sh clean overwritten, sh made made"; strings.Join(got, ", ") != want {
			t.Errorf("of session %q: got %q, want %q", session, got, want)
		}
	}
	if one, err := p.ExplainFiles(t.Context(), piton.ExplainRequest{Limit: 1}); err != nil || len(one.Commands) != 1 {
		t.Errorf("got %+v, %v, want one", one, err)
	}
	e, n := p.Lost(t.Context())
	if n != 1 || e.Says() != "`rm new made`" {
		t.Errorf("got %d of %s, want the person's one file of the last command", n, e.Says())
	}
	w.undone(piton.UndoRequest{})
	w.undone(piton.UndoRequest{})
	if e, n := p.Lost(t.Context()); n != 0 {
		t.Errorf("got %d of %s when all is back, want none", n, e.Says())
	}
}

// TestUpkeep: marks are checked, pruned and cleared of secrets; without any there is nothing to do.
func TestUpkeep(t *testing.T) {
	w := newRepository(t)
	p := w.asks()
	if files, err := p.VerifyMarks(t.Context()); err != nil || len(files) > 0 {
		t.Errorf("without marks: got %q, %v", files, err)
	}
	if n, err := p.DropSecrets(t.Context(), false); err != nil || n != 0 {
		t.Errorf("without marks: got %d, %v", n, err)
	}
	if x, err := p.PruneMarks(t.Context(), history.Keeper{}, false); err != nil || x.Marks != 0 {
		t.Errorf("without marks: got %+v, %v", x, err)
	}
	for _, f := range []func() error{
		func() error { _, err := p.PreviewUndo(t.Context(), piton.UndoRequest{}); return err },
		func() error { _, err := p.SettleUndo(t.Context(), "", false); return err },
		func() error { _, err := p.PreviewRestore(t.Context(), piton.RestoreRequest{From: "x"}); return err },
		func() error { _, err := p.CompareFiles(t.Context(), piton.FilesRequest{From: "x"}); return err },
		func() error { _, err := p.ForgetMark(t.Context(), piton.MarkRequest{Name: "x"}); return err },
	} {
		if err := f(); piton.CodeOf(err) != piton.NotFound {
			t.Errorf("without marks: got %v, want not found", err)
		}
	}
	if c := p.CheckMarks(w.tree); !c.OK || !strings.Contains(c.Detail, "no mark") {
		t.Errorf("without marks: got %+v", c)
	}
	if left, _ := filepath.Glob(filepath.Join(w.state(), "marks.db*")); len(left) > 0 {
		t.Errorf("who looks has made %q", left)
	}
	w.write("plain", "mine\n")
	w.write("secret", "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzzzzzKEYX\n")
	s := w.opens()
	s.runs("rm plain secret")
	s.stop()
	if n, err := p.DropSecrets(t.Context(), false); err != nil || n != 1 {
		t.Errorf("got %d, %v, want one dropped", n, err)
	}
	if files, err := p.VerifyMarks(t.Context()); err != nil || len(files) > 0 {
		t.Errorf("got %q, %v, want that nothing is damaged: what was dropped is noted", files, err)
	}
	x := w.undone(piton.UndoRequest{})
	if w.read("plain") != "mine\n" || w.read("secret") != "" || x.Left != 1 || !strings.Contains(x.Files[1].Reason, mark.LacksDamaged) {
		t.Errorf("got %+v, want back all but the dropped one", x.Files)
	}
	if c := p.CheckMarks(w.tree); !c.OK || !strings.Contains(c.Detail, "on; marks of files: ") {
		t.Errorf("got %+v", c)
	}
	p.Options.Now = func() time.Time { return time.Now().Add(30 * 24 * time.Hour) }
	k, err := p.Keeper(t.Context(), true)
	w.ok(err)
	kept := len(w.marksOf(keep.Query{}))
	for _, dry := range []bool{true, false} {
		x, err := p.PruneMarks(t.Context(), k, dry)
		if err != nil || x.Marks == 0 {
			t.Errorf("got %+v, %v, want some pruned", x, err)
		}
		for _, m := range w.marksOf(keep.Query{Bare: true}) {
			if !dry && m.Checkpoint == "" {
				t.Errorf("%s (%s) is old, has no checkpoint, and stays", m.ID, m.Kind)
			}
		}
		if dry && len(w.marksOf(keep.Query{})) != kept {
			t.Error("a dry run has removed some")
		}
	}
}
