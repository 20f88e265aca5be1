package turn

import (
	"context"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// tool records a tool that is done, and saves the state when it is due.
func (t Turns) tool(ctx context.Context, e agent.Event) error {
	st, err := t.Open(ctx)
	if err != nil {
		return err
	}
	at := t.at(e)
	s, err := t.used(ctx, st, e)
	if err != nil || !s.TurnOpen || e.Subagent != "" {
		return err
	}
	if why := due(s, e, at); why != "" {
		return t.save(ctx, st, s, why, "", at, edit(e, at)...)
	}
	return nil
}

// edit is the call that an event tells the end of: the client may write it into
// its log later, as Gemini CLI always does. Told twice it changes nothing.
func edit(e agent.Event, at piton.Time) []agent.Call {
	if len(e.Paths) == 0 {
		return nil
	}
	return []agent.Call{{Tool: e.Tool, Kind: agent.CallEdit, Dir: e.Cwd, Paths: e.Paths, StartedAt: at.Add(-e.Took), EndedAt: at.Time}}
}

// use looks at a tool that is about to run, before the agent goes on: the state
// is saved ahead of a command that can destroy something. Any other use is
// recorded only where the timer begins with it; nothing is opened for the rest.
func (t Turns) use(ctx context.Context, e agent.Event) error {
	risk, risky := riskOf(e)
	if !risky && t.settings(root(e)).Timer != agent.TimerActivity {
		return nil
	}
	st, err := t.Open(ctx)
	if err != nil {
		return err
	}
	s, err := t.used(ctx, st, e)
	if err != nil || !risky || s.Turn == 0 {
		return err
	}
	return t.save(ctx, st, s, piton.TriggerPreRisky, aheadOf(e.Command, risk), t.at(e))
}

// used records a tool's use.
func (t Turns) used(ctx context.Context, st *store.Local, e agent.Event) (s agent.Session, err error) {
	at := t.at(e)
	err = t.record(ctx, st, e, func(now agent.Session) agent.Session {
		s = now.Waited(at, e.Took).Used(at)
		return s
	})
	return s, err
}

// riskOf is what a shell tool's line can destroy.
func riskOf(e agent.Event) (shell.Risk, bool) {
	if e.Call != agent.CallShell || e.Command == "" {
		return shell.Risk{}, false
	}
	return shell.Risky(e.Command)
}

// aheadOf says what a checkpoint was made ahead of.
func aheadOf(line string, r shell.Risk) string {
	detail := r.Detail
	if clean, n := redact.Text(line); n > 0 {
		// The detail may be cut in the middle of a secret, which is not known as
		// one then.
		clear, _ := riskOf(agent.Event{Call: agent.CallShell, Command: clean})
		detail = clear.Detail
	}
	if detail == "" {
		detail = "a command"
	} else {
		detail = "`" + data(detail) + "`"
	}
	return "before " + detail + " (" + r.Kind + "); it keeps the state, not the files"
}

// due tells whether a tool that is done is a reason to save, so that a crash in
// the middle of a turn costs little: a file was edited and a minute has passed
// since the last save (the first edit is kept at once), or ten minutes of work
// have.
func due(s agent.Session, e agent.Event, at piton.Time) piton.Trigger {
	last := s.LastMessageAt
	if s.SavedAt.After(last.Time) {
		last = s.SavedAt
	}
	switch {
	case last.IsZero():
		return ""
	case e.Call == agent.CallEdit && passed(s.SavedAt, at, savePause) && rested(s, piton.TriggerFileChange, at):
		return piton.TriggerFileChange
	case at.Sub(last.Time) >= interval && rested(s, piton.TriggerInterval, at):
		return piton.TriggerInterval
	}
	return ""
}

// limited are the triggers that may come often: each saves at most once a
// minute.
func limited(why piton.Trigger) bool {
	return why == piton.TriggerFileChange || why == piton.TriggerInterval || why == piton.TriggerAgentHandoff
}

// rested tells whether a limited trigger may save again.
func rested(s agent.Session, why piton.Trigger, at piton.Time) bool {
	return passed(s.SavedFor[why], at, savePause)
}

// passed tells whether so much time has passed since then. A clock that was set
// back keeps nothing from being saved.
func passed(then, at piton.Time, d time.Duration) bool {
	return then.IsZero() || at.Before(then.Time) || at.Sub(then.Time) >= d
}

// Between two saves.
const (
	interval  = 10 * time.Minute // the work after which a state is saved inside a turn
	savePause = time.Minute      // of a limited trigger
)

// handoff says what a subagent's beginning or end is.
func handoff(e agent.Event) (string, bool) {
	who := ""
	if role := cut(firstOf(e.Role, e.Subagent), 100); role != "" {
		who = " " + data(role)
	}
	switch e.Kind {
	case agent.EventSubagentStart:
		return "work passes to the subagent" + who, true
	case agent.EventSubagentStop:
		return "the subagent" + who + " is done", true
	}
	return "", false
}
