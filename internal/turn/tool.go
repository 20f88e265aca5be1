package turn

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/shell"
)

// use looks at a tool that is about to run, before the agent goes on: the state
// is saved ahead of a command that can destroy something. Any other use is
// recorded only where the timer begins with it; nothing is opened for the rest.
func (h *handler) use(ctx context.Context) error {
	risk, risky := riskOf(h.event)
	if !risky && h.settings(root(h.event)).Timer != agent.TimerActivity {
		return nil
	}
	s, err := h.used(ctx)
	if err != nil || !risky || s.Turn == 0 {
		return err
	}
	return h.save(ctx, s, piton.TriggerPreRisky, aheadOf(h.event.Command, risk))
}

// tool records a tool that is done, and saves the state when it is due.
func (h *handler) tool(ctx context.Context) error {
	s, err := h.used(ctx)
	if err != nil || !s.TurnOpen || h.event.Subagent != "" {
		return err
	}
	if why := s.DueSave(h.event.Call, h.at); why != "" {
		return h.save(ctx, s, why, "", h.edit()...)
	}
	return nil
}

// used records a tool's use.
func (h *handler) used(ctx context.Context) (agent.Session, error) {
	return h.record(ctx, func(s agent.Session) agent.Session { return s.Waited(h.at, h.event.Took).Used(h.at) })
}

// edit is the call that the event reports as done: the client may write it into
// its log later, as Gemini CLI always does. To have it twice changes nothing.
func (h *handler) edit() []agent.Call {
	e := h.event
	if len(e.Paths) == 0 {
		return nil
	}
	return []agent.Call{{Tool: e.Tool, Kind: agent.CallEdit, Dir: e.Cwd, Paths: e.Paths, StartedAt: h.at.Add(-e.Took), EndedAt: h.at.Time}}
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
	if clean := cleaned(line); clean != line {
		// The detail may be cut in the middle of a secret, which is not known as
		// one then.
		clear, _ := shell.Risky(clean)
		detail = clear.Detail
	}
	if detail == "" {
		detail = "a command"
	} else {
		detail = "`" + inline(detail) + "`"
	}
	return "before " + detail + " (" + r.Kind + "); it keeps the state, not the files"
}
