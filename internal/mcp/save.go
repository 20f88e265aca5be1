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
	notes
}

func (s *savedAnswer) says() string {
	text := fmt.Sprintf("Saved as %s, number %d of its workflow. It is durable.", s.Checkpoint.ID, s.Checkpoint.Seq)
	if s.Redacted > 0 {
		text += fmt.Sprintf(" Secrets removed: %d.", s.Redacted)
	}
	return text
}

func (s *savedAnswer) text() string {
	text := "Workflow " + s.Checkpoint.Label()
	if s.Redacted > 0 {
		text += "\nSecrets stood at " + strings.Join(s.RedactedPaths[:min(len(s.RedactedPaths), maxPlaces)], ", ")
	}
	return text
}

// maxPlaces bounds the places of secrets in a text.
const maxPlaces = 8

func save(ctx context.Context, c call, in piton.SaveRequest) (*savedAnswer, error) {
	var err error
	if in.Session, _, err = c.session(ctx, in.Session); err != nil {
		return nil, err
	}
	saved, err := c.Save(ctx, in)
	if err != nil {
		return nil, err
	}
	out := &savedAnswer{Checkpoint: saved.Checkpoint, Redacted: saved.Redacted, RedactedPaths: saved.Paths, StateFrom: saved.StateFrom}
	switch saved.StateFrom {
	case history.FromEarlier:
		out.note([]string{"no state was given, so the one of " + saved.ParentID + " was saved again"})
	case history.FromNothing:
		out.note([]string{"no state was given, so an empty one was saved"})
	}
	return out, nil
}
