package turn

import (
	"context"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/history"
)

// note records an event that changes little.
func (t Turns) note(ctx context.Context, e piton.Event) error {
	st, err := t.Open(ctx)
	if err != nil {
		return err
	}
	return t.record(ctx, st, e, func(s piton.Session) piton.Session {
		switch e.Kind {
		case piton.EventPermissionRequest:
			if s.WaitingSince.IsZero() {
				s.WaitingSince = t.at(e)
			}
		case piton.EventSubagentStop:
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
}

// start records the beginning, or the return, of a session, and offers
// unfinished work of the project (docs/spec.md, "Crash recovery").
func (t Turns) start(ctx context.Context, e piton.Event) ([]byte, error) {
	st, err := t.Open(ctx)
	if err != nil {
		return nil, err
	}
	was, err := t.session(ctx, st, e)
	if err != nil {
		return nil, err
	}
	away := t.away(was, e)
	var s piton.Session
	err = t.record(ctx, st, e, func(now piton.Session) piton.Session {
		if now.TurnOpen {
			now.IdleMS += away.Milliseconds()
		}
		if p := process(e.PID); p.PID != 0 {
			now.Process = p
		}
		s = now
		return now
	})
	if err != nil || e.Subagent != "" || e.Source == "compact" || e.Source == "clear" || s.Project == "" {
		return nil, err
	}
	open, more, err := t.keeper(st).Detect(ctx, s.Project, s.ID, 1)
	if err != nil || len(open) == 0 {
		return nil, err
	}
	return t.Client.Context(e, offer(open[0], more)), nil
}

// away is how long a session that comes back in the middle of a turn was not at
// work: since its last event or call. Where a person had interrupted it, the
// transcript tells the whole gap, up to the next prompt.
func (t Turns) away(s piton.Session, e piton.Event) time.Duration {
	if !s.TurnOpen || e.Source == "compact" { // it was here all the time
		return 0
	}
	last := s.SeenAt.Time
	if e.Transcript != "" {
		s.Transcript = e.Transcript
	}
	script, err := t.transcript(s, piton.Turn{StartedAt: s.LastMessageAt})
	switch {
	case err != nil: // the events have to do
	case !script.Interrupted.IsZero():
		return 0
	default:
		for _, c := range script.Calls {
			if c.EndedAt.After(last) {
				last = c.EndedAt
			}
		}
	}
	return max(t.at(e).Sub(last), 0)
}

// offer is what an agent is told of unfinished work.
func offer(c piton.Checkpoint, more int) string {
	var b strings.Builder
	b.WriteString(piton.Prefix + data(history.Offer(c)))
	if more > 0 {
		b.WriteString(" and " + itoa(more) + " more ('piton list --open')")
	}
	b.WriteString("\nIt was saved " + c.CreatedAt.String() + " and nobody is at work on it. Resuming is the user's decision: mention it once, and only if they want it run `piton resume " + c.ID + "` and go on from the brief it prints. Otherwise do what they ask.")
	return b.String()
}

// tool records a tool use, and saves the state when it is due.
func (t Turns) tool(ctx context.Context, e piton.Event) error {
	st, err := t.Open(ctx)
	if err != nil {
		return err
	}
	at := t.at(e)
	var s piton.Session
	err = t.record(ctx, st, e, func(now piton.Session) piton.Session {
		s = now.Waited(at, e.Took).Used(at)
		return s
	})
	if err != nil || !s.TurnOpen || e.Subagent != "" {
		return err
	}
	if why := due(s, e, at); why != "" {
		return t.save(ctx, st, s, why, at)
	}
	return nil
}

// due tells whether a tool that is done is a reason to save, so that a crash in
// the middle of a turn costs little: a file was edited and a minute has passed
// since the last save (the first edit is kept at once), or ten minutes of work
// have.
func due(s piton.Session, e piton.Event, at piton.Time) piton.Trigger {
	last := s.LastMessageAt
	if s.SavedAt.After(last.Time) {
		last = s.SavedAt
	}
	switch {
	case last.IsZero():
		return ""
	case e.Call == piton.CallEdit && at.Sub(s.SavedAt.Time) >= editsPause:
		return piton.TriggerFileChange
	case at.Sub(last.Time) >= interval:
		return piton.TriggerInterval
	}
	return ""
}

// keep records an event and saves the state as it is.
func (t Turns) keep(ctx context.Context, e piton.Event, why piton.Trigger) error {
	st, err := t.Open(ctx)
	if err != nil {
		return err
	}
	var s piton.Session
	err = t.record(ctx, st, e, func(now piton.Session) piton.Session {
		s = now
		return now
	})
	if err != nil || s.Turn == 0 || e.Subagent != "" {
		return err
	}
	if why == piton.TriggerPreCompact {
		defer t.daily(ctx, st, t.at(e))
	}
	return t.save(ctx, st, s, why, t.at(e))
}

// end records the session's end. It may be told 0, 1 or 3 times; the state is
// saved at the first.
func (t Turns) end(ctx context.Context, e piton.Event) error {
	st, err := t.Open(ctx)
	if err != nil {
		return err
	}
	var s piton.Session
	first := false
	err = t.record(ctx, st, e, func(now piton.Session) piton.Session {
		first = now.EndedAt.IsZero()
		now.EndedAt = t.at(e)
		s = now
		return now
	})
	if err != nil || !first || s.Turn == 0 {
		return err
	}
	defer t.daily(ctx, st, t.at(e))
	return t.save(ctx, st, s, piton.TriggerSessionEnd, t.at(e))
}
