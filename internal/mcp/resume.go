package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

type resumedAnswer struct {
	Checkpoint    piton.Checkpoint `json:"checkpoint"`
	State         state            `json:"state,omitempty" jsonschema:"the saved state; left out where it is too large for an answer"`
	Drift         []history.Drift  `json:"drift" jsonschema:"what in the work tree is no longer as it was"`
	Since         *history.Since   `json:"since,omitempty" jsonschema:"what its session did after it was saved"`
	Brief         string           `json:"brief" jsonschema:"what to go on from: done, in progress, next, decisions, files"`
	Command       []string         `json:"command,omitempty" jsonschema:"the command that opens the original conversation"`
	RecoveredFrom string           `json:"recovered_from,omitempty" jsonschema:"the damaged checkpoint that this one stands in for"`
	notes
}

func (r *resumedAnswer) text() string {
	var b strings.Builder
	b.WriteString(r.Brief)
	return r.withNotes(&b)
}

// resume gives a model what it needs to go on. Like load by session it prefers what
// the agent saved itself.
func resume(ctx context.Context, c call, in piton.ResumeRequest) (*resumedAnswer, error) {
	in.Own = in.Session != ""
	_, _ = c.SessionOf(ctx, c.from) // who goes on with the work; of several, none is noted
	r, err := c.Resume(ctx, in)
	if err != nil {
		return nil, err
	}
	out := &resumedAnswer{
		Checkpoint: r.Checkpoint, State: state(r.State), Drift: r.Drift, Since: r.Since, Brief: r.Brief, Command: r.Command, RecoveredFrom: r.RecoveredFrom,
	}
	if err := tooLarge(r.Checkpoint, r.State); err != nil {
		out.State = nil
		out.note([]string{told(named("checkpoint_resume", err))})
	}
	if r.RecoveredFrom != "" {
		out.note([]string{fmt.Sprintf("%s is damaged (%s); this is its nearest intact ancestor", r.RecoveredFrom, r.Why)})
	}
	return out, nil
}
