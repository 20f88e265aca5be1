package turn

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// note records an event that changes little. Where work passes to a subagent or
// comes back, the state is saved.
func (t Turns) note(ctx context.Context, e agent.Event) error {
	st, err := t.Open(ctx)
	if err != nil {
		return err
	}
	at := t.at(e)
	var now agent.Session
	err = t.record(ctx, st, e, func(s agent.Session) agent.Session {
		defer func() { now = s }()
		switch e.Kind {
		case agent.EventPermissionRequest:
			if s.WaitingSince.IsZero() {
				s.WaitingSince = at
			}
		case agent.EventSubagentStop:
			if out := cut(e.LastOutput, maxOutput); out != "" {
				if s.Outputs == nil {
					s.Outputs = map[string]string{}
				}
				if role := firstOf(e.Role, e.Subagent, "subagent"); len(s.Outputs) < 20 || s.Outputs[role] != "" {
					s.Outputs[cut(role, 100)] = out
				}
			}
		}
		return s
	})
	said, ok := handoff(e)
	if err != nil || !ok || !now.TurnOpen || !rested(now, piton.TriggerAgentHandoff, at) {
		return err
	}
	return t.save(ctx, st, now, piton.TriggerAgentHandoff, said, at)
}

// keep records an event and saves the state as it is.
func (t Turns) keep(ctx context.Context, e agent.Event, why piton.Trigger) error {
	st, err := t.Open(ctx)
	if err != nil {
		return err
	}
	var s agent.Session
	err = t.record(ctx, st, e, func(now agent.Session) agent.Session {
		s = now
		return now
	})
	if err != nil || s.Turn == 0 || e.Subagent != "" {
		return err
	}
	if err := t.save(ctx, st, s, why, cut(e.Error, maxError), t.at(e)); err != nil || why != piton.TriggerPreCompact {
		return err
	}
	t.daily(ctx, st, t.at(e))
	return t.remind(ctx, st, e, s)
}

// end records the session's end. It may be told 0, 1 or 3 times; the state is
// saved at the first.
func (t Turns) end(ctx context.Context, e agent.Event) error {
	st, err := t.Open(ctx)
	if err != nil {
		return err
	}
	var s agent.Session
	first := false
	err = t.record(ctx, st, e, func(now agent.Session) agent.Session {
		first = now.EndedAt.IsZero()
		now.EndedAt = t.at(e)
		s = now
		return now
	})
	if err != nil || !first || s.Turn == 0 {
		return err
	}
	defer t.daily(ctx, st, t.at(e))
	return t.save(ctx, st, s, piton.TriggerSessionEnd, "", t.at(e))
}
