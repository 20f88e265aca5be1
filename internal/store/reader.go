package store

import (
	"context"

	"github.com/piton-project/piton"
)

// Reader reads checkpoints. Every method returns NotFound for what is not
// there and Unavailable when the store cannot be reached.
type Reader interface {
	// Workflow finds a workflow by id, by an id's unambiguous beginning
	// (Invalid with the candidates if ambiguous), or by its name in a project.
	Workflow(ctx context.Context, ref, project string) (piton.Workflow, error)
	// Checkpoint finds a checkpoint by id or an id's unambiguous beginning.
	Checkpoint(ctx context.Context, ref string) (piton.Checkpoint, error)
	// Head is the newest checkpoint of a branch; of all branches if it is "".
	Head(ctx context.Context, workflow, branch string) (piton.Checkpoint, error)
	// List returns what fits, newest first. It never reads a state.
	List(ctx context.Context, q piton.Query) (piton.Page, error)
	// CountOpen is how many heads of open workflows a project has, by the session
	// that made the head ("" for none).
	CountOpen(ctx context.Context, project string) (map[string]int, error)
	// Children are the checkpoints whose parent this is, oldest first.
	Children(ctx context.Context, id string) ([]piton.Checkpoint, error)
	// Branches of a workflow, in the order they began.
	Branches(ctx context.Context, workflow string) ([]Branch, error)
	// State returns the compact state of a checkpoint, byte for byte as it was
	// saved. Corrupt when a sum does not match; never a wrong state. NotFound with
	// the archive's file in the hint when the state lies in an archive only
	// (Checkpoint.Archive).
	State(ctx context.Context, id string) ([]byte, error)
}

// Branch is a line of checkpoints within a workflow.
type Branch struct {
	Name   string `json:"name"`              // `main` or a fork's
	HeadID string `json:"head_id,omitempty"` // its newest checkpoint; for a branch without checkpoints, the parent of the next save; absent: there is none
	FromID string `json:"from_id,omitempty"` // the checkpoint it was forked from, or its nearest remaining ancestor; absent: it began the workflow
	Count  int    `json:"count"`             // number of its checkpoints
}
