package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

type loadedAnswer struct {
	Checkpoint    piton.Checkpoint `json:"checkpoint"`
	State         json.RawMessage  `json:"state" jsonschema:"the saved state, a JSON object"`
	RecoveredFrom string           `json:"recovered_from,omitempty" jsonschema:"the damaged checkpoint that this one stands in for"`
}

func load(ctx context.Context, c call, in piton.LoadRequest) (*reply, error) {
	found := false
	if in.Ref+in.Workflow+in.Name == "" {
		var err error
		if in.Session, found, err = c.session(ctx, in.Session); err != nil {
			return nil, err
		}
		in.Own = true
		if in.Session == "" {
			return nil, piton.Errorf(piton.Invalid, "load", "give checkpointId ('list' shows them), or sessionId; 'resume' finds the unfinished work of this folder", "it is not clear which session this is: no live session of an agent is known here")
		}
	}
	l, err := c.Load(ctx, in)
	if piton.CodeOf(err) == piton.NotFound && found {
		err = piton.Errorf(piton.NotFound, "load the newest checkpoint of this session", "'resume' finds unfinished work; "+c.listAll(), "the session %s has none", in.Session)
	}
	if err != nil {
		return nil, err
	}
	return loaded(l, in), nil
}

// loaded is as much of a state as was asked for.
func loaded(l history.Loaded, in piton.LoadRequest) *reply {
	out := &reply{head: "Loaded " + l.Checkpoint.ID + "."}
	out.noteRecovered(l.RecoveredFrom, l.Why)
	state := out.excerpt(l.Checkpoint, l.State, in.Path, in.Excerpt)
	out.body = fmt.Sprintf("Checkpoint %s\nState:\n%s", describe(l.Checkpoint), state)
	out.data = loadedAnswer{l.Checkpoint, state, l.RecoveredFrom}
	return out
}

// noteRecovered says which damaged checkpoint this one stands in for; "" for none.
func (a *reply) noteRecovered(from, why string) {
	if from != "" {
		a.note(fmt.Sprintf("%s is damaged (%s); this is its nearest intact ancestor", from, why))
	}
}
