package turn_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/turn"
)

// crashed is a session that broke off, and is known to be dead.
func crashed(w *world) piton.Checkpoint {
	w.Helper()
	brokenOff(w)
	w.after(history10)
	return w.checkpoints()[0]
}

// unfinished are the heads of unfinished work that are offered now.
func (w *world) unfinished() []piton.Checkpoint {
	w.Helper()
	open, more, err := w.keeper().Detect(w.Context(), w.session().Project, "", 9)
	if err != nil || more != 0 {
		w.Fatalf("got %d more (%v), want none", more, err)
	}
	return open
}

// tested ends a turn of a minute in which the tests were run.
func (w *world) tested() {
	w.Helper()
	w.after(time.Minute)
	w.runs("go test ./...", "ok shop 0.1s")
	w.stops()
}

// takes is an agent that runs 'piton resume'.
func (w *world) takes(c piton.Checkpoint) {
	w.Helper()
	if err := turn.Take(w.Context(), w.store, w.session().ID, c, c.TaskSummary, piton.At(w.now)); err != nil {
		w.Fatal(err)
	}
}

// wantOpen checks which tasks are offered.
func (w *world) wantOpen(tasks ...string) {
	w.Helper()
	var got []string
	for _, c := range w.unfinished() {
		got = append(got, c.TaskSummary)
	}
	if len(got) != len(tasks) {
		w.Fatalf("got the unfinished work %q, want %q", got, tasks)
	}
	for i := range got {
		if got[i] != tasks[i] {
			w.Errorf("got the unfinished work %q, want %q", got, tasks)
		}
	}
}

func TestTakenOver(t *testing.T) {
	ways := map[string]func(w *world, c piton.Checkpoint){
		"by the brief as a prompt": func(w *world, c piton.Checkpoint) {
			brief := w.resumes(c.ID).Brief
			w.another()
			w.asks(brief)
		},
		"by a command of the agent": func(w *world, c piton.Checkpoint) {
			w.another()
			w.asks("go on with it")
			w.takes(c)
		},
	}
	for name, resume := range ways {
		tell(t, []story{
			{name + ", finished: both are closed", func(w *world) {
				c := crashed(w)
				resume(w, c)
				w.wantOpen() // it is at work
				w.tested()
				if got := w.checkpoints()[0]; got.TaskSummary != "mend it" || w.state()["resumed_from"] != c.ID {
					t.Errorf("got the task %q of %v, want the old one's", got.TaskSummary, w.state()["resumed_from"])
				}
				if s := w.session(); s.Took != nil {
					t.Errorf("got %+v, want nothing taken over any more", s.Took)
				}
				w.wantOpen()
				w.asks("now something else")
				w.after(time.Minute)
				w.edits("other.go", "package shop\n")
				w.happens("PreCompact", nil)
				if got := w.checkpoints()[0].TaskSummary; got != "now something else" {
					t.Errorf("got the task %q, want the new one's", got)
				}
			}},
			{name + ", only looked at: it stays open", func(w *world) {
				c := crashed(w)
				resume(w, c)
				w.after(time.Minute)
				w.runs("git status", "On branch main")
				w.stops()
				w.happens("SessionEnd", nil)
				w.wantOpen("mend it")
			}},
			{name + ", killed in its turn: offered once, by the same name", func(w *world) {
				c := crashed(w)
				resume(w, c)
				w.after(time.Minute)
				w.edits("more.go", "package shop\n")
				w.happens("PreCompact", nil)
				w.after(history10)
				w.wantOpen("mend it")
				if got := w.unfinished()[0]; got.SessionID != w.session().ID {
					t.Errorf("got that of %s, want the newer one's", got.SessionID)
				}
				w.briefHas(w.resumes(w.unfinished()[0].ID), "**Task**: mend it\n", "- main.go\n", "- more.go (new)\n")
			}},
			{name + ", killed before its first save: offered as before", func(w *world) {
				c := crashed(w)
				resume(w, c)
				w.after(history10)
				if open := w.unfinished(); len(open) != 1 || open[0].ID != c.ID {
					t.Errorf("got %v, want %s", open, c.ID)
				}
			}},
		})
	}
	tell(t, []story{
		{"the todos of the one before are left until the agent keeps its own", func(w *world) {
			w.asks("mend it")
			w.after(time.Minute)
			w.call("TodoWrite", `{"todos":[]}`, "x", false, `{"oldTodos":[],"newTodos":[{"content":"mend","status":"completed","activeForm":"m"},{"content":"test","status":"pending","activeForm":"t"}]}`)
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.happens("PreCompact", nil)
			w.after(history10)
			c := w.checkpoints()[0]
			w.another()
			w.asks("go on with it")
			w.takes(c)
			w.tested()
			w.happens("SessionEnd", nil)
			w.wantOpen("mend it") // a todo is open
			if got := w.checkpoints()[0]; got.Progress == nil || *got.Progress != 50 || w.state()["asked"] != "go on with it" {
				t.Errorf("got %+v, want half of it done, and what was asked", got)
			}
			last := w.checkpoints()[0]
			w.another()
			w.asks("finish it")
			w.takes(last)
			w.after(time.Minute)
			w.call("TodoWrite", `{"todos":[]}`, "x", false, `{"oldTodos":[],"newTodos":[{"content":"test all","status":"completed","activeForm":"t"}]}`)
			w.tested()
			w.happens("SessionEnd", nil)
			w.wantOpen() // all three are closed
		}},
		{"a session does not take over its own work", func(w *world) {
			c := crashed(w)
			w.takes(c)
			if s := w.session(); s.Took == nil || s.Took.Session != "" || !s.Took.Asked || s.TakenBy != "" {
				t.Errorf("got %+v, want its name alone taken", s)
			}
		}},
		{"work of another kind keeps its own workflow", func(w *world) {
			c := w.saves(phase(2, "move the billing"))
			w.another()
			w.asks("go on with it")
			w.takes(c.Checkpoint)
			w.tested()
			w.wantOpen("move the billing")
			if got := w.checkpoints()[0].TaskSummary; got != "move the billing" {
				t.Errorf("got the task %q, want the old one's", got)
			}
		}},
		{"another machine's work still gives its name", func(w *world) {
			w.asks("## Restored State\n\n**Task**: mend the tax\n**Workflow**: wf_1 (session)\n\nThe whole state as it was saved: 'piton load chk_0123456789abcdef'.\n")
			w.after(time.Minute)
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.happens("PreCompact", nil)
			if got := w.checkpoints()[0].TaskSummary; got != "mend the tax" {
				t.Errorf("got the task %q, want the brief's", got)
			}
		}},
	})
}

// An offer that sessions go on without ends with the third.
func TestDeclined(t *testing.T) {
	tell(t, []story{
		{"three times, then never again, until it is saved anew", func(w *world) {
			w.saves(phase(2, "x"))
			for n := range 3 {
				w.another()
				if got := w.starts("startup"); got == "" {
					w.Fatalf("session %d: got silence, want the offer", n+1)
				}
				w.asks("something else")
				w.tested()
				w.asks("and more")
				w.tested()
			}
			w.another()
			if got := w.starts("startup"); got != "" {
				t.Errorf("got %q, want silence", got)
			}
			w.wantOpen("x") // people are still shown it
			w.saves(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "", Phase: "Build", PhaseNumber: 3, Task: "x again", State: []byte("{}")}})
			w.another()
			if got := w.starts("startup"); got == "" {
				t.Error("got silence, want the offer of what was saved since")
			}
		}},
		{"a session that ended without a turn has declined nothing", func(w *world) {
			w.saves(phase(2, "x"))
			for range 5 {
				w.after(time.Second)
				w.another()
				if got := w.starts("startup"); got == "" {
					w.Fatal("got silence, want the offer")
				}
				w.happens("SessionEnd", nil)
			}
		}},
		{"what was declined is not in the way of the next", func(w *world) {
			w.saves(phase(2, "older"))
			w.saves(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "newer", StepName: "parse", Task: "newer"}})
			for range 3 {
				w.another()
				w.starts("startup")
				w.asks("something else")
				w.tested()
			}
			w.another()
			if got := w.starts("startup"); got == "" || !strings.Contains(got, "older") || strings.Contains(got, "more (") {
				t.Errorf("got %q, want the older one alone", got)
			}
		}},
		{"taking it over is not a refusal", func(w *world) {
			c := w.saves(phase(2, "x"))
			for range 4 {
				w.another()
				if got := w.starts("startup"); got == "" {
					w.Fatal("got silence, want the offer")
				}
				w.asks("yes")
				w.takes(c.Checkpoint)
				w.tested()
				w.happens("SessionEnd", nil)
			}
		}},
	})
}

// A file that the agent removed is one of its work, and said to be removed.
func TestDeletedFiles(t *testing.T) {
	w := shop(t, "old.go", "package shop\n", "gone.go", "package shop\n")
	w.asks("drop old.go")
	w.after(time.Minute)
	w.git("rm", "-q", "old.go")
	w.runs("git rm -q old.go", "")
	w.edits("main.go", "package shop\n\nconst text = `1`\n")
	w.happens("PreCompact", nil)
	if got, want := w.state()["files_deleted"], "[old.go]"; fmt.Sprint(got) != want {
		t.Errorf("got %v deleted, want %s", got, want)
	}
	r := w.resumes(w.checkpoints()[0].ID)
	w.briefHas(r, "- old.go (deleted)\n")
	w.briefLacks(r, "is missing")
	w.write("old.go", "package shop\n\nconst text = `again`\n")
	w.after(2 * time.Minute)
	w.edits("old.go", "package shop\n\nconst text = `again`\n")
	w.happens("PreCompact", nil)
	if got := w.state()["files_deleted"]; got != nil {
		t.Errorf("got %v deleted, want none", got)
	}
}
