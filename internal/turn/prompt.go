package turn

import (
	"context"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/reach"
)

// prompt records a person's message. One that opens a turn takes the baseline:
// what git calls changed before the agent has done anything. The answer is
// what the agent is owed.
func (h *handler) prompt(ctx context.Context) ([]byte, error) {
	e := h.event
	dir := root(e)
	opening := atOnce(func() opening { return h.opening(ctx, dir) })
	was, err := h.session(ctx)
	if err != nil {
		return nil, err
	}
	if was.Echoes(e.Prompt) {
		return nil, h.ours(ctx)
	}
	h.takeMarkers(was.ID) // one of an earlier prompt lets nothing of this one through
	text, waited := cut(e.Prompt, maxMessage), h.waited(was)
	process, told := process(e)
	var base []byte
	var marked taken
	if !was.TurnOpen {
		tree := opening()
		if was.Root != "" && was.Root != dir {
			tree = h.opening(ctx, was.Root)
		}
		base = tree.baseline
		marked = h.marked(ctx, mark.AtPrompt, reach.Target{Root: tree.dir, Status: tree.status, Whole: true}, was.Turn+1)
	}
	took, restarted := h.quoted(ctx, e.Prompt), h.afterRestart(was)
	var reply []byte
	err = h.commit(ctx, was, func(now agent.Session) *outcome {
		opens := !now.TurnOpen
		s := h.seen(now).Waited(h.at, waited).Prompted(text, h.at)
		reply = nil
		news, arrived := s.Owed, ""
		if restarted != "" && s.Restarted == was.Restarted && s.Typing != s.Restarted {
			news, arrived = owed(s, restarted).Owed, s.Restarted
		}
		if news != "" {
			reply = h.Client.Context(e, news)
		}
		if reply == nil {
			arrived = ""
		} else {
			s.Owed = ""
		}
		if told {
			s.Process = process
		}
		o := h.outcome(s)
		o.arrives(arrived, "with a prompt", h.at)
		o.take(took, h.at)
		if opens {
			o.turn = &agent.Turn{SessionID: s.ID, N: s.Turn, StartedAt: h.at, Baseline: base}
		}
		return o
	})
	if said := h.lacking(ctx, marked); err == nil && reply == nil && said != "" {
		reply = h.Client.Notice(said)
	}
	return reply, err
}

// waited is the part of a wait for a person's permission that the transcript shows
// as well: the person refused, which interrupts the agent, and the gap up to this
// prompt is taken out of the work on its own.
func (h *handler) waited(s agent.Session) time.Duration {
	if !s.TurnOpen || s.WaitingSince.IsZero() {
		return 0
	}
	script, err := h.transcript(s, agent.Turn{StartedAt: s.WaitingSince})
	if err != nil {
		return 0
	}
	gap := script.Idle
	if !script.Interrupted.IsZero() { // this prompt is not in it yet
		gap += max(h.at.Sub(script.Interrupted), 0)
	}
	return gap
}
