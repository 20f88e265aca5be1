package turn_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// A story is what people and agents do; each is a whole session.
type story struct {
	name string
	play func(w *world)
}

func tell(t *testing.T, stories []story) {
	t.Helper()
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) { s.play(shop(t)) })
	}
}

// changed is a turn of a minute that edits a file and tests nothing.
func changed(w *world) {
	w.Helper()
	w.asks("mend it")
	w.after(time.Minute)
	w.edits("main.go", fmt.Sprintf("package shop\n\nconst text = `%d`\n", w.calls))
}

// mends edits the same file once more and tests nothing.
func mends(w *world) {
	w.Helper()
	w.edits("main.go", fmt.Sprintf("package shop\n\nconst text = `%d`\n", w.calls))
}

// heldAgain is what an agent is told that is held, edits again, and is held for that:
// only then it is told a way out.
func (w *world) heldAgain() string {
	w.Helper()
	first := w.stops()
	w.want(first, agent.ReasonHeld)
	if strings.Contains(first, "checkpoint_clear") || strings.Contains(first, "If this cannot be done") {
		w.Errorf("got %q, want no way out at the first hold", first)
	}
	mends(w)
	w.after(time.Minute)
	return w.stops()
}

func TestHolds(t *testing.T) {
	tell(t, []story{
		{"a short turn passes", func(w *world) {
			w.asks("mend it")
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.want(w.stops(), agent.ReasonShort)
		}},
		{"an edit without a test is held; after the test it passes with a notice", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld, "`main.go` changed, and its tests (`main_test.go`) have not run since: run `go test .`")
			w.runs("go test ./...", "ok  \tshop\t0.1s")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonClear, "notice: "+agent.Prefix+"all clear: 1 file changed, `go test ./...` passed")
		}},
		{"a held turn was long enough: tests that pass a moment later are told", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			w.runs("go test ./...", "ok  \tshop\t0.1s")
			w.want(w.stops(), agent.ReasonClear, "notice: "+agent.Prefix+"all clear: ")
		}},
		{"and what is edited a moment later is held again", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			mends(w)
			w.want(w.stops(), agent.ReasonHeld)
		}},
		{"a turn that changes nothing passes", func(w *world) {
			w.asks("explain it")
			w.after(time.Minute)
			w.runs("cat main.go", "package shop")
			w.want(w.stops(), agent.ReasonNothing)
		}},
		{"a test that failed is asked for again", func(w *world) {
			changed(w)
			w.fails("go test ./...", "--- FAIL: TestShop\nFAIL\tshop")
			w.want(w.stops(), agent.ReasonHeld, "go test")
		}},
		{"documents alone need nothing", func(w *world) {
			w.asks("write it down")
			w.after(time.Minute)
			w.edits("README.md", "shop!\n")
			got := w.stops()
			w.want(got, agent.ReasonFine, "notice: ", "nothing asks for a check of that")
			if strings.Contains(got, "clear") || strings.Contains(got, "verified") {
				w.Errorf("got %q, want nothing called clear where no test ran", got)
			}
		}},
		{"a second hold needs a call, and something unproven; a third never comes", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			w.want(w.stops(), agent.ReasonNoActivity)
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonNoActivity)
			mends(w)
			w.want(w.stops(), agent.ReasonHeld)
			for range 3 {
				mends(w)
				w.after(time.Minute)
				w.want(w.stops(map[string]any{"stop_hook_active": true}), agent.ReasonBudget)
			}
		}},
		{"the way out is named at the second hold", func(w *world) {
			changed(w)
			w.want(w.heldAgain(), agent.ReasonHeld, "If this cannot be done, say why; as a last resort create the file `"+filepath.Join(w.home, "sessions", "checkpoint_clear_"+w.session().ID)+"`")
		}},
		{"talk alone is no reason for a second hold", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonNoActivity)
		}},
		{"a stop that is let go ends the turn; nothing new, nothing to say", func(w *world) {
			changed(w)
			w.stops()
			w.runs("go test ./...", "ok")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonClear)
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonNoActivity)
			if n := len(w.checkpoints()); n != 1 {
				w.Errorf("got %d checkpoints of one turn, want 1", n)
			}
		}},
		{"no prompt was seen", func(w *world) {
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonNoTurn)
		}},
		{"a failed command counts beside the rules", func(w *world) {
			changed(w)
			w.runs("go test ./...", "ok")
			w.fails("go vet ./...", "main.go:3: syntax error: unexpected newline")
			w.want(w.stops(), agent.ReasonHeld, "go vet", "syntax")
		}},
		{"a scratch file that git never knew is removed after the test", func(w *world) {
			w.write("scratch.go", "package shop\n")
			changed(w)
			w.runs("go test ./...", "ok")
			w.after(time.Second)
			if err := os.Remove(w.path("scratch.go")); err != nil {
				w.Fatal(err)
			}
			w.runs("rm scratch.go", "")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonClear)
		}},
		{"a file of HEAD is removed after the test", func(w *world) {
			w.write("old.go", "package shop\n")
			w.git("add", "-A")
			w.git("commit", "-q", "-m", "second")
			changed(w)
			w.runs("go test ./...", "ok")
			w.after(time.Second)
			if err := os.Remove(w.path("old.go")); err != nil {
				w.Fatal(err)
			}
			w.runs("rm old.go", "")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonHeld, "old.go")
		}},
		{"the reply is context where the client takes it", func(w *world) {
			w.version = "2.1.328"
			changed(w)
			if got := w.stops(); !strings.HasPrefix(got, "Stop: "+agent.Prefix) {
				w.Errorf("got %q, want additionalContext", got)
			}
		}},
		{"the client was updated since", func(w *world) {
			w.asks("one")
			w.stops()
			w.version = "2.2.0"
			changed(w)
			if got := w.stops(); !strings.HasPrefix(got, "Stop: ") {
				w.Errorf("got %q, want additionalContext", got)
			}
		}},
		{"a quick prompt after a held turn that was broken off", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			w.after(time.Second)
			w.interrupted()
			w.after(2 * time.Hour)
			w.asks("leave it")
			w.want(w.stops(), agent.ReasonEarlier)
		}},
	})
}

func TestBudget(t *testing.T) {
	spent := func(w *world) {
		w.Helper()
		changed(w)
		for range 2 {
			w.want(w.stops(), agent.ReasonHeld)
			mends(w)
			w.after(time.Minute)
		}
		w.want(w.stops(), agent.ReasonBudget, "let go after 2 debriefs with this left open: ", "main.go")
	}
	tell(t, []story{
		{"a person's prompt renews it", func(w *world) {
			spent(w)
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			if left := w.decision().BudgetLeft; left != 1 {
				w.Errorf("got %d holds left, want 1", left)
			}
		}},
		{"a prompt inside the open turn renews it", func(w *world) {
			changed(w)
			for range 2 {
				w.want(w.stops(), agent.ReasonHeld)
				mends(w)
				w.after(time.Minute)
			}
			w.asks("and the docs")
			mends(w)
			w.want(w.stops(), agent.ReasonHeld)
			if s := w.session(); s.Turn != 1 || s.Holds != 1 {
				w.Errorf("got turn %d with %d holds, want the same turn with 1", s.Turn, s.Holds)
			}
		}},
		{"a machine's prompt does not", func(w *world) {
			spent(w)
			before := w.session()
			w.machine("<task-notification>\n<status>completed</status></task-notification>")
			w.edits("main.go", "package shop\n\nconst text = `2`\n")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonBudget)
			if s := w.session(); s.Turn != before.Turn || s.LastMessageAt != before.LastMessageAt || s.LastMessage != before.LastMessage || s.Notified != before.Notified {
				w.Errorf("got %+v, want the timers and texts of %+v", s, before)
			}
		}},
		{"our own text does not, whatever stands around it", func(w *world) {
			spent(w)
			for _, text := range []string{agent.Prefix + "Run the tests.", " \n" + agent.Prefix + "x", "<system-reminder>\n" + agent.Prefix + "x\n</system-reminder>"} {
				w.happens("UserPromptSubmit", map[string]any{"prompt": text})
			}
			w.edits("main.go", "package shop\n\nconst text = `2`\n")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonBudget)
			if got := w.session().LastMessage; got != "mend it" {
				w.Errorf("got the last message %q, want the person's", got)
			}
		}},
		{"work after a notice is held within what is left", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			w.runs("go test ./...", "ok")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonClear)
			w.machine("<task-notification></task-notification>")
			w.edits("main.go", "package shop\n\nconst text = `3`\n")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonHeld)
			w.edits("main.go", "package shop\n\nconst text = `4`\n")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonBudget)
		}},
	})
}
