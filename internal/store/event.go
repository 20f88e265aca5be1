package store

import "github.com/piton-project/piton"

// EventKind is what an event of the stream tells of. Hooks log the kinds of
// package agent beside these, and what became of a letter.
type EventKind string

// The kinds of events about checkpoints.
const (
	CheckpointCreated   EventKind = "checkpoint_created"
	CheckpointImported  EventKind = "checkpoint_imported"
	CheckpointCompleted EventKind = "checkpoint_completed"
	CheckpointArchived  EventKind = "checkpoint_archived"
	CheckpointDeleted   EventKind = "checkpoint_deleted" // by a person, or a program in one's place
	CheckpointPruned    EventKind = "checkpoint_pruned"  // deleted by the retention policy
	CheckpointPurged    EventKind = "checkpoint_purged"  // secrets were taken out of it
	CheckpointResumed   EventKind = "checkpoint_resumed"
	CheckpointDamaged   EventKind = "checkpoint_damaged"
	CheckpointRepaired  EventKind = "checkpoint_repaired" // its mark of damage was taken away
	NeedsIgnored        EventKind = "needs_ignored"       // a person closed what work had left open
)

// LogEvent is an event as it is kept: for the event stream, counted and
// pruned, never with a payload.
type LogEvent struct {
	ID         int64          `json:"id,omitempty"` // given by the store, rises
	At         piton.Time     `json:"at"`
	Kind       EventKind      `json:"kind"`
	Session    string         `json:"session_id,omitempty" redact:"name"`
	Project    string         `json:"project,omitempty" redact:"name"`
	Workflow   string         `json:"workflow_id,omitempty" redact:"name"`
	Checkpoint string         `json:"checkpoint_id,omitempty" redact:"name"`
	Data       map[string]any `json:"data,omitempty"`
}

// EventOf is an event about a checkpoint.
func EventOf(kind EventKind, at piton.Time, c piton.Checkpoint) LogEvent {
	return LogEvent{At: at, Kind: kind, Session: c.SessionID, Project: c.Project, Workflow: c.WorkflowID, Checkpoint: c.ID}
}
