package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

type completeArgs struct {
	CheckpointID string `json:"checkpointId,omitempty" jsonschema:"a checkpoint of the finished work, by its id, the beginning of it, or its name"`
	Workflow     string `json:"workflow,omitempty" jsonschema:"the finished workflow, by id or name"`
	SessionID    string `json:"sessionId,omitempty" jsonschema:"the session whose newest checkpoint it is, by Piton's id or the client's"`
	Project      string `json:"project,omitempty" jsonschema:"a folder of the project; left out: the folder you work in"`
}

type completedAnswer struct {
	Checkpoint piton.Checkpoint `json:"checkpoint"`
	notes
}

func (c *completedAnswer) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Completed: %s. The workflow is finished and no longer offered for resuming.", describe(c.Checkpoint))
	return c.withNotes(&b)
}

// unnamed refuses a call that does not say what it is about: what ends or deletes
// something is never found for the caller.
func unnamed(op, choice string) error {
	return piton.Errorf(piton.Invalid, op, "give checkpointId, workflow or sessionId, one of them; 'list' shows what there is", "it is not said what to %s", choice)
}

func complete(ctx context.Context, c call, in completeArgs) (*completedAnswer, error) {
	if in.CheckpointID == "" && in.Workflow == "" && in.SessionID == "" {
		return nil, unnamed("complete", "complete")
	}
	x, err := c.Complete(ctx, app.Choice{Ref: in.CheckpointID, Workflow: in.Workflow, Session: in.SessionID, Dir: in.Project, Own: in.SessionID != ""})
	if err != nil {
		return nil, err
	}
	return &completedAnswer{Checkpoint: x}, nil
}

type deleteArgs struct {
	CheckpointID string `json:"checkpointId,omitempty" jsonschema:"delete this checkpoint, by its id or the beginning of it"`
	Workflow     string `json:"workflow,omitempty" jsonschema:"delete all of this workflow, by id or name"`
	SessionID    string `json:"sessionId,omitempty" jsonschema:"delete all of this session, by Piton's id or the client's"`
	OlderThan    string `json:"olderThan,omitempty" jsonschema:"only those older than this: 90m, 12h, 7d"`
	DryRun       bool   `json:"dryRun,omitempty" jsonschema:"say what would be deleted and delete nothing"`
	Project      string `json:"project,omitempty" jsonschema:"a folder of the project; left out: the folder you work in"`
}

type deletedAnswer struct {
	Rows       []piton.Verdict `json:"rows" jsonschema:"what was done with each, and why"`
	Deleted    int             `json:"deleted"`
	FreedBytes int64           `json:"freed_bytes"`
	DryRun     bool            `json:"dry_run,omitempty" jsonschema:"nothing was deleted"`
	notes
}

func (d *deletedAnswer) text() string {
	var b strings.Builder
	if d.DryRun {
		fmt.Fprintf(&b, "It would delete %d and free %d bytes. Nothing was deleted.", d.Deleted, d.FreedBytes)
	} else {
		fmt.Fprintf(&b, "Deleted %d, %d bytes freed.", d.Deleted, d.FreedBytes)
	}
	for _, r := range d.Rows[:min(len(d.Rows), maxPage)] {
		fmt.Fprintf(&b, "\n%s  %s  %s", r.ID, r.Action, r.Reason)
	}
	return d.withNotes(&b)
}

// remove deletes checkpoints. An id is needed and no name: a name is unique in
// nothing.
func remove(ctx context.Context, c call, in deleteArgs) (*deletedAnswer, error) {
	if in.CheckpointID == "" && in.Workflow == "" && in.SessionID == "" {
		return nil, unnamed("delete", "delete")
	}
	if in.CheckpointID != "" && app.IsName(in.CheckpointID) {
		return nil, piton.Errorf(piton.Invalid, "delete", "'list' shows the ids", "%q is not an id, and what is to be deleted is named by its id", in.CheckpointID)
	}
	_, _ = c.SessionOf(ctx, c.from) // which checkpoints are the caller's own; none where it is not found
	r, err := c.Delete(ctx, app.DeleteRequest{
		Choice: app.Choice{Ref: in.CheckpointID, Workflow: in.Workflow, Session: in.SessionID, Dir: in.Project}, Older: in.OlderThan, DryRun: in.DryRun,
	})
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
