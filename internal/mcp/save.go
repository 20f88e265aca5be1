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

func (s *savedAnswer) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Saved as %s (workflow %s, number %d). It is durable.", s.Checkpoint.ID, s.Checkpoint.Label(), s.Checkpoint.Seq)
	if s.Redacted > 0 {
		fmt.Fprintf(&b, "\nSecrets removed: %d (%s)", s.Redacted, strings.Join(s.RedactedPaths[:min(len(s.RedactedPaths), maxPlaces)], ", "))
	}
	return s.withNotes(&b)
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
