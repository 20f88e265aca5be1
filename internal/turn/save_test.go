package turn_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// todo writes the agent's whole list.
func (w *world) todo(list string) {
	w.Helper()
	w.call("TodoWrite", `{"todos":`+list+`}`, "Todos have been modified successfully.", false, `{"oldTodos":[],"newTodos":`+list+`}`)
}

func triggers(w *world) []piton.Trigger {
	w.Helper()
	var list []piton.Trigger
	for _, c := range w.checkpoints() {
		list = append(list, c.Trigger)
	}
	return list
}

func TestTriggers(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(w *world)
		want []piton.Trigger
	}{
		{"the end of a turn", func(w *world) { w.asks("hi"); w.stops() }, []piton.Trigger{piton.TriggerTurnEnd}},
		{"a held stop is none", func(w *world) { changed(w); w.stops() }, nil},
		{"before ten minutes of work", func(w *world) { w.asks("hi"); w.after(9 * time.Minute); w.happens("PostToolUse", nil) }, nil},
		{"after ten minutes of work, and after ten more", func(w *world) {
			w.asks("hi")
			for range 5 {
				w.after(6 * time.Minute)
				w.happens("PostToolUse", nil)
			}
		}, []piton.Trigger{piton.TriggerInterval, piton.TriggerInterval}},
		{"the first edit, and one after more than a minute", func(w *world) {
			w.asks("hi")
			for range 3 {
				w.after(40 * time.Second)
				w.happens("PostToolUse", map[string]any{"tool_name": "Edit"})
			}
		}, []piton.Trigger{piton.TriggerFileChange, piton.TriggerFileChange}},
		{"not by an edit that is about to begin", func(w *world) {
			w.asks("hi")
			w.after(2 * time.Minute)
			w.happens("PreToolUse", map[string]any{"tool_name": "Edit"})
		}, nil},
		{"a clock that was set back keeps nothing from being saved", func(w *world) {
			w.asks("hi")
			w.happens("PostToolUse", map[string]any{"tool_name": "Edit"})
			w.after(-time.Hour)
			for range 3 {
				w.happens("PostToolUse", map[string]any{"tool_name": "Edit"})
			}
		}, []piton.Trigger{piton.TriggerFileChange, piton.TriggerFileChange}},
		{"not by a subagent's tools", func(w *world) {
			w.asks("hi")
			w.after(time.Hour)
			w.happens("PostToolUse", map[string]any{"agent_id": "a1"})
		}, nil},
		{"not by a tool of a server, nor by a failure that has an event of its own", func(w *world) {
			w.asks("hi")
			w.after(time.Hour)
			w.happens("PostToolUse", map[string]any{"tool_name": "mcp__fs__write_file"})
			w.happens("PostToolUseFailure", map[string]any{"tool_name": "Edit", "tool_input": map[string]any{"file_path": w.path("main.go")}})
			w.happens("PostToolUseFailure", map[string]any{"tool_name": "Bash"})
		}, nil},
		{"by each of them with the timer that every tool counts for", func(w *world) {
			w.set.Timer = agent.TimerActivity
			w.asks("hi")
			for _, event := range []map[string]string{{"PostToolUse": "mcp__fs__write_file"}, {"PostToolUseFailure": "Edit"}, {"PostToolUseFailure": "Bash"}} {
				for name, tool := range event {
					w.after(11 * time.Minute)
					w.happens(name, map[string]any{"tool_name": tool})
				}
			}
		}, []piton.Trigger{piton.TriggerInterval, piton.TriggerFileChange, piton.TriggerInterval}},
		{"not between turns", func(w *world) { w.asks("hi"); w.stops(); w.after(time.Hour); w.happens("PostToolUse", nil) }, []piton.Trigger{piton.TriggerTurnEnd}},
		{"before a compaction", func(w *world) { w.asks("hi"); w.happens("PreCompact", nil) }, []piton.Trigger{piton.TriggerPreCompact}},
		{"the session's end, once", func(w *world) {
			w.asks("hi")
			for range 3 {
				w.happens("SessionEnd", nil)
			}
		}, []piton.Trigger{piton.TriggerSessionEnd}},
		{"a session that was never spoken to", func(w *world) { w.starts("startup"); w.happens("PreCompact", nil); w.happens("SessionEnd", nil) }, nil},
		{"an API error", func(w *world) { w.asks("hi"); w.happens("StopFailure", map[string]any{"error": "x"}) }, []piton.Trigger{piton.TriggerError}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t)
			c.play(w)
			if diff := cmp.Diff(c.want, triggers(w)); diff != "" {
				t.Errorf("triggers (want -, got +):\n%s", diff)
			}
		})
	}
}

func TestSavedState(t *testing.T) {
	w := shop(t)
	w.asks("mend the cart")
	w.after(time.Minute)
	w.edits("main.go", "package shop\n\nconst text = `1`\n")
	w.todo(`[{"content":"mend it","status":"completed"},{"content":"test it","status":"in_progress"}]`)
	w.happens("SubagentStop", map[string]any{"agent_id": "a1", "agent_type": "explorer", "last_assistant_message": "It is in main.go."})
	w.runs("go test ./...", "ok")
	w.want(w.stops(), agent.ReasonClear)
	at := func(s string) string {
		parsed, err := time.Parse(time.RFC3339, s)
		if err != nil || parsed.After(w.now) {
			t.Errorf("got the time %q", s)
		}
		return "T"
	}
	got := w.state()
	for _, c := range got["commands"].([]any) {
		c.(map[string]any)["at"] = at(c.(map[string]any)["at"].(string))
	}
	var want map[string]any
	if err := json.Unmarshal([]byte(`{
		"task_summary": "mend the cart",
		"todos": [{"content":"mend it","status":"completed"},{"content":"test it","status":"in_progress"}],
		"files_modified": ["main.go"],
		"commands": [{"command":"go test ./...","at":"T"}],
		"agent_outputs": {"explorer":"It is in main.go."}, "last_answer": "Done.",
		"decisions": [], "git_head": "`+w.git("rev-parse", "HEAD")+`", "git_branch": "main",
		"token_usage": {"input":500,"output":100,"cache_read":10,"cache_write":5}}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("state (want -, got +):\n%s", diff)
	}
	c := w.checkpoints()[0]
	c.Origin.GitHead = c.Origin.GitHead[:4]
	origin := piton.Origin{Agent: "claude", ClientVersion: w.version, Host: "kiln", GitHead: w.git("rev-parse", "HEAD")[:4], GitBranch: "main"}
	if c.Origin != origin || c.TaskSummary != "mend the cart" || *c.Progress != 50 || *c.StepNumber != 1 || c.WorkflowType != piton.TypeSession || c.DurationMS < 60_000 || c.DurationMS > 90_000 {
		t.Errorf("got the record %+v", c)
	}
}

func TestStateOverTurns(t *testing.T) {
	w := shop(t)
	w.asks("one")
	w.edits("main.go", "package shop\n\nconst text = `1`\n")
	w.todo(`[{"content":"test it","status":"pending"}]`)
	w.runs("go test ./...", "ok")
	w.stops()
	one := w.state()
	w.after(time.Hour)
	w.asks("two")
	w.edits("README.md", "shop!\n")
	w.stops()
	two := w.state()
	if diff := cmp.Diff(one["todos"], two["todos"]); diff != "" {
		t.Errorf("todos that the turn did not touch (want -, got +):\n%s", diff)
	}
	if got := two["files_modified"]; !cmp.Equal(got, []any{"README.md", "main.go"}) {
		t.Errorf("got files_modified %v, want those of both turns", got)
	}
	if !cmp.Equal(one["commands"], two["commands"]) {
		t.Errorf("got commands %v, want those of the last turn that had any", two["commands"])
	}
	tokens := func(s map[string]any) float64 { return s["token_usage"].(map[string]any)["input"].(float64) }
	if tokens(one) != 500 || tokens(two) != 800 { // 5 messages and 3
		t.Errorf("got %v and %v input tokens, want 500 and 800", tokens(one), tokens(two))
	}
	t.Run("a damaged head is set aside, and its ancestor's todos go on", func(t *testing.T) {
		w.damage(w.checkpoints()[0])
		w.after(time.Hour)
		w.asks("three")
		w.stops()
		if diff := cmp.Diff(one["todos"], w.state()["todos"]); diff != "" {
			t.Errorf("todos (want -, got +):\n%s", diff)
		}
		if c := w.checkpoints()[1]; c.Damaged == "" {
			t.Errorf("got %+v, want it marked as damaged", c)
		}
	})
}

func TestTokensOfATurnWithManyStops(t *testing.T) {
	w := shop(t)
	changed(w) // 2 messages
	w.stops()  // held: 1
	w.runs("go test ./...", "ok")
	w.after(time.Minute)
	w.stops()
	if got := w.checkpoints()[0].DurationMS; got < 120_000 || got > 150_000 {
		t.Errorf("got %d ms of work, want the two minutes before and after the hold", got)
	}
	w.asks("two")
	w.stops()
	if got := w.checkpoints()[0].TokenUsage.Input; got != 600 {
		t.Errorf("got %d input tokens, want 600: each message once", got)
	}
}

func TestWorkflowOfASession(t *testing.T) {
	closed := func(w *world) bool {
		w.Helper()
		wf, err := w.store.Checkpoints.Workflow(w.Context(), w.session().WorkflowID, "")
		if err != nil {
			w.Fatal(err)
		}
		return wf.Closed
	}
	const open, done = `[{"content":"test it","status":"pending"}]`, `[{"content":"test it","status":"completed"}]`
	for _, c := range []struct {
		name string
		play func(w *world)
		want bool
	}{
		{"closes at a stop that is let go", func(w *world) { w.asks("hi"); w.stops() }, true},
		{"closes with all todos done", func(w *world) { w.asks("hi"); w.todo(done); w.stops() }, true},
		{"stays open with an open todo", func(w *world) { w.asks("hi"); w.todo(open); w.stops() }, false},
		{"stays open with a todo of an earlier turn", func(w *world) { w.asks("hi"); w.todo(open); w.stops(); w.asks("ho"); w.stops() }, false},
		{"closes where a command failed that says nothing of the work", func(w *world) { w.asks("hi"); w.fails("go build ./...", "main.go:1: syntax error"); w.stops() }, true},
		{"stays open with code that nothing tested", func(w *world) { w.leavesOpen() }, false},
		{"stays open with tests that failed", func(w *world) {
			w.leavesOpen()
			w.asks("ho")
			w.fails("go test ./...", "--- FAIL: TestShop\nFAIL\tshop")
			w.stops()
		}, false},
		{"stays open in a turn of something else", func(w *world) { w.leavesOpen(); w.asks("ho"); w.edits("README.md", "more\n"); w.stops() }, false},
		{"stays open with all todos done", func(w *world) { w.asks("hi"); w.todo(done); mends(w); w.stops() }, false},
		{"closes when the tests pass", func(w *world) { w.leavesOpen(); w.asks("ho"); w.runs("go test ./...", "ok  \tshop\t0.1s"); w.stops() }, true},
		{"opens again at the next prompt", func(w *world) { w.asks("hi"); w.stops(); w.asks("ho") }, false},
		{"a goodbye leaves it as it was", func(w *world) { w.asks("hi"); w.stops(); w.happens("SessionEnd", nil) }, true},
		{"a goodbye in mid-turn leaves it open", func(w *world) { w.asks("hi"); w.happens("SessionEnd", nil) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t)
			c.play(w)
			if got := closed(w); got != c.want {
				t.Errorf("got closed %v, want %v", got, c.want)
			}
		})
	}
}

func TestCurrentWorkflow(t *testing.T) {
	w := shop(t)
	w.asks("hi")
	c := w.saves(phaseOf(w, "release"))
	w.stops()
	s := w.session()
	if s.CurrentID != c.WorkflowID || s.WorkflowID == c.WorkflowID {
		t.Errorf("got the current workflow %s, want the agent's own %s: hooks do not change it", s.CurrentID, c.WorkflowID)
	}
}
