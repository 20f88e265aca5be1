package turn_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/turn"
)

// keeper saves as `piton save` does, in the world's project.
func (w *world) keeper() history.Keeper {
	return history.Keeper{Store: w.store.Checkpoints, Local: w.store, Now: func() time.Time { return w.now },
		Alive: func(s agent.Session) bool { return turn.Alive(s, piton.At(w.now)) }}
}

func (w *world) saves(d history.Draft) history.Saved {
	w.Helper()
	p, err := turn.Identify(w.Context(), w.store, w.root, true)
	if err != nil {
		w.Fatal(err)
	}
	d.Project = p.ID
	w.after(time.Second)
	c, err := w.keeper().Save(w.Context(), d)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// starts is a new conversation in the same place; it returns what the agent is
// told.
func (w *world) starts(source string) string {
	w.Helper()
	return w.answer(w.happens("SessionStart", map[string]any{"source": source}))
}

// another is a conversation of its own.
func (w *world) another() { w.id = fmt.Sprintf("another-%d", w.now.UnixNano()); w.script += "x" }

func phase(n int, task string) history.Draft {
	return history.Draft{SaveRequest: piton.SaveRequest{Phase: "Build", PhaseNumber: n, Task: task, State: []byte("{}")}}
}

func TestOffer(t *testing.T) {
	tell(t, []story{
		{"nothing to offer", func(w *world) {
			if got := w.starts("startup"); got != "" {
				t.Errorf("got %q, want silence", got)
			}
		}},
		{"a phase", func(w *world) {
			c := w.saves(phase(2, "move the billing to the new API and drop v1"))
			got := w.starts("startup")
			want := "SessionStart: " + agent.Prefix + "Checkpoint: Resume from Phase 2? (move the billing to the new API and …)\n"
			if !strings.HasPrefix(got, want) || !strings.Contains(got, "piton resume "+c.ID) || !strings.Contains(got, "user's decision") {
				t.Errorf("got %q, want %q and how to do it", got, want)
			}
		}},
		{"a step, and more", func(w *world) {
			w.saves(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", StepName: "parse rows", Task: "import <all>\nof it"}})
			w.saves(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "export", StepName: "write rows"}})
			w.saves(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", StepName: "parse `rows`", Task: "import <all>\nof it"}})
			got := w.starts("startup")
			if want := agent.Prefix + "Checkpoint: Resume from parse 'rows'? (import (all) of it) and 1 more ('piton list --open')\n"; !strings.Contains(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}},
		{"finished work is not offered", func(w *world) {
			w.saves(phase(7, "all of it"))
			c := w.saves(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import"}})
			if _, err := w.keeper().Complete(t.Context(), history.Selector{ID: c.ID}); err != nil {
				t.Fatal(err)
			}
			if got := w.starts("startup"); got != "" {
				t.Errorf("got %q, want silence", got)
			}
		}},
		{"another project's is not offered", func(w *world) {
			w.saves(phase(2, "x"))
			other := shop(t)
			other.store = w.store
			if got := other.starts("startup"); got != "" {
				t.Errorf("got %q, want silence", got)
			}
		}},
		{"not at compact and not at clear", func(w *world) {
			w.saves(phase(2, "x"))
			for _, source := range []string{"compact", "clear"} {
				if got := w.starts(source); got != "" {
					t.Errorf("%s: got %q, want silence", source, got)
				}
			}
		}},
		{"a session that broke off is offered to another, not to itself", func(w *world) {
			brokenOff(w)
			w.after(time.Hour)
			if got := w.starts("resume"); got != "" {
				t.Errorf("got %q, want silence for its own work", got)
			}
			w.after(time.Hour)
			w.another()
			if got := w.starts("startup"); !strings.Contains(got, "Checkpoint: Resume from mend it?") {
				t.Errorf("got %q, want the offer", got)
			}
		}},
		{"a live session's work is not offered", func(w *world) {
			brokenOff(w)
			w.saves(history.Draft{SaveRequest: piton.SaveRequest{Session: w.id, Phase: "Build", PhaseNumber: 2, State: []byte("{}")}})
			w.after(time.Minute)
			w.another()
			if got := w.starts("startup"); got != "" {
				t.Errorf("got %q, want silence: it is at work", got)
			}
			w.after(history10)
			w.another()
			if got := w.starts("startup"); !strings.Contains(got, "Resume from Phase 2?") || !strings.Contains(got, "and 1 more") {
				t.Errorf("got %q, want both offers after ten minutes of silence", got)
			}
		}},
		{"a session that has said goodbye is offered at once", func(w *world) {
			brokenOff(w)
			w.happens("SessionEnd", nil)
			w.another()
			if got := w.starts("startup"); !strings.Contains(got, "Resume from mend it?") {
				t.Errorf("got %q, want the offer", got)
			}
		}},
		{"a caller's own session has no agent that could be at work", func(w *world) {
			w.saves(history.Draft{SaveRequest: piton.SaveRequest{Session: "nightly", Phase: "Build", PhaseNumber: 2, State: []byte("{}")}})
			if got := w.starts("startup"); !strings.Contains(got, "Phase 2") {
				t.Errorf("got %q, want the offer", got)
			}
		}},
		{"any type before type session", func(w *world) {
			w.saves(phase(2, "x"))
			brokenOff(w)
			w.happens("SessionEnd", nil)
			w.another()
			if got := w.starts("startup"); !strings.Contains(got, "Phase 2? (x) and 1 more") {
				t.Errorf("got %q, want the phase first", got)
			}
		}},
	})
}

const history10 = agent.Quiet + time.Second

// brokenOff is a session that was cut off in its work, with a checkpoint.
func brokenOff(w *world) {
	w.Helper()
	changed(w)
	w.happens("PreCompact", nil)
}

// phaseOf is the session's own save to a workflow.
func phaseOf(w *world, workflow string) history.Draft {
	return history.Draft{SaveRequest: piton.SaveRequest{Session: w.id, Workflow: workflow, Phase: "Build", PhaseNumber: 2, State: []byte("{}")}}
}
