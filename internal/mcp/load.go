package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/piton-project/piton"
)

type loadedAnswer struct {
	Checkpoint    piton.Checkpoint `json:"checkpoint"`
	State         json.RawMessage  `json:"state" jsonschema:"the saved state, a JSON object"`
	RecoveredFrom string           `json:"recovered_from,omitempty" jsonschema:"the damaged checkpoint that this one stands in for"`
	notes
}

func (l *loadedAnswer) says() string { return "Loaded " + l.Checkpoint.ID + "." }

func (l *loadedAnswer) text() string {
	return fmt.Sprintf("Checkpoint %s\nState:\n%s", describe(l.Checkpoint), l.State)
}

func load(ctx context.Context, c call, in piton.LoadRequest) (*loadedAnswer, error) {
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
	out := &loadedAnswer{Checkpoint: l.Checkpoint, RecoveredFrom: l.RecoveredFrom}
	if l.RecoveredFrom != "" {
		out.note([]string{fmt.Sprintf("%s is damaged (%s); this is its nearest intact ancestor", l.RecoveredFrom, l.Why)})
	}
	out.State = out.excerpt(l.Checkpoint, l.State, in.Path, in.Excerpt)
	return out, nil
}
