package turn_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/claude"
	"github.com/piton-project/piton/internal/store"
)

// each tells stories of every client.
func each(t *testing.T, stories []story) {
	t.Helper()
	for name, client := range map[string]client.Client{"claude": claude.Client{}, "gemini": gemini(), "codex": fake{name: "codex", takes: func(agent.Event) bool { return true }}} {
		for _, s := range stories {
			t.Run(name+", "+s.name, func(t *testing.T) {
				w := shop(t)
				w.client = client
				s.play(w)
			})
		}
	}
}

func (w *world) sessions() []agent.Session {
	w.Helper()
	list, err := w.store.Sessions(w.Context(), store.SessionQuery{})
	if err != nil {
		w.Fatal(err)
	}
	return list
}

func TestSessions(t *testing.T) {
	subagent := map[string]any{"agent_id": "a1", "agent_type": "explorer", "last_assistant_message": "Found."}
	each(t, []story{
		{"a subagent's tools and stops neither end nor hold the turn", func(w *world) {
			changed(w)
			for _, event := range []string{"SubagentStart", "PreToolUse", "PostToolUse", "Stop", "SubagentStop", "SessionEnd"} {
				if got := w.happens(event, subagent); len(got) > 0 {
					w.Errorf("%s: got %q, want silence", event, got)
				}
			}
			if s := w.session(); !s.TurnOpen || s.Holds != 0 || !s.EndedAt.IsZero() {
				w.Errorf("got %+v, want the turn open and unheld", s)
			}
			w.want(w.stops(), agent.ReasonHeld)
		}},
		{"a subagent's return does not refill the budget", func(w *world) {
			changed(w)
			for range 2 {
				w.want(w.stops(), agent.ReasonHeld)
				w.happens("SubagentStop", subagent)
				w.machine("<task-notification>done</task-notification>")
				mends(w)
				w.after(time.Minute)
			}
			w.want(w.stops(), agent.ReasonBudget)
		}},
		{"a resume goes on with the same session, turn and baseline", func(w *world) {
			w.write("old.go", "package shop\n") // dirty before
			changed(w)
			before := w.session()
			w.happens("SessionEnd", map[string]any{"reason": "other"})
			w.after(time.Hour)
			w.starts("resume")
			if s := w.session(); s.ID != before.ID || s.Turn != 1 || !s.TurnOpen || !s.EndedAt.IsZero() {
				w.Errorf("got %+v, want the session as it was", s)
			}
			w.want(w.stops(), agent.ReasonHeld, "main.go")
			if files := w.decision().Files; slices.ContainsFunc(files, func(f agent.FileChange) bool { return f.Path == "old.go" }) {
				w.Errorf("got %v, want the baseline kept", files)
			}
		}},
		{"a fork is a session of its own", func(w *world) {
			changed(w)
			was := w.session()
			w.another()
			w.starts("fork")
			w.asks("try it otherwise")
			if s := w.session(); s.ID == was.ID || s.Turn != 1 || len(w.sessions()) != 2 {
				w.Errorf("got %+v, want another session in its first turn", s)
			}
		}},
		{"clearing ends the one and begins another", func(w *world) {
			changed(w)
			old := w.id
			w.happens("SessionEnd", map[string]any{"reason": "clear"})
			w.another()
			if got := w.starts("clear"); got != "" {
				w.Errorf("got %q, want silence", got)
			}
			w.asks("something else")
			new := w.session()
			w.id = old
			if was := w.session(); was.EndedAt.IsZero() || was.ID == new.ID || !new.EndedAt.IsZero() {
				w.Errorf("got %+v and %+v, want the first ended and another begun", was, new)
			}
		}},
		{"an interrupted turn stays open with its baseline", func(w *world) {
			w.write("old.go", "package shop\n")
			changed(w)
			w.interrupted()
			w.after(time.Hour)
			w.asks("go on")
			mends(w)
			w.want(w.stops(), agent.ReasonHeld, "main.go")
			if s, files := w.session(), w.decision().Files; s.Turn != 1 || len(files) != 1 {
				w.Errorf("got turn %d and %v, want the first with its one file", s.Turn, files)
			}
		}},
		{"a cancelled request is never held, and its turn stays open", func(w *world) {
			changed(w)
			w.interrupted()
			if got := w.answer(w.happens("Stop", map[string]any{"last_assistant_message": "Do"})); got != "" {
				w.Errorf("got %q, want silence", got)
			}
			if d := w.decision(); d.Reason != agent.ReasonCancelled || !w.session().TurnOpen {
				w.Errorf("got %q, want it let go with the turn open", d.Reason)
			}
		}},
		{"an API error is never held", func(w *world) {
			changed(w)
			if got := w.happens("StopFailure", map[string]any{"error": "overloaded"}); len(got) > 0 || !w.session().TurnOpen {
				w.Errorf("got %q, want silence and the turn open", got)
			}
		}},
		{"a shell in the background does not switch debriefs off", func(w *world) {
			changed(w)
			w.want(w.stops(map[string]any{"background_tasks": []any{map[string]any{"id": "b1", "type": "shell", "status": "running"}}}), agent.ReasonHeld)
		}},
		{"its end may be told never, once or three times", func(w *world) {
			for _, times := range []int{0, 1, 3} {
				w.another()
				w.asks("hi")
				for range times {
					w.happens("SessionEnd", nil)
				}
				if s, n := w.session(), len(w.checkpoints()); s.EndedAt.IsZero() != (times == 0) || n != min(times, 1) {
					w.Errorf("%d times: got it ended at %v with %d checkpoints", times, s.EndedAt, n)
				}
			}
		}},
	})
}

func TestSeveralSessionsInOneTree(t *testing.T) {
	mine := func(w *world) {
		w.Helper()
		w.asks("format it")
		w.after(time.Minute)
	}
	// other edits a file while our own shell call runs.
	other := func(w *world) {
		w.Helper()
		id, script := w.id, w.script
		w.another()
		w.asks("mend main.go")
		w.edits("main.go", "package shop\n\nconst text = `theirs`\n")
		w.happens("PostToolUse", map[string]any{"tool_name": "Write"})
		w.id, w.script = id, script
	}
	touch := func(w *world, name string) {
		at := w.now.Add(2 * time.Second) // inside the next call
		if err := os.Chtimes(w.path(name), at, at); err != nil {
			w.Fatal(err)
		}
	}
	tell(t, []story{
		{"a file that another session edits is not ours by its time", func(w *world) {
			mine(w)
			other(w)
			touch(w, "main.go")
			w.runs("make gen", "")
			w.want(w.stops(), agent.ReasonNothing)
			if diff := cmp.Diff([]agent.FileChange{{Path: "main.go", Whose: agent.OwnerForeign}}, w.decision().Files); diff != "" {
				w.Errorf("files (want -, got +):\n%s", diff)
			}
		}},
		{"nor is one that another session writes in its shell", func(w *world) {
			mine(w)
			id, script := w.id, w.script
			w.another()
			w.asks("mend main.go")
			w.runs("echo 'package shop // theirs' > main.go", "")
			w.happens("PostToolUse", map[string]any{"tool_name": "Bash"})
			w.id, w.script = id, script
			w.write("main.go", "package shop\n\nconst text = `theirs`\n")
			touch(w, "main.go")
			w.runs("make gen", "")
			w.want(w.stops(), agent.ReasonNothing)
		}},
		{"one that both edit is", func(w *world) {
			mine(w)
			other(w)
			w.edits("main.go", "package shop\n\nconst text = `ours`\n")
			w.want(w.stops(), agent.ReasonHeld, "main.go")
		}},
		{"what one does that was there before this turn does not count", func(w *world) {
			other(w)
			w.after(time.Hour)
			mine(w)
			w.write("main.go", "package shop\n\nconst text = `ours`\n")
			touch(w, "main.go")
			w.runs("make gen", "")
			w.want(w.stops(), agent.ReasonHeld, "main.go")
		}},
		{"a transcript that is away keeps nothing from being decided", func(w *world) {
			mine(w)
			other(w)
			for _, s := range w.sessions() {
				if s.ClientID != w.id {
					if err := os.Remove(s.Transcript); err != nil {
						w.Fatal(err)
					}
				}
			}
			touch(w, "main.go")
			w.runs("make gen", "")
			w.want(w.stops(), agent.ReasonHeld, "main.go")
		}},
	})
}

func TestTreesOfOneRepository(t *testing.T) {
	w := shop(t)
	w.asks("one")
	main := w.session()
	tree := filepath.Join(t.TempDir(), "tree")
	w.git("worktree", "add", "-q", "-b", "side", tree)
	w.root = resolved(t, tree)
	w.env["CLAUDE_PROJECT_DIR"] = w.root
	w.another()
	changed(w)
	side := w.session()
	if side.Project != main.Project || side.Root == main.Root || side.Root != w.root {
		t.Errorf("got project %s in %s and %s in %s, want one project with two roots", side.Project, side.Root, main.Project, main.Root)
	}
	w.want(w.stops(), agent.ReasonHeld, "main.go")
}

func TestWorkItem(t *testing.T) {
	const plan = "# Cart\n\n## Files to Change\n\n- `cart/cart.go`\n"
	for _, c := range []struct {
		name  string
		files []string
		item  string // the setting
		git   []string
		want  string // in the message; "" for nothing about a plan
	}{
		{"the only one there is", []string{"todos/cart/implementation-plan.md", plan}, "", nil, "cart"},
		{"of two the one named like the branch", []string{"todos/cart/implementation-plan.md", plan, "todos/till/implementation-plan.md", plan}, "", []string{"checkout", "-qb", "feature/till"}, "till"},
		{"of two neither", []string{"todos/cart/implementation-plan.md", plan, "todos/till/implementation-plan.md", plan}, "", nil, ""},
		{"by its slug", []string{"todos/cart/implementation-plan.md", plan, "todos/till/implementation-plan.md", plan}, "till", nil, "till"},
		{"by its folder", []string{"plans/till/implementation-plan.md", plan}, "plans/till", nil, "till"},
		{"by its plan", []string{"plans/till.md", plan}, "plans/till.md", nil, "till"},
		{"outside of the tree", nil, "../../etc/passwd.md", nil, ""},
		{"not there", nil, "cart", nil, ""},
		{"a plan that fits", []string{"todos/cart/implementation-plan.md", "## Files to Change\n\n- `main.go`\n"}, "", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t, c.files...)
			if len(c.git) > 0 {
				w.git(c.git...)
			}
			w.set.WorkItem = c.item
			changed(w)
			answer := w.stops()
			w.want(answer, agent.ReasonHeld)
			if got := strings.Contains(answer, "The active work item"); got != (c.want != "") || !strings.Contains(answer, c.want) {
				t.Errorf("got %q, want %q of a plan in it", answer, c.want)
			}
		})
	}
	t.Run("a pipe in its place", func(t *testing.T) {
		w := shop(t)
		if err := os.MkdirAll(w.path("todos/cart"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(w.path("todos/cart/implementation-plan.md"), 0o600); err != nil {
			t.Fatal(err)
		}
		changed(w)
		w.want(w.stops(), agent.ReasonHeld) // and comes back
	})
}

func TestModesPerAgent(t *testing.T) {
	each(t, []story{
		{"its own mode", func(w *world) {
			w.set.Agents = map[string]string{"gemini": "audit", "codex": "off"}
			changed(w)
			want := map[string]agent.Reason{"claude": agent.ReasonHeld, "gemini": agent.ReasonAudit, "codex": agent.ReasonOff}[w.client.Name()]
			w.want(w.stops(), want)
			if d := w.decision(); d.Agent != w.client.Name() {
				w.Errorf("got the agent %q, want %q", d.Agent, w.client.Name())
			}
		}},
	})
}

func TestDecisionsAreCounted(t *testing.T) {
	w := shop(t)
	changed(w)
	w.stops()
	w.stops()
	got := map[string]int64{}
	list, err := w.store.Checkpoints.Metrics(t.Context(), piton.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		if m.Project == "" || m.Day == "" {
			t.Errorf("got %+v, want a day and a project", m)
		}
		got[m.Name] += m.N
	}
	for name, want := range map[string]int64{"stop_decisions_held": 1, "stop_decisions_no_activity": 1, "stop_held_category_Go code": 1, "checkpoint_save_count": 1} {
		if got[name] != want {
			t.Errorf("%s: got %d, want %d, in %v", name, got[name], want, got)
		}
	}
}

func TestLogCheck(t *testing.T) {
	w := shop(t)
	w.set.LogCheck = "./logs.sh"
	w.asks("mend it")
	w.after(4 * time.Minute)
	w.edits("main.go", "package shop\n\nconst text = `1`\n")
	w.want(w.stops(), agent.ReasonHeld, "./logs.sh --since 5m")
}
