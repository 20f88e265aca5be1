package mcp

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

// resumption is what a model needs to go on. Like load by session it prefers what the
// agent saved itself.
func resumption(ctx context.Context, c call, in piton.ResumeRequest) (app.Resumption, error) {
	in.Own = in.Session != ""
	_, _ = c.SessionOf(ctx, c.from) // who goes on with the work; of several, none is noted
	return c.Resume(ctx, in)
}

func resume(ctx context.Context, c call, in piton.ResumeRequest) (*reply, error) {
	r, err := resumption(ctx, c, in)
	return resumed(r), err
}

// resumed is what to go on from, in words.
func resumed(r app.Resumption) *reply {
	out := &reply{head: "Resumed from " + r.Checkpoint.ID + ". Go on with the work that the user has asked for, from this:", body: r.Brief}
	if r.State != nil {
		out.line("\nState:\n" + string(out.excerpt(r.Checkpoint, r.State, "", piton.Excerpt{MaxBytes: maxShown})))
	}
	out.noteRecovered(r.RecoveredFrom, r.Why)
	return out
}
