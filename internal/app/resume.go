package app

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/turn"
)

// Resumption is what an agent needs to go on from a checkpoint.
type Resumption struct {
	Checkpoint piton.Checkpoint `json:"checkpoint"`
	State      json.RawMessage  `json:"state"`
	Drift      []history.Drift  `json:"drift"` // what in the work tree is no longer as it was
	Brief      string           `json:"brief"`
	// Command goes on from it: the client that was asked for, started on the brief;
	// else the session's own client, in its own conversation.
	Command       []string `json:"command,omitempty"`
	RecoveredFrom string   `json:"recovered_from,omitempty"` // a damaged checkpoint, replaced by an intact ancestor
	Why           string   `json:"-"`                        // what is wrong with it
}

// ClientNames are the clients that an agent can be started with.
func ClientNames() string { return strings.Join(clients.Names(), ", ") }

// Resume prepares to go on from a checkpoint; without a choice from the newest
// unfinished work of the project that no live session is at. start is the client
// to start on the brief, empty for none.
func (a *App) Resume(ctx context.Context, c Choice, start string) (Resumption, error) {
	var starter client.Client
	if start != "" {
		var ok bool
		if starter, ok = clients.ByName(start); !ok {
			return Resumption{}, piton.Errorf(piton.Invalid, "resume", "one of: "+ClientNames(), "no client is called %q", start)
		}
	}
	k, s, err := a.open(ctx, c)
	if err != nil {
		return Resumption{}, err
	}
	here := s.Project
	if c.Dir != "" {
		p, _ := a.Project(ctx, "", false)
		here = p.ID
	}
	k.Drift = drift(here)
	if s == (history.Selector{}) { // never seen, so nothing of it is open
		return Resumption{}, piton.Errorf(piton.NotFound, "resume", "'piton list' shows all checkpoints; 'piton resume ID' takes any of them", "no unfinished work in this project")
	}
	r, err := k.Resume(ctx, s)
	if err != nil {
		return Resumption{}, err
	}
	return Resumption{r.Checkpoint, r.State, r.Drift, r.Brief, a.command(ctx, starter, r), r.RecoveredFrom, r.Why}, nil
}

// drift compares the work tree with the checkpoint, unless we stand in another
// project than the checkpoint's: there every difference would be noise.
func drift(here string) func(context.Context, piton.Checkpoint, []byte) []history.Drift {
	return func(ctx context.Context, c piton.Checkpoint, state []byte) []history.Drift {
		if c.Project != "" && c.Project != here {
			return []history.Drift{{What: "project", Was: c.Project, Is: cmp.Or(here, "one without checkpoints")}}
		}
		return turn.Drift(ctx, c, state)
	}
}

func (a *App) command(ctx context.Context, starter client.Client, r history.Resumption) []string {
	if starter != nil {
		return starter.StartCommand(r.Brief)
	}
	s, err := a.local.Session(ctx, r.Checkpoint.SessionID)
	if err != nil {
		return nil
	}
	if own, ok := clients.ByName(s.Agent); ok {
		return own.ResumeCommand(s.ClientID)
	}
	return nil
}
