package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

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
