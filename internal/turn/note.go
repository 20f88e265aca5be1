package turn

import (
	"cmp"
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// keep records an event and saves the state as it is.
func (h *handler) keep(ctx context.Context, why piton.Trigger) error {
	s, err := h.record(ctx, unchanged)
	if err != nil || s.Turn == 0 || h.event.Subagent != "" {
		return err
	}
	if err := h.save(ctx, s, why, cut(h.event.Error, maxError)); err != nil || why != piton.TriggerPreCompact {
		return err
	}
	h.daily(ctx)
	return h.remind(ctx, s)
}

func unchanged(s agent.Session) agent.Session { return s }

// end records the session's end. It may be reported 0, 1 or 3 times; the state is
// saved at the first.
func (h *handler) end(ctx context.Context) error {
	first := false
	s, err := h.record(ctx, func(s agent.Session) agent.Session {
		first = s.EndedAt.IsZero()
		s.EndedAt = h.at
		return s
	})
	if err != nil || !first || s.Turn == 0 {
		return err
	}
	defer h.daily(ctx)
	return h.save(ctx, s, piton.TriggerSessionEnd, "")
}

// maxOutputs bounds the subagents whose last words a session keeps.
const maxOutputs = 20

// note records an event that changes little. Where work passes to a subagent or
// comes back, the state is saved.
func (h *handler) note(ctx context.Context) error {
	e := h.event
	s, err := h.record(ctx, func(s agent.Session) agent.Session {
		switch {
		case e.Kind == agent.EventPermissionRequest && s.WaitingSince.IsZero():
			s.WaitingSince = h.at
		case e.Kind == agent.EventSubagentStop:
			out, role := cut(e.LastOutput, maxOutput), cmp.Or(e.Role, e.Subagent, "subagent")
			if out == "" || len(s.Outputs) >= maxOutputs && s.Outputs[role] == "" {
				break
			}
			if s.Outputs == nil {
				s.Outputs = map[string]string{}
			}
			s.Outputs[cut(role, maxRole)] = out
		}
		return s
	})
	said := handoff(e)
	if err != nil || said == "" || !s.TurnOpen || !s.MaySave(piton.TriggerAgentHandoff, h.at) {
		return err
	}
	return h.save(ctx, s, piton.TriggerAgentHandoff, said)
}

// handoff says what a subagent's beginning or end is; "" for other events.
func handoff(e agent.Event) string {
	who := ""
	if role := cut(cmp.Or(e.Role, e.Subagent), maxRole); role != "" {
		who = " " + inline(role)
	}
	switch e.Kind {
	case agent.EventSubagentStart:
		return "work passes to the subagent" + who
	case agent.EventSubagentStop:
		return "the subagent" + who + " is done"
	}
	return ""
}
