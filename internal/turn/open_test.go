package turn_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// leavesOpen is a turn that is too short to be held, and tests nothing of what it
// edits.
func (w *world) leavesOpen() {
	w.Helper()
	w.asks("mend it")
	mends(w)
	w.want(w.stops(), agent.ReasonShort)
	w.wantNeeds("own_tests_idle main.go")
}

// documents is a turn of a minute that edits a document, and commits all there is
// where it is to.
func (w *world) documents(commits bool) {
	w.Helper()
	w.asks("the docs")
	w.after(time.Minute)
	w.edits("README.md", fmt.Sprintf("more %d\n", w.calls))
	if commits {
		w.git("add", "-A")
		w.git("commit", "-qm", "docs")
		w.runs("git add -A && git commit -qm docs", "2 files changed")
	}
}

// goesOn is a session of its own that takes up a checkpoint's work.
func (w *world) goesOn(prompt string, c piton.Checkpoint) {
	w.Helper()
	w.another()
	w.asks(prompt)
	w.takes(c)
}

// wantNeeds checks what the session leaves open: kind and files of each.
func (w *world) wantNeeds(want ...string) {
	w.Helper()
	var got []string
	for _, n := range w.session().Open {
		got = append(got, n.Kind+" "+strings.Join(n.Files, " "))
	}
	if !slices.Equal(got, want) {
		w.Errorf("got %q open, want %q", got, want)
	}
}

const greenShop = "ok  \tshop\t0.1s"

// What a turn leaves open is asked for at the next longer stop, whatever that turn
// was about, until a check passes.
func TestWhatATurnLeavesOpen(t *testing.T) {
	each(t, []story{
		{"uncommitted", func(w *world) {
			w.leavesOpen()
			w.documents(false)
			w.want(w.stops(), agent.ReasonHeld, "main.go", "run `go test .`")
		}},
		{"committed by the next turn", func(w *world) {
			w.leavesOpen()
			w.documents(true)
			w.want(w.stops(), agent.ReasonHeld, "main.go", "run `go test .`")
		}},
		{"committed before the next turn", func(w *world) {
			w.leavesOpen()
			w.git("commit", "-qam", "mended")
			w.documents(false)
			w.want(w.stops(), agent.ReasonHeld, "main.go", "run `go test .`")
		}},
		{"committed, and only a comment is added since", func(w *world) {
			w.leavesOpen()
			w.git("commit", "-qam", "mended")
			text, err := os.ReadFile(w.path("main.go"))
			if err != nil {
				w.Fatal(err)
			}
			w.asks("say what it is")
			w.after(time.Minute)
			w.edits("main.go", string(text)+"\n// A shop.\n")
			w.want(w.stops(), agent.ReasonHeld, "main.go", "run `go test .`")
		}},
		{"a turn that only looks", func(w *world) {
			w.leavesOpen()
			w.asks("what does it do?")
			w.after(time.Minute)
			w.runs("cat main.go", "package shop")
			w.want(w.stops(), agent.ReasonHeld, "main.go")
		}},
		{"another short turn", func(w *world) {
			w.leavesOpen()
			since := w.session().Open[0].Since
			w.after(time.Hour)
			w.asks("thanks")
			w.want(w.stops(), agent.ReasonShort)
			w.wantNeeds("own_tests_idle main.go")
			if got := w.session().Open[0].Since; got != since {
				w.Errorf("got it open since %v, want %v", got, since)
			}
		}},
		{"closed by a run that covers it", func(w *world) {
			w.leavesOpen()
			w.documents(false)
			w.runs("go test ./...", greenShop)
			w.want(w.stops(), agent.ReasonClear, "all clear")
			w.wantNeeds()
		}},
		{"not closed by a run that nobody saw pass", func(w *world) {
			w.leavesOpen()
			w.documents(false)
			w.runs("go test ./... | grep -c FAIL", "0")
			if got := w.stops(); strings.Contains(got, "clear") {
				w.Errorf("got %q, want nothing called clear", got)
			}
			w.wantNeeds("own_tests_idle main.go")
		}},
		{"a failure, until the same passes", func(w *world) {
			w.asks("mend it")
			mends(w)
			w.fails("go test ./...", "--- FAIL: TestShop (0.00s)\nFAIL\tshop\t0.1s")
			w.want(w.stops(), agent.ReasonShort)
			w.wantNeeds("red main.go")
			w.documents(true)
			w.want(w.stops(), agent.ReasonHeld, "`go test ./...` failed", "fix it")
			w.runs("go test ./...", greenShop)
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonClear)
			w.wantNeeds()
		}},
		{"a failure in a package that was not changed", func(w *world) {
			w.twoPackages()
			w.asks("mend it")
			w.edits("a/x.go", "package a\n\nconst text = `1`\n")
			w.runs("go test ./a", "ok  \tshop/a\t0.1s")
			w.fails("go test ./b", "--- FAIL: TestB (0.00s)\nFAIL\nFAIL\tshop/b\t0.1s\nFAIL")
			w.want(w.stops(), agent.ReasonShort)
			w.wantNeeds("red a/x.go")
			w.documents(true)
			w.want(w.stops(), agent.ReasonHeld, "`go test ./b` failed")
			w.runs("go test ./b", "ok  \tshop/b\t0.1s")
			w.after(time.Minute)
			if got := w.stops(); w.decision().Held {
				w.Errorf("got %q, want it let go", got)
			}
			w.wantNeeds()
		}},
		{"two things with one file: to close the one leaves the other open", func(w *world) {
			w.twoPackages()
			w.asks("mend it")
			w.edits("a/x.go", "package a\n\nconst text = `1`\n")
			w.fails("go test ./b", "--- FAIL: TestB (0.00s)\nFAIL\nFAIL\tshop/b\t0.1s\nFAIL")
			w.want(w.stops(), agent.ReasonShort)
			w.wantNeeds("red a/x.go", "own_tests_idle a/x.go")
			w.documents(true)
			w.want(w.stops(), agent.ReasonHeld, "`go test ./b` failed", "`a/x.go` changed before this turn")
			w.runs("go test ./b", "ok  \tshop/b\t0.1s")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonAsked)
			w.wantNeeds("own_tests_idle a/x.go")
		}},
		{"a failure, and then a pass that chooses another test", func(w *world) {
			w.asks("mend it")
			mends(w)
			w.fails("go test ./...", "--- FAIL: TestF (0.00s)\nFAIL\nFAIL\tshop\t0.1s\nFAIL")
			w.want(w.stops(), agent.ReasonShort)
			w.documents(false)
			w.runs("go test -run TestOther .", greenShop)
			w.want(w.stops(), agent.ReasonHeld, "`go test ./...` failed")
		}},
		{"a failure, and then the file changes again and a chosen test passes", func(w *world) {
			w.asks("mend it")
			mends(w)
			w.fails("go test ./...", "--- FAIL: TestF (0.00s)\nFAIL\nFAIL\tshop\t0.1s\nFAIL")
			w.want(w.stops(), agent.ReasonShort)
			w.asks("and now this")
			w.after(time.Minute)
			mends(w)
			w.runs("go test -run TestOther .", greenShop)
			w.want(w.stops(), agent.ReasonHeld, "`go test ./...` failed")
			w.runs("go test ./...", greenShop)
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonClear)
			w.wantNeeds()
		}},
		{"what the agent was asked for and left is not asked for again, and stays open", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			w.runs("ls", "main.go")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonAsked)
			w.documents(true)
			if got := w.stops(); w.decision().Held || strings.Contains(got, "clear") {
				w.Errorf("got %q, want it let go, and nothing called clear", got)
			}
			w.wantNeeds("own_tests_idle main.go")
			if n := w.session().Open[0]; !n.Asked {
				w.Errorf("got %+v, want it asked for", n)
			}
		}},
		{"the way out closes nothing", func(w *world) {
			changed(w)
			w.want(w.heldAgain(), agent.ReasonHeld)
			if err := os.WriteFile(filepath.Join(w.tmp, "piton_checkpoint_clear_"+w.session().ID), nil, 0o600); err != nil {
				w.Fatal(err)
			}
			w.want(w.stops(), agent.ReasonMarker)
			w.wantNeeds("own_tests_idle main.go")
		}},
		{"a file that is gone needs nothing", func(w *world) {
			w.write("cart/cart.go", "package cart\n")
			w.write("cart/cart_test.go", "package cart\n")
			w.git("add", "-A")
			w.git("commit", "-qm", "second")
			w.asks("mend it")
			w.edits("cart/cart.go", "package cart\n\nconst text = `1`\n")
			w.stops()
			w.wantNeeds("own_tests_idle cart/cart.go")
			if err := os.RemoveAll(w.path("cart")); err != nil {
				w.Fatal(err)
			}
			w.git("commit", "-qam", "third")
			w.documents(false)
			w.stops()
			w.wantNeeds()
		}},
		{"kept while the log cannot be read", func(w *world) {
			w.leavesOpen()
			w.documents(false)
			if err := os.Remove(w.script); err != nil {
				w.Fatal(err)
			}
			w.happens("Stop", map[string]any{"last_assistant_message": "Done."})
			w.wantNeeds("own_tests_idle main.go")
		}},
		{"kept while debriefs are off", func(w *world) {
			w.leavesOpen()
			w.set.Mode = debrief.ModeOff
			w.documents(true)
			w.want(w.stops(), agent.ReasonOff)
			w.wantNeeds("own_tests_idle main.go")
		}},
		{"the state and its description name it", func(w *world) {
			w.leavesOpen()
			open, _ := w.state()["open"].([]any)
			if len(open) != 1 || open[0].(map[string]any)["ask"] != "go test ." {
				w.Errorf("got %v open in the state, want the tests of main.go", open)
			}
			want := "1 file changed: main.go. Open: `main.go` changed, and its tests (`main_test.go`) have not run since"
			if got := w.checkpoints()[0].Description; got != want {
				w.Errorf("got the description %q, want %q", got, want)
			}
			w.fails("go test ./...", "--- FAIL: TestShop (0.00s)\nFAIL\tshop\t0.1s")
			w.asks("and the cart")
			w.write("cart/cart_test.go", "package cart\n")
			w.edits("cart/cart.go", "package cart\n")
			w.stops()
			if got := w.checkpoints()[0].Description; !strings.HasSuffix(got, " and 1 more need") {
				w.Errorf("got the description %q, want both named", got)
			}
		}},
	})
}

// Work that another session takes over is as open there as it was, whatever that one
// does with it.
func TestWhatIsOpenIsTakenOver(t *testing.T) {
	for name, does := range map[string]func(w *world){
		"uncommitted":                     func(w *world) { w.documents(false) },
		"committed":                       func(w *world) { w.documents(true) },
		"committed by somebody else":      func(w *world) { w.git("commit", "-qam", "mended", "--allow-empty"); w.documents(false) },
		"nothing but a look at the tests": func(w *world) { w.after(time.Minute); w.runs("cat main_test.go", "package shop") },
	} {
		each(t, []story{
			{name + ", nothing had run", func(w *world) {
				c := crashed(w)
				w.goesOn("go on with it", c)
				does(w)
				w.want(w.stops(), agent.ReasonHeld, "main.go", "run `go test .`")
				w.runs("go test ./...", greenShop)
				w.after(time.Minute)
				if got := w.stops(); w.decision().Held {
					w.Errorf("got %q, want it let go", got)
				}
				w.wantNeeds()
				w.wantOpen()
			}},
			{name + ", tests had failed", func(w *world) {
				changed(w)
				w.fails("go test ./...", "--- FAIL: TestShop (0.00s)\nFAIL\tshop\t0.1s")
				w.happens("PreCompact", nil)
				w.after(history10)
				c := w.checkpoints()[0]
				w.goesOn("go on with it", c)
				does(w)
				w.want(w.stops(), agent.ReasonHeld, "`go test ./...` failed")
				w.runs("ls", "main.go")
				w.after(time.Minute)
				w.want(w.stops(), agent.ReasonAsked)
				w.wantNeeds("red main.go")
				w.happens("SessionEnd", nil)
				w.wantOpen("mend it")
			}},
			{name + ", after the session's end inside its turn", func(w *world) {
				changed(w)
				w.happens("SessionEnd", nil)
				w.wantNeeds("own_tests_idle main.go")
			}},
			{name + ", after the last save", func(w *world) {
				w.asks("mend it")
				w.after(time.Minute)
				w.edits("NOTES.md", "first\n")
				w.happens("PreCompact", nil)
				w.after(time.Minute)
				mends(w) // killed before anything was saved
				w.after(history10)
				c := w.checkpoints()[0]
				w.goesOn("go on with it", c)
				does(w)
				w.want(w.stops(), agent.ReasonHeld, "main.go", "run `go test .`")
			}},
			{name + ", edited again after the tests passed and the last save", func(w *world) {
				changed(w)
				w.runs("go test ./...", greenShop)
				w.happens("PreCompact", nil)
				w.after(time.Minute)
				mends(w)
				w.after(history10)
				c := w.checkpoints()[0]
				w.goesOn("go on with it", c)
				does(w)
				w.want(w.stops(), agent.ReasonHeld, "main.go", "run `go test .`")
			}},
			{name + ", through a session that was killed too", func(w *world) {
				c := crashed(w)
				w.goesOn("go on with it", c)
				w.documents(true)
				w.happens("PreCompact", nil)
				w.after(history10)
				c = w.checkpoints()[0]
				if open, _ := w.state()["open"].([]any); len(open) != 1 {
					w.Errorf("got %v open in its state, want what it took over", open)
				}
				w.goesOn("now you", c)
				does(w)
				w.want(w.stops(), agent.ReasonHeld, "main.go", "run `go test .`")
			}},
			{name + ", through a session that worked on after its save", func(w *world) {
				c := crashed(w)
				w.goesOn("go on with it", c)
				w.happens("PreCompact", nil)
				w.after(time.Minute)
				w.documents(true)
				w.after(history10)
				c = w.checkpoints()[0]
				w.goesOn("now you", c)
				does(w)
				w.want(w.stops(), agent.ReasonHeld, "main.go", "run `go test .`")
			}},
		})
	}
}

// repository makes another one beside the work tree, a Go project with its tests.
func (w *world) repository(name string) string {
	w.Helper()
	dir := resolved(w, w.TempDir())
	dir = filepath.Join(dir, name)
	for file, text := range map[string]string{"go.mod": "module " + name + "\n", "a.go": "package a\n", "a_test.go": "package a\n"} {
		w.write(filepath.Join(dir, file), text)
	}
	w.git("init", "-q", "-b", "main", dir)
	w.git("-C", dir, "add", "-A")
	w.git("-C", dir, "commit", "-qm", "first")
	return dir
}

// What a turn edits in other repositories is judged there, or said not to be judged.
func TestOtherRepositories(t *testing.T) {
	const text = "package a\n\nconst text = `1`\n"
	each(t, []story{
		{"edited and not tested", func(w *world) {
			dir := w.repository("other")
			works(w)
			w.edits(filepath.Join(dir, "a.go"), text)
			w.want(w.stops(), agent.ReasonHeld, "`a.go` changed, and its tests (`a_test.go`) have not run since", "In `")
		}},
		{"edited and tested", func(w *world) {
			dir := w.repository("other")
			works(w)
			w.edits(filepath.Join(dir, "a.go"), text)
			w.runs("cd "+dir+" && go test ./...", "ok  \tother\t0.1s")
			w.want(w.stops(), agent.ReasonClear)
		}},
		{"a comment there", func(w *world) {
			dir := w.repository("other")
			works(w)
			w.edits(filepath.Join(dir, "a.go"), "package a\n\n// A is a letter.\n")
			w.want(w.stops(), agent.ReasonFine)
		}},
		{"the session's own tests say nothing of it", func(w *world) {
			dir := w.repository("other")
			changed(w)
			w.edits(filepath.Join(dir, "a.go"), text)
			w.runs("go test ./...", greenShop)
			w.want(w.stops(), agent.ReasonHeld, "`a.go` changed")
		}},
		{"git cannot tell of it: named, and nothing is clear", func(w *world) {
			dir := w.repository("other")
			changed(w)
			w.edits(filepath.Join(dir, "a.go"), text)
			w.runs("go test ./...", greenShop)
			w.write(filepath.Join(dir, ".git/index"), "this is not an index")
			got := w.stops()
			w.want(got, agent.ReasonNotice, "were changed too, and not judged")
			if strings.Contains(got, "clear") {
				w.Errorf("got %q, want nothing called clear", got)
			}
			w.documents(false)
			w.edits(filepath.Join(dir, "a.go"), text+"\n")
			w.runs("go test ./...", greenShop)
			if got := w.stops(); got != "" {
				w.Errorf("got %q at the next stop, want it told once", got)
			}
		}},
		{"git cannot tell of the session's own: judged all the same", func(w *world) {
			dir := w.repository("other")
			changed(w)
			w.edits(filepath.Join(dir, "a.go"), text)
			w.runs("go test ./...", greenShop)
			w.write(".git/index", "this is not an index")
			if got := w.stops(); strings.Contains(got, "clear") {
				w.Errorf("got %q, want nothing called clear", got)
			}
		}},
		{"more than are judged: one is named", func(w *world) {
			works(w)
			for i := range 4 {
				dir := w.repository(fmt.Sprintf("other%d", i))
				w.edits(filepath.Join(dir, "a.go"), text)
				w.runs("cd "+dir+" && go test ./...", "ok  \tother\t0.1s")
			}
			got := w.stops()
			w.want(got, agent.ReasonNotice, "other3", "were changed too, and not judged")
			if strings.Contains(got, "clear") {
				w.Errorf("got %q, want nothing called clear", got)
			}
		}},
		{"one that cannot be judged before one that is tested", func(w *world) {
			works(w)
			broken, fine := w.repository("broken"), w.repository("fine")
			w.edits(filepath.Join(broken, "a.go"), text)
			w.edits(filepath.Join(fine, "a.go"), text)
			w.runs("cd "+fine+" && go test ./...", "ok  \tfine\t0.1s")
			w.write(filepath.Join(broken, ".git/index"), "this is not an index")
			w.set.AllClear = debrief.AllClearMessage
			got := w.stops()
			w.want(got, agent.ReasonNotice, "broken", "not judged")
			if strings.Contains(got, "clear") {
				w.Errorf("got %q, want nothing called clear", got)
			}
		}},
	})
}

// What is open in another work tree is judged there.
func TestWhatIsOpenElsewhere(t *testing.T) {
	for _, place := range []string{"../wt", ".claude/worktrees/x"} {
		leaves := func(w *world) string {
			tree := addTree(w, place)
			w.asks("mend it")
			w.edits(filepath.Join(tree, "main.go"), "package shop\n\nconst text = `1`\n")
			w.want(w.stops(), agent.ReasonShort)
			w.wantNeeds("own_tests_idle " + place + "/main.go")
			if n := w.session().Open[0]; n.Dir != place || !strings.HasPrefix(n.Text, "in `"+place+"`: ") {
				w.Errorf("got %+v, want the work tree named", n)
			}
			return tree
		}
		each(t, []story{
			{place + ": the next turn is asked for it", func(w *world) {
				leaves(w)
				w.documents(false)
				w.want(w.stops(), agent.ReasonHeld, "In `"+place+"`: `main.go` changed before this turn, ", "run `go test .`")
			}},
			{place + ": the tests of the session's own tree do not close it", func(w *world) {
				leaves(w)
				w.documents(false)
				w.runs("go test ./...", greenShop)
				w.want(w.stops(), agent.ReasonHeld, "In `"+place+"`: ")
			}},
			{place + ": its own tests do", func(w *world) {
				tree := leaves(w)
				w.documents(false)
				w.runs("cd "+tree+" && go test ./...", greenShop)
				w.want(w.stops(), agent.ReasonClear)
				w.wantNeeds()
			}},
			{place + ": a save in the middle keeps it", func(w *world) {
				leaves(w)
				w.documents(false)
				w.happens("PreCompact", nil)
				if open, _ := w.state()["open"].([]any); len(open) != 1 {
					w.Errorf("got %v open in the state, want it", open)
				}
			}},
			{place + ": the tree is removed", func(w *world) {
				tree := leaves(w)
				w.git("worktree", "remove", "--force", tree)
				w.documents(false)
				w.want(w.stops(), agent.ReasonFine)
				w.wantNeeds()
			}},
		})
	}
}

// What a person is told of a project is told once, if it was told at all.
func TestNoticesAreToldOnce(t *testing.T) {
	unseen := func(w *world) string {
		w.Helper()
		changed(w)
		w.runs("go test ./... | grep -c FAIL", "0")
		answer := w.stops()
		if d := w.decision(); d.Held || d.Reason != agent.ReasonNotice || strings.Contains(answer, "clear") {
			w.Errorf("got %q (%v), want a line, or nothing", answer, d.Reason)
		}
		return answer
	}
	const line = "no check of it was seen to pass here"
	tell(t, []story{
		{"once, also by another session", func(w *world) {
			if got := unseen(w); !strings.Contains(got, line) {
				w.Errorf("got %q, want it said", got)
			}
			if got := unseen(w); got != "" {
				w.Errorf("got %q at the next stop, want silence", got)
			}
			w.another()
			if got := unseen(w); got != "" {
				w.Errorf("got %q in another session, want silence", got)
			}
		}},
		{"another finding is told", func(w *world) {
			unseen(w)
			w.asks("x")
			w.after(time.Minute)
			w.edits("a.swift", "x\n")
			w.want(w.stops(), agent.ReasonNoCheck, "no test command is known here")
		}},
		{"what a person who wants silence did not read is told later", func(w *world) {
			w.set.AllClear = debrief.AllClearSilent
			if got := unseen(w); got != "" {
				w.Errorf("got %q, want silence", got)
			}
			w.set.AllClear = debrief.AllClearNotice
			if got := unseen(w); !strings.Contains(got, line) {
				w.Errorf("got %q, want it said", got)
			}
		}},
		{"what another line took the place of is told later", func(w *world) {
			w.set.LeftOut = "debrief.mode"
			if got := unseen(w); !strings.Contains(got, "is not trusted") {
				w.Errorf("got %q, want the settings named", got)
			}
			if got := unseen(w); !strings.Contains(got, line) {
				w.Errorf("got %q, want it said", got)
			}
		}},
	})
	t.Run("what no client has shown is told later", func(t *testing.T) {
		w, _ := unheard(t)
		w.said("mend it")
		w.after(time.Minute)
		mends(w)
		w.runs("go test ./... | grep -c FAIL", "0")
		w.notified()
		w.reason(agent.ReasonNotice)
		w.client = fake{name: w.client.Name(), takes: func(agent.Event) bool { return true }}
		w.another()
		if got := unseen(w); !strings.Contains(got, line) {
			t.Errorf("got %q, want it said", got)
		}
	})
}

// twoPackages commits two packages beside the project's own, with their tests.
func (w *world) twoPackages() {
	for _, dir := range []string{"a", "b"} {
		w.write(dir+"/x.go", "package "+dir+"\n")
		w.write(dir+"/x_test.go", "package "+dir+"\n")
	}
	w.git("add", "-A")
	w.git("commit", "-qm", "second")
}

// A check that passes closes what another session left open in the same tree, if it
// began after that was left, and takes the files.
func TestProofByAnotherSession(t *testing.T) {
	leaves := func(w *world) {
		changed(w)
		w.fails("go test ./...", "--- FAIL: TestMain (0.00s)\nFAIL\nFAIL\tshop\t0.1s\nFAIL")
		w.stops()
		w.after(time.Minute)
		w.stops()
		if len(w.session().Open) != 1 || isClosed(w, w.session()) {
			w.Fatalf("got %+v open, want one need and its work", w.session().Open)
		}
	}
	for _, c := range []struct {
		name   string
		then   func(w *world)
		closed bool
	}{
		{"the tests pass", func(w *world) { w.asks("look"); w.runs("go test ./...", greenShop) }, true},
		{"other tests pass", func(w *world) { w.asks("look"); w.runs("go test ./other", "ok  \tshop/other\t0.1s") }, false},
		{"they fail again", func(w *world) {
			w.asks("look")
			w.fails("go test ./...", "--- FAIL: TestMain (0.00s)\nFAIL\nFAIL\tshop\t0.1s\nFAIL")
		}, false},
		{"nobody saw how they went", func(w *world) { w.asks("look"); w.runs("go test ./... | grep -c FAIL", "0") }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t)
			leaves(w)
			first := w.session().ID
			w.after(time.Hour)
			w.another()
			c.then(w)
			w.after(time.Minute)
			w.stops()
			s, err := w.store.Session(t.Context(), first)
			if err != nil || (len(s.Open) == 0) != c.closed {
				t.Errorf("got %+v (%v), want it closed: %v", s.Open, err, c.closed)
			}
			if isClosed(w, s) != c.closed {
				t.Errorf("got the work closed: %v, want %v", !c.closed, c.closed)
			}
		})
	}
}

func isClosed(w *world, s agent.Session) bool {
	w.Helper()
	x, err := w.store.Checkpoints.Workflow(context.Background(), s.WorkflowID, "")
	if err != nil {
		w.Fatal(err)
	}
	return x.Closed
}
