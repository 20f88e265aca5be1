package turn

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
)

// start records the beginning, or the return, of a session, and tells its agent
// what it needs to know: of unfinished work of the project, once a session
// (docs/spec.md, "Crash recovery"), or after a compaction of its own.
func (h *handler) start(ctx context.Context) ([]byte, error) {
	e := h.event
	was, err := h.session(ctx)
	if err != nil {
		return nil, err
	}
	away := h.away(was)
	text, offered, missed := h.news(ctx, was)
	process, told := process(e)
	pane := opened(e.Agent, process, h.at)
	var reply []byte
	err = h.commit(ctx, was, func(now agent.Session) *outcome {
		s := h.seen(now)
		if s.Turn == 0 && (e.Source == agent.SourceStartup || e.Source == agent.SourceClear) {
			s.SeenAll = true // nothing was said in this conversation yet
		}
		if s.TurnOpen {
			s.IdleMS += away.Milliseconds()
		}
		if told {
			s.Process, s.Pane = process, cmp.Or(pane, s.Pane)
		}
		reply = nil
		if offers := e.Source != agent.SourceCompact; text != "" && !(offers && s.Offered) {
			if offers {
				s.Offered, s.Offer = true, offered
			}
			if reply = h.Client.Context(e, text); reply == nil {
				s = owed(s, text)
			}
		}
		return h.outcome(s)
	})
	err = cmp.Or(err, missed)
	return reply, err
}

// news is what the agent of a session that begins or comes back should know, ""
// for nothing, and the checkpoint that it is offered.
func (h *handler) news(ctx context.Context, s agent.Session) (text, offered string, err error) {
	switch {
	case h.event.Subagent != "" || h.event.Source == agent.SourceClear: // a person who clears wants none of what was
		return "", "", nil
	case h.event.Source == agent.SourceCompact:
		return h.reminder(ctx, s), "", nil
	case s.Offered || s.Project == "":
		return "", "", nil
	}
	c, more, err := h.unfinished(ctx, s)
	if err != nil || c.ID == "" {
		return "", "", err
	}
	if h.Store != "" { // what is offered may be another machine's
		if _, err := h.store.Checkpoints.Checkpoint(ctx, c.ID); piton.CodeOf(err) == piton.NotFound {
			return offer(c, true, piton.Run{}, more, ""), c.ID, nil
		}
	}
	if run, err := h.keeper(h.store).OpenRun(ctx, c); err == nil {
		return offer(c, false, run, more, ""), c.ID, nil
	}
	return offer(c, false, piton.Run{}, more, h.afterSave(ctx, s, c)), c.ID, nil
}

// owed keeps a text for the next prompt, where the client takes none now.
func owed(s agent.Session, text string) agent.Session {
	if had := s.Owed; had != "" && had != text && len(had)+len(text) < maxTold {
		text = had + "\n\n" + strings.TrimPrefix(text, agent.Prefix)
	}
	s.Owed = text
	return s
}

// remind owes the agent the brief of its work after a compaction that a person
// asked for, where the client has no event behind it. (Others compact before
// every request.)
func (h *handler) remind(ctx context.Context, s agent.Session) error {
	behind := agent.Event{Kind: agent.EventSessionStart, Source: agent.SourceCompact, Agent: h.event.Agent}
	if h.event.Source != agent.SourceManual || h.Client.Context(behind, agent.Prefix) != nil {
		return nil
	}
	s, err := h.store.SessionByClient(ctx, s.Agent, s.ClientID) // it has been saved to since
	if err != nil {
		return err
	}
	text := h.reminder(ctx, s)
	if text == "" {
		return nil
	}
	return h.commit(ctx, s, func(now agent.Session) *outcome { return &outcome{session: owed(now, text)} })
}

// maxTold bounds what an agent is told at once, in bytes: clients cut what is
// longer, or keep it from the model.
const maxTold = 8900

// reminder is the brief of the session's own last checkpoint, for an agent
// whose memory was compacted; "" where there is none.
func (h *handler) reminder(ctx context.Context, s agent.Session) string {
	if s.WorkflowID == "" {
		return ""
	}
	l, err := h.keeper(h.store).Load(ctx, history.Selector{Workflow: s.WorkflowID, Branch: piton.MainBranch}, true)
	if piton.CodeOf(err) == piton.NotFound {
		return ""
	}
	brief := ""
	if err == nil {
		brief, err = history.Brief(history.Resumption{Loaded: l}, h.now())
	}
	if err != nil {
		h.log().WarnContext(ctx, "an agent was not reminded of its work", "session", s.ID, "err", err)
		return ""
	}
	text := agent.Prefix + "This conversation was compacted. What follows is Piton's record of its work, as data.\n\n" + strings.NewReplacer("<", "(", ">", ")").Replace(brief)
	if end := "\n… ('piton load " + l.Checkpoint.ID + "' has it all)"; len(text) > maxTold {
		text = piton.Cut(text, maxTold-len(end))
		text = text[:max(strings.LastIndexByte(text, '\n'), len(agent.Prefix))] + end
	}
	return text
}

// away is how long a session that comes back in the middle of a turn was not at
// work: since its last event or call. Where a person had interrupted it, the
// transcript tells the whole gap, up to the next prompt.
func (h *handler) away(s agent.Session) time.Duration {
	if !s.TurnOpen || h.event.Source == agent.SourceCompact { // it was here all the time
		return 0
	}
	last := s.SeenAt.Time
	s.Transcript = cmp.Or(h.event.Transcript, s.Transcript)
	script, err := h.transcript(s, agent.Turn{StartedAt: s.LastMessageAt})
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
	return max(h.at.Sub(last), 0)
}
