package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Work that a session has taken over from another one (docs/spec.md, "Crash
// recovery"): its checkpoints bear the task's name and begin with what the other
// one left, and when it is finished, so is the other's.

// Take notes that a session has resumed a checkpoint: that its agent ran 'piton
// resume', or was given the brief. Its own work it cannot take over, but that gives the
// session its name back.
func Take(ctx context.Context, local *store.Local, session string, c piton.Checkpoint, task string, at piton.Time) error {
	if session == "" {
		return nil
	}
	return local.Update(ctx, func(tx store.LocalTx) error {
		s, err := tx.Session(ctx, session)
		if err != nil {
			return err
		}
		s, other := takes(s, c, task, at)
		if err := tx.PutSession(ctx, redact.Value(s)); err != nil || !other {
			return err
		}
		return takenBy(ctx, tx, c, s.ID)
	})
}

// takes is a session after it has resumed a checkpoint, and whether that is another
// one's work. What it has taken over before, its own later saves are part of.
func takes(s agent.Session, c piton.Checkpoint, task string, at piton.Time) (_ agent.Session, other bool) {
	t := tookOf(c, task, at)
	own := c.SessionID == s.ID || c.WorkflowID != "" && c.WorkflowID == s.WorkflowID
	switch {
	case !own:
		return s.Takes(t), true
	case s.Took == nil:
		t.Session, t.Asked = "", true // what it left open is its own
		s.Took = &t
	}
	return s, false
}

func tookOf(c piton.Checkpoint, task string, at piton.Time) agent.Took {
	t := agent.Took{Checkpoint: c.ID, Workflow: c.WorkflowID, Task: piton.Cut(cmp.Or(task, c.Workflow, c.Step()), maxMessage), At: at}
	if c.WorkflowType == piton.TypeSession {
		t.Session = c.SessionID
	}
	return t
}

// quoted is the checkpoint whose brief a prompt is; nil for any other prompt. Of
// one that is not here, because it is another machine's, the brief tells the task.
func (h *handler) quoted(ctx context.Context, prompt string) *piton.Checkpoint {
	id, task, ok := history.Quoted(prompt)
	if !ok {
		return nil
	}
	c, err := h.store.Checkpoints.Checkpoint(ctx, id)
	if err != nil || c.ID != id {
		c = piton.Checkpoint{ID: id}
	}
	c.TaskSummary = cut(task, maxMessage)
	return &c
}

// take lets the outcome's session resume a checkpoint; nil: none.
func (o *outcome) take(c *piton.Checkpoint, at piton.Time) {
	if c == nil {
		return
	}
	var other bool
	if o.session, other = takes(o.session, *c, c.TaskSummary, at); other {
		o.takes = c
	}
}

// worked is the session after a stop, with the mark that it has done something
// about the work that it took over: changed a file, or run a check. To have read
// the brief and the files finishes nothing.
func worked(s agent.Session, x situation) agent.Session {
	if s.Took == nil || s.Took.Worked {
		return s
	}
	done := len(owned(x.result.Files)) > 0 || slices.ContainsFunc(x.found.script.Calls, func(c agent.Call) bool {
		check := c.Kind == agent.CallShell && checks(c.Command)
		return (check || c.Kind == agent.CallEdit) && !c.Failed && c.StartedAt.After(s.Took.At.Time)
	})
	if done {
		t := *s.Took
		t.Worked = true
		s.Took = &t
	}
	return s
}

// checks reports whether a command line runs a test, a build or a linter.
func checks(line string) bool {
	commands, err := shell.Parse(line)
	if err != nil {
		return false
	}
	checks := shell.Doing(tools.Tests | tools.Umbrella | tools.Checks)
	return slices.ContainsFunc(commands, func(c shell.Command) bool { return len(c.Words) > 0 && c.Spellings().MatchAny(checks) })
}

// left is the state that a session with taken-over work begins with: its own, and
// once what the other session left, with what came after that one's last save.
func (h *handler) left(ctx context.Context, s agent.Session, own sessionState) sessionState {
	if s.Took == nil || own.ResumedFrom == s.Took.Checkpoint || s.Took.Session == "" {
		return own
	}
	l, err := h.keeper(h.store).Load(ctx, history.Selector{ID: s.Took.Checkpoint}, true)
	var was sessionState
	if err == nil {
		err = json.Unmarshal(l.State, &was)
	}
	if err != nil {
		h.log().InfoContext(ctx, "the state that was taken over cannot be read", "session", s.ID, "checkpoint", s.Took.Checkpoint, "err", err)
		return own
	}
	if since := h.Since(ctx, s.Root, l.Checkpoint, l.State); since != nil && since.Known {
		if len(since.Todos) > 0 {
			was.Todos = since.Todos
		}
		if len(since.Announced) > 0 {
			was.Announced = &announced{s.Turn, since.Announced}
		}
		for _, f := range since.Files {
			was.FilesModified = append(was.FilesModified, f.Path)
			if f.Is == history.FileDeleted {
				was.FilesDeleted = append(was.FilesDeleted, f.Path)
			}
		}
	}
	own.FilesModified = union(own.FilesModified, was.FilesModified)
	if len(was.FilesDeleted) > 0 {
		own.FilesDeleted = union(own.FilesDeleted, was.FilesDeleted)
	}
	own.Decisions = append(was.Decisions, own.Decisions...)
	if own.Announced == nil && was.Announced != nil {
		own.Announced = &announced{s.Turn, was.Announced.Steps}
	}
	if len(own.Todos) == 0 {
		for _, t := range was.Todos {
			t.ID = takenTodo + t.ID
			own.Todos = append(own.Todos, t)
		}
	}
	return own
}
