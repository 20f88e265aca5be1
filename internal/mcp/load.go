package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
)

type loadedAnswer struct {
	Checkpoint    piton.Checkpoint `json:"checkpoint"`
	State         state            `json:"state" jsonschema:"the saved state, a JSON object"`
	RecoveredFrom string           `json:"recovered_from,omitempty" jsonschema:"the damaged checkpoint that this one stands in for"`
	notes
}

func (l *loadedAnswer) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Checkpoint %s", describe(l.Checkpoint))
	l.withNotes(&b)
	fmt.Fprintf(&b, "\nState:\n%s", l.State)
	return b.String()
}

// maxState bounds the state in an answer, in bytes: a model reads far less.
const maxState = 4 << 20

// tooLarge refuses a state that does not fit an answer.
func tooLarge(c piton.Checkpoint, state []byte) error {
	if len(state) <= maxState {
		return nil
	}
	return piton.Errorf(piton.Invalid, "load checkpoint "+c.ID, "the command `piton load "+c.ID+" >FILE` in a shell writes it to a file",
		"the state has %d bytes, and an answer holds at most %d", len(state), maxState)
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
	if err == nil {
		err = tooLarge(l.Checkpoint, l.State)
	}
	if err != nil {
		return nil, err
	}
	out := &loadedAnswer{Checkpoint: l.Checkpoint, State: state(l.State), RecoveredFrom: l.RecoveredFrom}
	if l.RecoveredFrom != "" {
		out.note([]string{fmt.Sprintf("%s is damaged (%s); this is its nearest intact ancestor", l.RecoveredFrom, l.Why)})
	}
	return out, nil
}
