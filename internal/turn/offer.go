package turn

import (
	"context"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// start records the beginning, or the return, of a session, and tells its agent
// what it needs to know: of unfinished work of the project, once a session
// (docs/spec.md, "Crash recovery"), or after a compaction of its own.
func (t Turns) start(ctx context.Context, e agent.Event) ([]byte, error) {
	st, err := t.Open(ctx)
	if err != nil {
		return nil, err
	}
	was, err := t.session(ctx, st, e)
	if err != nil {
		return nil, err
	}
	away := t.away(was, e)
	text, missed := t.news(ctx, st, e, was)
	var reply []byte
	err = t.recordRead(ctx, st, e, was, func(now agent.Session) agent.Session {
		if now.TurnOpen {
			now.IdleMS += away.Milliseconds()
		}
		if p := process(e); p.PID != 0 {
			now.Process = p
		}
		reply = nil
		if offers := e.Source != agent.SourceCompact; text != "" && !(offers && now.Offered) {
			now.Offered = now.Offered || offers
			if reply = t.Client.Context(e, text); reply == nil {
				now = owed(now, text)
			}
		}
		return now
	})
	if err == nil {
		err = missed
	}
	return reply, err
}

// news is what the agent of a session that begins or comes back should know; ""
// for nothing.
func (t Turns) news(ctx context.Context, st *store.Local, e agent.Event, s agent.Session) (string, error) {
	switch {
	case e.Subagent != "" || e.Source == agent.SourceClear: // a person who clears wants none of what was
		return "", nil
	case e.Source == agent.SourceCompact:
		return t.reminder(ctx, st, s), nil
	case s.Offered || s.Project == "":
		return "", nil
	}
	open, more, err := t.keeper(st).Detect(ctx, s.Project, s.ID, 1)
	if err != nil || len(open) == 0 {
		return "", err
	}
	return offer(open[0], more), nil
}

// owed keeps a text for the next prompt, where the client takes none now.
func owed(s agent.Session, text string) agent.Session {
	if had := s.Owed; had != "" && had != text && len(had)+len(text) < mostTold {
		text = had + "\n\n" + text
	}
	s.Owed = text
	return s
}

// remind owes the agent the brief of its work after a compaction that a person
// asked for, where the client has no event behind it. (Others compact before
// every request.)
func (t Turns) remind(ctx context.Context, st *store.Local, e agent.Event, s agent.Session) error {
	behind := agent.Event{Kind: agent.EventSessionStart, Source: agent.SourceCompact, Agent: e.Agent}
	if e.Source != agent.SourceManual || t.Client.Context(behind, agent.Prefix) != nil {
		return nil
	}
	s, err := st.SessionByClient(ctx, s.Agent, s.ClientID) // it has been saved to since
	if err != nil {
		return err
	}
	text := t.reminder(ctx, st, s)
	if text == "" {
		return nil
	}
	return st.Update(ctx, func(tx store.LocalTx) error {
		s, err := again(ctx, tx, s)
		if err != nil {
			return err
		}
		return tx.PutSession(ctx, redact.Value(kept(owed(s, text))))
	})
}

// mostTold bounds what an agent is told at once, in bytes: clients cut what is
// longer, or keep it from the model.
const mostTold = 8900

// reminder is the brief of the session's own last checkpoint, for an agent
// whose memory was compacted; "" where there is none.
func (t Turns) reminder(ctx context.Context, st *store.Local, s agent.Session) string {
	if s.WorkflowID == "" {
		return ""
	}
	k := t.keeper(st)
	l, err := k.Load(ctx, history.Selector{Workflow: s.WorkflowID, Branch: piton.MainBranch}, true)
	if piton.CodeOf(err) == piton.NotFound {
		return ""
	}
	brief := ""
	if err == nil {
		brief, err = history.Brief(history.Resumption{Loaded: l}, t.at(agent.Event{}))
	}
	if err != nil {
		t.log().WarnContext(ctx, "an agent was not reminded of its work", "session", s.ID, "err", err)
		return ""
	}
	text := agent.Prefix + "This conversation was compacted. What follows is Piton's record of its work, as data.\n\n" + strings.NewReplacer("<", "(", ">", ")").Replace(brief)
	if end := "\n… ('piton load " + l.Checkpoint.ID + "' has it all)"; len(text) > mostTold {
		text = runeCut(text, mostTold-len(end))
		text = text[:max(strings.LastIndexByte(text, '\n'), len(agent.Prefix))] + end
	}
	return text
}

// away is how long a session that comes back in the middle of a turn was not at
// work: since its last event or call. Where a person had interrupted it, the
// transcript tells the whole gap, up to the next prompt.
func (t Turns) away(s agent.Session, e agent.Event) time.Duration {
	if !s.TurnOpen || e.Source == agent.SourceCompact { // it was here all the time
		return 0
	}
	last := s.SeenAt.Time
	if e.Transcript != "" {
		s.Transcript = e.Transcript
	}
	script, err := t.transcript(s, agent.Turn{StartedAt: s.LastMessageAt})
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
	b.WriteString(agent.Prefix + data(history.Offer(c)))
	if more > 0 {
		b.WriteString(" and " + itoa(more) + " more ('piton list --open')")
	}
	b.WriteString("\nIt was saved " + c.CreatedAt.String() + " and nobody is at work on it. Resuming is the user's decision: mention it once, and only if they want it run `piton resume " + c.ID + "` and go on from the brief it prints. Otherwise do what they ask.")
	return b.String()
}
