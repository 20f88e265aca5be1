package mcp

import (
	"context"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

type resumedAnswer struct {
	app.Resumption
	notes
}

func (r *resumedAnswer) says() string {
	return "Resumed from " + r.Checkpoint.ID + ". Go on with the work that the user has asked for, from this:"
}

func (r *resumedAnswer) text() string {
	if r.State == nil {
		return r.Brief
	}
	return r.Brief + "\n\nState:\n" + string(r.State)
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
	out := &resumedAnswer{Resumption: r}
	var said []string
	out.State, said = excerpt(r.Checkpoint, r.State, "", piton.Excerpt{MaxBytes: maxShown})
	out.note(said)
	if r.RecoveredFrom != "" {
		out.note([]string{fmt.Sprintf("%s is damaged (%s); this is its nearest intact ancestor", r.RecoveredFrom, r.Why)})
	}
	return out, nil
}
