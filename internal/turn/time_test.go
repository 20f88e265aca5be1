package turn_test

import (
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// elapsed is what the newest decision took for work, to the second.
func (w *world) elapsed() time.Duration {
	w.Helper()
	return (time.Duration(w.decision().ElapsedMS) * time.Millisecond).Round(time.Second)
}

func TestWorkingTime(t *testing.T) {
	// Each story works for about a minute and a half around a wait of two hours.
	// An edit takes 3 s or 6 s, a stop 2 s.
	const most = 2 * time.Minute
	for _, c := range []struct {
		name string
		play func(w *world)
	}{
		{"without a wait", func(w *world) { changed(w) }},
		{"between an interruption and the next prompt", func(w *world) {
			changed(w)
			w.interrupted()
			w.after(2 * time.Hour)
			w.asks("go on")
			mends(w)
		}},
		{"twice", func(w *world) {
			changed(w)
			for range 2 {
				w.interrupted()
				w.after(time.Hour)
				w.asks("go on")
				mends(w)
			}
		}},
		{"for a permission that was given", func(w *world) {
			changed(w)
			w.happens("PermissionRequest", map[string]any{"tool_name": "Bash"})
			w.after(2 * time.Hour)
			w.happens("PostToolUse", map[string]any{"tool_name": "Bash", "duration_ms": 1000})
		}},
		{"for a permission that was refused, which interrupts", func(w *world) {
			changed(w)
			w.happens("PermissionRequest", map[string]any{"tool_name": "Bash"})
			w.after(time.Hour)
			w.interrupted()
			w.after(time.Hour)
			w.asks("do it otherwise")
			mends(w)
		}},
		{"with the session away", func(w *world) {
			changed(w)
			w.happens("SessionEnd", map[string]any{"reason": "prompt_input_exit"})
			w.after(2 * time.Hour)
			w.happens("SessionStart", map[string]any{"source": "resume"})
			w.asks("go on")
		}},
		{"with the session killed in mid-work", func(w *world) {
			changed(w)
			w.after(2 * time.Hour)
			w.happens("SessionStart", map[string]any{"source": "resume"})
			w.asks("go on")
		}},
		{"interrupted, then away", func(w *world) {
			changed(w)
			w.interrupted()
			w.after(time.Hour)
			w.happens("SessionEnd", nil)
			w.after(time.Hour)
			w.happens("SessionStart", map[string]any{"source": "resume"})
			w.asks("go on")
			mends(w)
		}},
		{"after a hold", func(w *world) {
			changed(w)
			w.interrupted()
			w.after(2 * time.Hour)
			w.asks("go on")
			mends(w)
			w.want(w.stops(), agent.ReasonHeld)
			mends(w)
			w.after(time.Minute)
		}},
		{"for a permission after a hold", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			w.happens("PermissionRequest", nil)
			w.after(2 * time.Hour)
			w.happens("PostToolUse", map[string]any{"tool_name": "Bash"})
			mends(w)
			w.after(time.Minute)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t)
			c.play(w)
			w.stops()
			if got := w.elapsed(); got < time.Minute || got > most {
				t.Errorf("got %s of work, want between %s and %s", got, time.Minute, most)
			}
			w.want("held: ", agent.ReasonHeld)
		})
	}
}

func TestCompactionIsNoAbsence(t *testing.T) {
	w := shop(t)
	changed(w)
	w.happens("PreCompact", map[string]any{"trigger": "auto"})
	w.after(time.Minute)
	w.happens("SessionStart", map[string]any{"source": "compact"})
	w.stops()
	if got := w.elapsed(); got < 2*time.Minute {
		t.Errorf("got %s of work, want the minute of the compaction in it", got)
	}
}

func TestPromptInsideOpenTurn(t *testing.T) {
	w := shop(t)
	changed(w)
	before := w.session()
	base, err := w.store.Turn(t.Context(), before.ID, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.asks("and the docs")
	after := w.session()
	if after.Turn != 1 || after.LastMessageAt != before.LastMessageAt || after.LastMessage != "and the docs" {
		t.Errorf("got turn %d from %s with %q, want turn 1 from %s with the new words", after.Turn, after.LastMessageAt, after.LastMessage, before.LastMessageAt)
	}
	now, err := w.store.Turn(t.Context(), after.ID, 1)
	if err != nil || now.StartedAt != base.StartedAt || string(now.Baseline) != string(base.Baseline) {
		t.Errorf("got another beginning of the turn (%v), want start and baseline to stay", err)
	}
	w.want(w.stops(), agent.ReasonHeld, "main.go")
}

// Gemini CLI reports an answer that a person has cut off as a stop.
func TestStopOfAnInterruptedAgent(t *testing.T) {
	w := shop(t)
	changed(w)
	w.interrupted()
	w.want(w.read(w.happens("Stop", map[string]any{"last_assistant_message": "I was about"})), agent.ReasonCancelled)
	if s := w.session(); !s.TurnOpen || s.Holds != 0 {
		t.Errorf("got turn open %v, %d holds; want it open, none", s.TurnOpen, s.Holds)
	}
	w.after(time.Hour)
	w.asks("go on")
	mends(w)
	w.want(w.stops(), agent.ReasonHeld, "main.go")
}

// A client writes its log late: the prompt after an interruption need not stand
// in it when the next stop comes.
func TestStopAfterAnInterruptionAndAPrompt(t *testing.T) {
	w := shop(t)
	changed(w)
	w.interrupted()
	w.after(time.Hour)
	w.happens("UserPromptSubmit", map[string]any{"prompt": "go on"})
	w.after(time.Minute)
	w.want(w.read(w.happens("Stop", map[string]any{"last_assistant_message": "It is done."})), agent.ReasonHeld, "main.go")
}

func TestActivityTimer(t *testing.T) {
	tool := func(w *world) { w.happens("PreToolUse", map[string]any{"tool_name": "Bash"}) }
	activity := func(play func(w *world)) func(w *world) {
		return func(w *world) {
			w.set.Timer = agent.TimerActivity
			play(w)
		}
	}
	tell(t, []story{
		{"no tool use, no debrief", activity(func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonNoTool)
		})},
		{"time runs from the first use, recorded once", activity(func(w *world) {
			changed(w) // a minute of thinking
			tool(w)
			w.after(10 * time.Second)
			tool(w)
			w.want(w.stops(), agent.ReasonShort)
			if got := w.elapsed(); got != 12*time.Second {
				t.Errorf("got %s, want 12s", got)
			}
		})},
		{"long enough", activity(func(w *world) {
			changed(w)
			tool(w)
			w.after(time.Minute)
			tool(w)
			w.want(w.stops(), agent.ReasonHeld)
		})},
		{"it restarts at the next use after a hold", activity(func(w *world) {
			changed(w)
			tool(w)
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonHeld)
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonNoTool)
		})},
		{"and holds again when it was used", activity(func(w *world) {
			changed(w)
			tool(w)
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonHeld)
			mends(w)
			tool(w)
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonHeld)
		})},
	})
}

func TestBackground(t *testing.T) {
	task := func(kind string) map[string]any {
		return map[string]any{"background_tasks": []any{map[string]any{"id": "a1", "type": kind, "status": "running"}}}
	}
	tell(t, []story{
		{"a running subagent lets go, and the turn stays open", func(w *world) {
			changed(w)
			w.want(w.stops(task("subagent")), agent.ReasonBackground)
			if s := w.session(); !s.TurnOpen || len(w.checkpoints()) != 0 {
				t.Errorf("got turn open %v and %d checkpoints, want it open and none", s.TurnOpen, len(w.checkpoints()))
			}
			w.machine("<task-notification></task-notification>")
			w.want(w.stops(), agent.ReasonHeld)
		}},
		{"a subagent that has ended does not", func(w *world) {
			changed(w)
			w.want(w.stops(map[string]any{"background_tasks": []any{map[string]any{"id": "a1", "type": "subagent", "status": "completed"}}}), agent.ReasonHeld)
		}},
		{"a shell in the background does not", func(w *world) {
			changed(w)
			w.want(w.stops(task("shell")), agent.ReasonHeld)
		}},
		{"a subagent's own stop decides nothing", func(w *world) {
			changed(w)
			if got := w.read(w.happens("Stop", map[string]any{"agent_id": "a1", "last_assistant_message": "x"})); got != "" || !w.session().TurnOpen {
				t.Errorf("got %q and turn open %v, want silence and the turn open", got, w.session().TurnOpen)
			}
		}},
	})
}

func TestStopFailed(t *testing.T) {
	w := shop(t)
	changed(w)
	if got := w.read(w.happens("StopFailure", map[string]any{"error": "unknown", "last_assistant_message": "API Error: 400"})); got != "" {
		t.Errorf("got %q, want no hold", got)
	}
	all := w.checkpoints()
	if len(all) != 1 || all[0].Trigger != piton.TriggerError || !w.session().TurnOpen {
		t.Errorf("got %+v, want one checkpoint of an error in the open turn", all)
	}
}
