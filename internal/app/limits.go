package app

import (
	"context"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// heardFor is how long after its last event a session whose client is gone is listened to.
const heardFor = time.Hour

// HearLimits looks in the logs of the sessions of a project, of all where none is named, that
// are alive or were lately, for limits of the API that no hook has told of. Of such a one it does what a hook does: the
// state is saved, the session waits for the limit, and listeners are told. It returns how many
// there were.
func (a Agents) HearLimits(ctx context.Context, project string) (heard int, err error) {
	st, err := a.Local(ctx, true)
	if err != nil {
		return 0, caller.UnlessMissing(err)
	}
	list, err := st.Sessions(ctx, store.SessionQuery{Project: project, Limit: caller.MaxSessions})
	for _, s := range list {
		over := a.Now().Sub(s.SeenAt.Time) > heardFor && !turn.Alive(s, a.Now())
		if s.Damaged || s.Broke.Wait == agent.WaitLimit || over {
			continue
		}
		if c, b := limitOf(s); b.Wait == agent.WaitLimit {
			heard++
			a.tell(ctx, c, s, b)
		}
	}
	return heard, err
}

// limitOf is the break of a session's turn, by its events or else its client's log: what
// cannot be read tells of none.
func limitOf(s agent.Session) (client.Client, agent.Break) {
	c, ok := clients.ByName(s.Agent)
	if !ok || !s.TurnOpen || s.Broke.Wait == agent.WaitLimit {
		return c, s.Broke
	}
	log, err := c.Transcript(s.Transcript, s.LastMessageAt.Time, 0)
	if err != nil {
		return c, s.Broke
	}
	return c, s.AsLogged(log).Broke
}

// tell handles a limit as if a hook had told of it.
func (a Agents) tell(ctx context.Context, c client.Client, s agent.Session, b agent.Break) {
	t := a.Turns(c, debrief.DefaultSettings())
	t.Settings = func(root string) debrief.Settings { return a.Config(root).Debrief }
	t.Saves = func(piton.Trigger) bool { x := a.Config(s.Root).Checkpoints; return x.Enabled && x.Auto }
	t.Listeners = func(root string) []agent.Listener { return a.Config(root).Listeners }
	at := b.At
	if s.SeenAt.After(at.Time) {
		at = s.SeenAt
	}
	e := agent.Event{Kind: agent.EventStopFailed, Agent: s.Agent, ClientID: s.ClientID, At: at.Time, Error: "a limit of the API", Limit: true, Resets: b.Until.Time}
	if _, err := t.Handle(ctx, e); err != nil {
		a.Options.Log.WarnContext(ctx, "a limit was not noted", "session", s.ID, "err", err)
	}
}
