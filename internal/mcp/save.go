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

type completedAnswer struct {
	Checkpoint piton.Checkpoint `json:"checkpoint"`
}

func completed(c piton.Checkpoint) *reply {
	return &reply{head: "Completed: " + c.ID + ". The workflow is finished and no longer offered for resuming.", body: describe(c), data: completedAnswer{c}}
}

// deleted says what was done with each checkpoint, and why.
func deleted(r history.Removal) *reply {
	out := &reply{head: fmt.Sprintf("Deleted %d, %d bytes freed.", r.Deleted, r.FreedBytes), data: r}
	if r.DryRun {
		out.head = fmt.Sprintf("It would delete %d and free %d bytes. Nothing was deleted.", r.Deleted, r.FreedBytes)
	}
	for _, r := range r.Rows[:min(len(r.Rows), maxPage)] {
		out.line(fmt.Sprintf("%s  %s  %s", r.ID, r.Action, r.Reason))
	}
	return out
}

// remove deletes checkpoints. An id is needed and no name: a name is unique in
// nothing.
func remove(ctx context.Context, c call, in piton.DeleteRequest) (*reply, error) {
	_, _ = c.SessionOf(ctx, c.from) // which checkpoints are the caller's own; none where it is not found
	r, err := c.Delete(ctx, in)
	if err != nil && r.Deleted > 0 && !r.DryRun {
		e := *named("delete", err)
		e.Hint = strings.TrimPrefix(fmt.Sprintf("%s; %d checkpoints were deleted before that", e.Hint, r.Deleted), "; ")
		err = &e
	}
	if err != nil {
		return nil, err
	}
	if r.Rows == nil {
		r.Rows = []piton.Verdict{}
	}
	return deleted(r), nil
}
