package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
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
	log, err := c.Transcript(s.Transcript, s.LastMessageAt.Time)
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

// offerOthers names, for sessions at a limit, the command with which another client goes on
// with the work: one that is installed and has no session at a limit itself.
func offerOthers(list []Session) {
	limited := map[string]bool{}
	for _, s := range list {
		limited[s.Agent] = limited[s.Agent] || s.WaitsFor == agent.WaitLimit
	}
	for i := range list {
		s := &list[i]
		if s.WaitsFor != agent.WaitLimit || s.TakenBy != "" {
			continue
		}
		for _, c := range clients.All {
			if _, err := exec.LookPath(c.Program().Name); err == nil && !limited[c.Name()] {
				s.GoOn = "piton resume --session " + s.ID + " --agent " + c.Name() + " --exec"
				break
			}
		}
	}
}

// Bounds of work that goes on by itself.
const (
	defaultWithin = 2 * time.Hour
	maxWithin     = 24 * time.Hour
	maxLimit      = 8 * 24 * time.Hour // no client has longer ones
)

// AfterLimit is the run that goes on by itself with the work of a session when its limit has
// ended: it waits for that, looks that it is not late, and has the client go on from the brief,
// without a terminal, for so many tokens and so long at most. Only a person may say so, for this
// one piece of work. Invalid where the session waits for no limit, or nobody knows when it ends.
func (a Checkpoints) AfterLimit(ctx context.Context, r piton.ResumeRequest, within time.Duration, tokens int64) (planruns.RunRequest, error) {
	op, none := "resume when the limit ends", planruns.RunRequest{}
	if err := a.ByPerson(ctx, op, "that an agent goes on by itself is a person's to say"); err != nil {
		return none, err
	}
	if within = cmp.Or(within, defaultWithin); tokens <= 0 || within < time.Minute || within > maxWithin {
		return none, piton.Errorf(piton.Invalid, op, "give --max-tokens N, and --within from 1m to 24h", "it has no budget, or none that ends in time")
	}
	x, err := a.Resume(ctx, piton.ResumeRequest{Choice: r.Choice, Agent: cmp.Or(r.Agent, clients.All[0].Name())}) // it is not this caller that takes the work over
	if err != nil {
		return none, err
	}
	s, err := a.LocalStore.Session(ctx, x.Checkpoint.SessionID)
	if err != nil {
		return none, piton.Errorf(piton.Invalid, op, "'piton sessions' lists those of this machine", "%s was not saved by a session of this machine", x.Checkpoint.ID)
	}
	_, b := limitOf(s) // its client may be gone by now
	left := b.Until.Sub(a.Now().Time)
	over := !b.Until.IsZero() && left <= 0
	switch {
	case b.Wait != agent.WaitLimit || over:
		return none, piton.Errorf(piton.Invalid, op, "'piton resume "+x.Checkpoint.ID+" --exec' goes on now", "%s does not wait for the end of a limit", s.ID)
	case b.Until.IsZero() || left > maxLimit:
		return none, piton.Errorf(piton.Invalid, op, "go on with 'piton resume "+x.Checkpoint.ID+" --exec' when it is over", "the client of %s does not say when its limit ends", s.ID)
	}
	end := b.Until.Add(30 * time.Second) // the clocks of others
	text, err := json.Marshal(map[string]any{
		"name": "after the limit", "on_crash": "continue",
		"steps": []any{
			map[string]any{"id": "limit", "description": "Wait until the limit of the API has ended", "wait": map[string]string{"until": end.UTC().Format(time.RFC3339)}},
			map[string]any{"id": "in-time", "description": "Look that it is not too late to go on", "run": fmt.Sprintf("test \"$(date +%%s)\" -le %d", end.Add(within).Unix()), "effect": "pure"},
			map[string]any{"id": "go-on", "description": "Go on from the brief", "prompt": "${{ query }}", "parameters": map[string]string{"agent": cmp.Or(r.Agent, s.Agent)}, "timeout": within.String()},
		},
	})
	q := planruns.RunRequest{Dir: s.Root, FileLess: true, File: "the plan for the time after the limit"}
	q.Plan, q.Query, q.New, q.MaxTokens = text, x.Brief, true, tokens
	return q, err
}
