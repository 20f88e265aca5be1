package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

type savedAnswer struct {
	Checkpoint    piton.Checkpoint  `json:"checkpoint"`
	Redacted      int               `json:"redacted" jsonschema:"how many secrets were removed before saving"`
	RedactedPaths []string          `json:"redacted_paths,omitempty" jsonschema:"where they stood"`
	StateFrom     history.StateFrom `json:"state_from" jsonschema:"where the state came from: caller, session, earlier or nothing"`
}

// maxPlaces bounds the places of secrets in a text.
const maxPlaces = 8

func save(ctx context.Context, c call, in piton.SaveRequest) (*reply, error) {
	var err error
	if in.Session, _, err = c.session(ctx, in.Session); err != nil {
		return nil, err
	}
	x, err := c.Save(ctx, in)
	return saved(x), err
}

// saved says what was saved, and what of it was not as it was given.
func saved(x history.Saved) *reply {
	out := &reply{
		head: fmt.Sprintf("Saved as %s, number %d of its workflow. It is durable.", x.ID, x.Seq), body: "Workflow " + x.Label(),
		data: savedAnswer{x.Checkpoint, x.Redacted, x.Paths, x.StateFrom},
	}
	if x.Redacted > 0 {
		out.head += fmt.Sprintf(" Secrets removed: %d.", x.Redacted)
		out.line("Secrets stood at " + strings.Join(x.Paths[:min(len(x.Paths), maxPlaces)], ", "))
	}
	switch x.StateFrom {
	case history.FromEarlier:
		out.note("no state was given, so the one of " + x.ParentID + " was saved again")
	case history.FromNothing:
		out.note("no state was given, so an empty one was saved")
	}
	return out
}
