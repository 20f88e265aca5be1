package store

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
)

// Tx is one transaction over checkpoints. Its reads see its writes.
type Tx struct {
	Reader
	Writer
	Recorder
	Runs      RunWriter      // nil where the store keeps no runs
	Schedules ScheduleWriter // nil where Runs is
}

// Writer changes checkpoints. Append, Import, Complete, Archive and
// Upkeep.MarkDamaged log an event each for what they change; of a deletion only
// the caller knows why, and logs it.
type Writer interface {
	// PutWorkflow adds a workflow, or changes the closed mark and session of
	// the one with this id. Conflict when the name is taken in its project.
	PutWorkflow(ctx context.Context, w redact.Clean[piton.Workflow]) error
	// Append adds a checkpoint under the next sequence number and makes it the
	// head of its branch. Conflict when the branch head is not the expected
	// parent, NotFound for an unknown workflow or parent.
	Append(ctx context.Context, p redact.Clean[Prepared]) (piton.Checkpoint, error)
	// Complete marks a checkpoint as completed and closes its workflow.
	// Completing twice changes nothing.
	Complete(ctx context.Context, id string, at piton.Time) error
	// Delete removes checkpoints; their children get the nearest surviving
	// ancestor as parent and stay loadable. It returns the bytes set free.
	Delete(ctx context.Context, ids []string) (int64, error)
	// Import adds a checkpoint of another store under its own id, number and
	// times, and its workflow where it is missing. It returns false and changes
	// nothing when the id is there already. A number that another checkpoint
	// of the workflow holds is a Conflict, and nothing was written: the caller
	// may go on, with another number. One without a number gets the next. A
	// workflow's name that is taken in its project gets a number behind it. A
	// parent that is not there is imported as none, and linked when it is
	// imported later. The head of a branch is its highest number, that of the
	// workflow the highest that is not on a branch set aside (IsAside); the
	// workflow is as closed as the entry's where this is the head there too,
	// else as the new head finishes it. The next save's number is behind all
	// that both stores gave out.
	Import(ctx context.Context, e redact.Clean[Entry]) (bool, error)
	// Archive notes that the checkpoints' states lie in a file of the archive
	// now and drops them here; the records stay. One that is archived already
	// is in this file from now on. It returns the bytes set free. Branches are
	// locked as in Delete.
	Archive(ctx context.Context, ids []string, file string) (int64, error)
	// Rewrite puts other texts and another state with its sum in the place of a
	// checkpoint's; of one in the archive the record alone. It is the one
	// exception to "never changes", for taking secrets out. Conflict when the
	// state lies elsewhere by now than Record.Archive says.
	Rewrite(ctx context.Context, p redact.Clean[Prepared]) error
}

// Recorder records what happened.
type Recorder interface {
	// Log adds an event to the stream.
	Log(ctx context.Context, e redact.Clean[LogEvent]) error
	// Count adds to counters of a project and a day, which `piton stats` shows; the
	// project may be empty.
	Count(ctx context.Context, at piton.Time, project string, counts ...Counted) error
}
