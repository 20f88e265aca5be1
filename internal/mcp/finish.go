package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
)

type completedAnswer struct {
	Checkpoint piton.Checkpoint `json:"checkpoint"`
	notes
}

func (c *completedAnswer) says() string {
	return "Completed: " + c.Checkpoint.ID + ". The workflow is finished and no longer offered for resuming."
}

func (c *completedAnswer) text() string { return describe(c.Checkpoint) }

func complete(ctx context.Context, c call, in piton.CompleteRequest) (*completedAnswer, error) {
	x, err := c.Complete(ctx, in)
	if err != nil {
		return nil, err
	}
	return &completedAnswer{Checkpoint: x}, nil
}

type deletedAnswer struct {
	Rows       []piton.Verdict `json:"rows" jsonschema:"what was done with each, and why"`
	Deleted    int             `json:"deleted"`
	FreedBytes int64           `json:"freed_bytes"`
	DryRun     bool            `json:"dry_run,omitempty" jsonschema:"nothing was deleted"`
	notes
}

func (d *deletedAnswer) says() string {
	if d.DryRun {
		return fmt.Sprintf("It would delete %d and free %d bytes. Nothing was deleted.", d.Deleted, d.FreedBytes)
	}
	return fmt.Sprintf("Deleted %d, %d bytes freed.", d.Deleted, d.FreedBytes)
}

func (d *deletedAnswer) text() string {
	var b strings.Builder
	for _, r := range d.Rows[:min(len(d.Rows), maxPage)] {
		fmt.Fprintf(&b, "%s  %s  %s\n", r.ID, r.Action, r.Reason)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// remove deletes checkpoints. An id is needed and no name: a name is unique in
// nothing.
func remove(ctx context.Context, c call, in piton.DeleteRequest) (*deletedAnswer, error) {
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
	return &deletedAnswer{Rows: r.Rows, Deleted: r.Deleted, FreedBytes: r.FreedBytes, DryRun: r.DryRun}, nil
}
