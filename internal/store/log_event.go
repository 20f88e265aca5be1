package store

import "github.com/piton-project/piton"

// LogEvent is an event as it is kept: for the event stream, counted and
// pruned, never with a payload.
type LogEvent struct {
	ID         int64          `json:"id,omitempty"` // given by the store, rises
	At         piton.Time     `json:"at"`
	Kind       string         `json:"kind"`
	Session    string         `json:"session_id,omitempty"`
	Project    string         `json:"project,omitempty"`
	Workflow   string         `json:"workflow_id,omitempty"`
	Checkpoint string         `json:"checkpoint_id,omitempty"`
	Data       map[string]any `json:"data,omitempty"`
}
