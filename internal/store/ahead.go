package store

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
)

// What follows are shorter ways to what Reader and Writer do in several calls. A
// store has them where each call takes a round trip over a network; who uses them
// must go the long way with any other store.

// HeadFinder finds the head of a workflow by the workflow's name or whole id.
type HeadFinder interface {
	// HeadOf is Workflow and Head at once. NotFound where the workflow or the head
	// is not there, and for an id that is not whole.
	HeadOf(ctx context.Context, ref, project, branch string) (piton.Checkpoint, error)
	// HeadState is HeadOf together with State, where the state is read with its record;
	// where it is not, or is not intact, it is nil, and State says why.
	HeadState(ctx context.Context, ref, project, branch string) (piton.Checkpoint, []byte, error)
}

// StateFinder finds a checkpoint together with its state.
type StateFinder interface {
	// WithState is Checkpoint of a whole id together with State, as HeadState is HeadOf.
	WithState(ctx context.Context, id string) (piton.Checkpoint, []byte, error)
}

// WorkflowFinder finds a workflow under one of several references.
type WorkflowFinder interface {
	// Workflows is Workflow for ref, and for the whole ids behind it: what of them
	// is there, by its id; nil where they were not asked for, because ref is there.
	Workflows(ctx context.Context, ref, project string, ids []string) (piton.Workflow, map[string]piton.Workflow, error)
}

// Beginner appends the first checkpoint of a workflow.
type Beginner interface {
	// Begin is PutWorkflow and Append at once. ErrNameTaken where the name is taken
	// in its project: then nothing of the transaction is written.
	Begin(ctx context.Context, w redact.Clean[piton.Workflow], p redact.Clean[Prepared]) (piton.Checkpoint, error)
}
