package turn

import (
	"context"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// ours records a prompt that is Piton's own or a machine's: it changes no timer,
// flag or budget. Where a letter was typed to the client, this is its arrival.
func (h *handler) ours(ctx context.Context) error {
	was, err := h.session(ctx)
	if err != nil {
		return err
	}
	if was.Typing == "" || !strings.Contains(h.event.Prompt, strings.TrimSpace(agent.Prefix)) {
		return h.note(ctx)
	}
	return h.commit(ctx, was, func(now agent.Session) *outcome {
		o := h.outcome(h.seen(now))
		o.arrives(now.Typing, "as a prompt", h.at)
		return o
	})
}

// arrives notes that a letter has reached the agent, whoever carries it.
func (o *outcome) arrives(letter, how string, at piton.Time) {
	if letter == "" {
		return
	}
	l := agent.Letter{ID: letter, Kind: agent.LetterHold, Body: "{}", DoneAt: at, Outcome: agent.LetterDelivered + ": " + how}
	if o.session.Restarted == letter {
		l.Kind = agent.LetterRestart
	}
	o.session, o.settled = o.session.Settled(l, true, at), &l
}

// afterRestart is the debrief that the agent of a session is to be given after a
// restart, and that a prompt takes along; "" for none. One that is being typed is
// left to whoever types it.
func (h *handler) afterRestart(s agent.Session) string {
	if s.Restarted == "" || s.Typing == s.Restarted || h.settings(root(h.event)).ModeOf(s.Agent) == debrief.ModeOff {
		return ""
	}
	return debrief.Generic()
}
