package turn_test

import (
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
)

// told is what the agent is told at a person's prompt.
func (w *world) told(text string) string {
	w.Helper()
	w.after(50 * time.Millisecond)
	return w.answer(w.happens("UserPromptSubmit", map[string]any{"prompt": text}))
}

func TestOfferedOnce(t *testing.T) {
	tell(t, []story{
		{"over resumes, compactions and several starts", func(w *world) {
			w.saves(phase(2, "x"))
			if got := w.starts("startup"); !strings.Contains(got, "Phase 2?") {
				t.Fatalf("got %q, want the offer", got)
			}
			for _, source := range []string{"startup", "resume", "compact", "resume", "fork"} {
				w.after(time.Minute)
				if got := w.starts(source); got != "" {
					t.Errorf("%s: got %q, want silence", source, got)
				}
			}
			if got := w.told("go on"); got != "" {
				t.Errorf("got %q at the prompt, want silence", got)
			}
		}},
		{"not what a person started the client to resume", func(w *world) {
			older := phase(1, "y")
			older.Workflow = "older"
			w.saves(older)
			w.env[agent.ResumesEnv] = w.saves(phase(2, "x")).ID
			if got := w.starts("startup"); !strings.Contains(got, "Phase 1?") || strings.Contains(got, " more") {
				t.Errorf("got %q, want the offer of the other work alone", got)
			}
		}},
		{"at a resume, where nothing was open before", func(w *world) {
			if got := w.starts("startup"); got != "" {
				t.Fatalf("got %q, want silence", got)
			}
			w.saves(phase(2, "x"))
			if got := w.starts("resume"); !strings.Contains(got, "Phase 2?") {
				t.Errorf("got %q, want the offer", got)
			}
		}},
		{"a client that takes nothing at a resume is owed it", func(w *world) {
			w.client = gemini()
			w.saves(phase(2, "x"))
			for range 2 {
				if got := w.starts("resume"); got != "" {
					t.Fatalf("got %q, want silence", got)
				}
			}
			if got := w.told(agent.Prefix + "Run the tests."); got != "" {
				t.Errorf("got %q at our own text, want silence", got)
			}
			if got := w.told("hello"); !strings.HasPrefix(got, "UserPromptSubmit: "+agent.Prefix+"Checkpoint: Resume from Phase 2?") {
				t.Errorf("got %q, want the offer with the prompt", got)
			}
			if got := w.told("and?"); got != "" {
				t.Errorf("got %q at the next prompt, want it told once", got)
			}
		}},
		{"a client that never takes any keeps the debt, and its prompts", func(w *world) {
			w.client = codex()
			w.saves(phase(2, "x"))
			w.starts("startup")
			if got := w.told("hello"); got != "" || w.session().LastMessage != "hello" {
				t.Errorf("got %q and %q, want silence and the prompt", got, w.session().LastMessage)
			}
		}},
	})
}

func TestCompacted(t *testing.T) {
	work := func(w *world) {
		w.Helper()
		w.asks("mend the <cart>")
		w.edits("main.go", "package shop\n\nconst text = `1`\n")
		w.todo(`[{"content":"mend it","status":"completed"},{"content":"test it","status":"in_progress"}]`)
	}
	check := func(w *world, got string) {
		w.Helper()
		for _, want := range []string{agent.Prefix, "## Restored State", "mend the (cart)", "main.go", "test it", "piton load chk_"} {
			if !strings.Contains(got, want) {
				w.Errorf("got %q, want %q in it", got, want)
			}
		}
	}
	tell(t, []story{
		{"the brief of its own work comes back", func(w *world) {
			work(w)
			w.happens("PreCompact", map[string]any{"trigger": "auto"})
			got := w.starts("compact")
			check(w, got)
			if !strings.HasPrefix(got, "SessionStart: "+agent.Prefix) {
				t.Errorf("got %q, want the prefix first", got)
			}
			if got := w.told("go on"); got != "" {
				t.Errorf("got %q at the prompt, want it told once", got)
			}
		}},
		{"not that of others", func(w *world) {
			w.saves(phase(2, "theirs"))
			w.asks("hi")
			if got := w.starts("compact"); got != "" {
				t.Errorf("got %q, want silence: nothing of its own was saved", got)
			}
		}},
		{"a long one is cut", func(w *world) {
			w.asks(strings.Repeat("word ", 300))
			var list []string
			for range 60 {
				list = append(list, `{"content":"`+strings.Repeat("x ", 200)+`","status":"pending"}`)
			}
			w.todo("[" + strings.Join(list, ",") + "]")
			w.happens("PreCompact", nil)
			if got := w.starts("compact"); len(got) > 9000 || !strings.Contains(got, "has it all)") {
				t.Errorf("got %d bytes, want them under 9,000 and the rest named: %q", len(got), got[len(got)-200:])
			}
		}},
		{"a client without an event behind it is owed it after a person's compaction", func(w *world) {
			w.client = gemini()
			work(w)
			w.happens("PreCompact", map[string]any{"trigger": "auto"})
			if got := w.told("mend the <cart>"); got != "" {
				t.Fatalf("got %q, want silence: this client compacts before every request", got)
			}
			w.happens("PreCompact", map[string]any{"trigger": "manual"})
			check(w, w.told("go on"))
			if got := w.told("go on"); got != "" {
				t.Errorf("got %q, want it told once", got)
			}
		}},
		{"an offer that is owed stays beside it", func(w *world) {
			w.client = gemini()
			w.saves(history.Draft{SaveRequest: piton.SaveRequest{Phase: "Build", PhaseNumber: 2, Task: "theirs", State: []byte("{}")}})
			w.asks("hi")
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.starts("resume")
			w.happens("PreCompact", map[string]any{"trigger": "manual"})
			if got := w.told("go on"); !strings.Contains(got, "Resume from Phase 2?") || !strings.Contains(got, "## Restored State") {
				t.Errorf("got %q, want both", got)
			}
		}},
	})
}
