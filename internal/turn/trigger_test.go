package turn_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/store"
)

// about is a shell command that is about to run.
func (w *world) about(command string, fields ...map[string]any) {
	w.Helper()
	all := map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": command}}
	for _, f := range fields {
		for k, v := range f {
			all[k] = v
		}
	}
	w.happens("PreToolUse", all)
}

func described(w *world) []string {
	w.Helper()
	var list []string
	for _, c := range w.checkpoints() {
		list = append(list, string(c.Trigger)+": "+c.Description)
	}
	return list
}

func TestRiskyCommand(t *testing.T) {
	for _, c := range []struct {
		command, want string
	}{
		{"rm -rf build", "before `rm -rf build` (delete files); it keeps the state, not the files. No file changed"},
		{"make && git reset --hard HEAD~1", "before `git reset --hard HEAD~1` (discard changes); it keeps the state, not the files. No file changed"},
		{"psql -c 'DROP TABLE users'", "before `DROP TABLE users` (destroy data); it keeps the state, not the files. No file changed"},
		{`echo "rm -rf /"`, ""},
		{"ls", ""},
		{"rm x", ""},
		{"rm -rf 'unclosed", ""},
		{"rm -rf sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-AA", "before `rm -rf [REDACTED:anthropic-key]` (delete files); it keeps the state, not the files. No file changed"},
		{strings.Repeat("x", 100_000) + "; rm -rf /", ""},
	} {
		t.Run(c.command[:min(len(c.command), 40)], func(t *testing.T) {
			w := shop(t)
			w.asks("mend it")
			w.about(c.command)
			var want []string
			if c.want != "" {
				want = []string{"pre_risky_operation: " + c.want}
			}
			got := described(w)
			for i := range got {
				if j := strings.Index(got[i], "[REDACTED:"); j >= 0 {
					k := strings.Index(got[i], "]")
					got[i] = got[i][:j] + "[REDACTED:anthropic-key" + got[i][k:]
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("checkpoints (want -, got +):\n%s", diff)
			}
		})
	}
}

func TestToolUse(t *testing.T) {
	t.Run("a harmless one opens no store", func(t *testing.T) {
		w := shop(t)
		w.open = func(context.Context) (*store.Local, error) {
			t.Error("the store was opened")
			return nil, errors.New("it was opened")
		}
		w.about("go test ./...")
		w.happens("PreToolUse", map[string]any{"tool_name": "Read"})
	})
	t.Run("an edit, a tool of a server and a failure change nothing of a session", func(t *testing.T) {
		w := shop(t)
		w.asks("mend it")
		w.happens("PermissionRequest", map[string]any{"tool_name": "Bash"})
		was := w.session()
		w.after(time.Minute)
		for _, tool := range []string{"Edit", "mcp__fs__write_file"} {
			w.happens("PreToolUse", map[string]any{"tool_name": tool, "tool_input": map[string]any{"file_path": w.path("main.go")}})
		}
		w.happens("PostToolUse", map[string]any{"tool_name": "mcp__fs__write_file"})
		for _, tool := range []string{"Bash", "Edit", "mcp__fs__write_file"} {
			w.happens("PostToolUseFailure", map[string]any{"tool_name": tool, "tool_input": map[string]any{"command": "false", "file_path": w.path("main.go")}})
		}
		if diff := cmp.Diff(was, w.session()); diff != "" {
			t.Errorf("the session (was -, is +):\n%s", diff)
		}
	})
	t.Run("one is recorded where the timer begins with it", func(t *testing.T) {
		w := shop(t)
		w.set.Timer = agent.TimerActivity
		w.asks("mend it")
		w.after(time.Minute)
		w.about("go test ./...")
		if s := w.session(); s.FirstToolUseAt != piton.At(w.now) {
			t.Errorf("got the first tool use at %s, want %s", s.FirstToolUseAt, w.now)
		}
	})
	t.Run("a subagent's risky command is saved ahead of too", func(t *testing.T) {
		w := shop(t)
		w.asks("mend it")
		w.about("rm -rf build", map[string]any{"agent_id": "a1", "agent_type": "cleaner"})
		if got := triggers(w); !cmp.Equal(got, []piton.Trigger{piton.TriggerPreRisky}) {
			t.Errorf("got %v, want one before the command", got)
		}
	})
	t.Run("automatic checkpoints can be switched off", func(t *testing.T) {
		w := shop(t)
		w.asks("mend it")
		turns := w.turns()
		turns.Saves = func(why piton.Trigger) bool { return why == piton.TriggerTurnEnd }
		for event, fields := range map[string]map[string]any{
			"PreToolUse":    {"tool_name": "Bash", "tool_input": map[string]any{"command": "rm -rf build"}},
			"SubagentStart": {"agent_id": "a1", "agent_type": "x"},
			"PostToolUse":   {"tool_name": "Edit"},
			"StopFailure":   {"error": "x"},
		} {
			if _, err := turns.Handle(t.Context(), w.event(event, fields)); err != nil {
				t.Fatal(err)
			}
		}
		if got := triggers(w); got != nil {
			t.Errorf("got %v, want none", got)
		}
	})
}

func TestHandoff(t *testing.T) {
	w := shop(t)
	subagent := func(event string) {
		w.happens(event, map[string]any{"agent_id": "a1", "agent_type": "explorer", "last_assistant_message": "It is in main.go."})
	}
	w.asks("mend it")
	subagent("SubagentStart")
	w.after(20 * time.Second)
	subagent("SubagentStop") // within the minute
	w.after(50 * time.Second)
	w.edits("main.go", "package shop\n\nconst text = `1`\n")
	subagent("SubagentStop")
	want := []string{
		"agent_handoff: the subagent explorer is done. 1 file changed since the last checkpoint: main.go. Open: `main.go` changed, and its tests (`main_test.go`) have not run since",
		"agent_handoff: work passes to the subagent explorer. No file changed",
	}
	if diff := cmp.Diff(want, described(w)); diff != "" {
		t.Errorf("checkpoints (want -, got +):\n%s", diff)
	}
	w.after(10 * time.Minute)
	w.happens("PostToolUse", nil) // each trigger has its own minute
	w.after(time.Second)
	subagent("SubagentStart")
	if got := triggers(w)[:2]; !cmp.Equal(got, []piton.Trigger{piton.TriggerAgentHandoff, piton.TriggerInterval}) {
		t.Errorf("got %v, want a handoff behind the interval", got)
	}
	w.runs("go test ./...", "ok")
	w.stops()
	w.after(time.Hour)
	subagent("SubagentStart")
	if got := triggers(w)[0]; got != piton.TriggerTurnEnd {
		t.Errorf("got %v between two turns, want none", got)
	}
}

func TestDescriptions(t *testing.T) {
	w := shop(t)
	w.asks("mend it")
	w.edits("main.go", "package shop\n\nconst text = `1`\n")
	w.happens("PostToolUse", map[string]any{"tool_name": "Edit"})
	w.after(2 * time.Minute)
	for _, name := range []string{"a.go", "b.go", "c.go", "d.go", "e.go", "f`<x>.go"} {
		w.edits(name, "package shop\n")
	}
	w.happens("PreCompact", nil)
	w.after(2 * time.Minute)
	w.happens("StopFailure", map[string]any{"error": "overloaded_error"})
	w.after(2 * time.Minute)
	w.edits("main.go", "package shop\n\nconst text = `2`\n")
	w.happens("SessionEnd", nil)
	want := []string{
		"session_end: 1 file changed since the last checkpoint: main.go. Open: `a.go`, `b.go`, `c.go`, `d.go`, `e.go`, `f(x).go`, `main.go` changed, and their tests (`main_test.go`) have not run since",
		"error: overloaded_error. No file changed since the last checkpoint. Open: `a.go`, `b.go`, `c.go`, `d.go`, `e.go`, `f(x).go`, `main.go` changed, and their tests (`main_test.go`) have not run since",
		"pre_compact: 6 files changed since the last checkpoint: a.go, b.go, c.go, d.go, e.go and 1 more. Open: `a.go`, `b.go`, `c.go`, `d.go`, `e.go`, `f(x).go`, `main.go` changed, and their tests (`main_test.go`) have not run since",
		"file_change: 1 file changed: main.go. Open: `main.go` changed, and its tests (`main_test.go`) have not run since",
	}
	if diff := cmp.Diff(want, described(w)); diff != "" {
		t.Errorf("checkpoints (want -, got +):\n%s", diff)
	}
}

// TestFailedEditIsNoWork: the files of an edit that failed are named by its event, and do
// not become files that the agent has changed.
func TestFailedEditIsNoWork(t *testing.T) {
	for event, want := range map[string]string{"PostToolUse": "file_change: 1 file changed: main.go", "PostToolUseFailure": "file_change: no changed file is known"} {
		w := plain(t, "main.go", "package shop\n")
		w.set.Timer = agent.TimerActivity
		w.asks("mend it")
		w.write("main.go", "package shop\n\nconst text = `1`\n")
		w.happens(event, map[string]any{"tool_name": "Edit", "tool_input": map[string]any{"file_path": w.path("main.go")}})
		if diff := cmp.Diff([]string{want}, described(w)); diff != "" {
			t.Errorf("%s: checkpoints (want -, got +):\n%s", event, diff)
		}
	}
}

// TestEditBeforeItsLine: a client writes an edit into its log behind the hook's
// back, if not long after. The state names the file all the same, once.
func TestEditBeforeItsLine(t *testing.T) {
	for name, w := range map[string]*world{"in a repository": shop(t), "in a plain folder": plain(t, "main.go", "package shop\n")} {
		t.Run(name, func(t *testing.T) {
			w.TB = t
			edit := map[string]any{"tool_name": "Edit", "tool_input": map[string]any{"file_path": w.path("main.go")}, "duration_ms": 5}
			w.asks("mend it")
			w.write("main.go", "package shop\n\nconst text = `1`\n")
			w.happens("PostToolUse", edit)
			w.after(2 * time.Minute)
			w.edits("main.go", "package shop\n\nconst text = `2`\n") // now it stands there
			w.happens("PostToolUse", edit)
			want := []string{"file_change: 1 file changed since the last checkpoint: main.go", "file_change: 1 file changed: main.go"}
			if name == "in a repository" { // with a module and its tests
				for i := range want {
					want[i] += ". Open: `main.go` changed, and its tests (`main_test.go`) have not run since"
				}
			}
			if diff := cmp.Diff(want, described(w)); diff != "" {
				t.Errorf("checkpoints (want -, got +):\n%s", diff)
			}
		})
	}
}
