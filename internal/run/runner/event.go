package runner

import "github.com/piton-project/piton"

// Event is what happens in a run, as --json prints it.
type Event struct {
	Kind       EventKind        `json:"event"`
	At         piton.Time       `json:"at"`
	Run        string           `json:"run_id"`
	Step       string           `json:"step_id,omitempty"`       // absent: it is about the run
	Checkpoint string           `json:"checkpoint_id,omitempty"` // the checkpoint that holds it; absent: there is none yet
	Attempt    int              `json:"attempt,omitempty"`       // from 1, over all processes; absent: it is about the run
	DurationMS int64            `json:"duration_ms,omitempty"`   // of the attempt; of `step_says` what it has used so far; absent: not known
	Usage      piton.TokenUsage `json:"token_usage,omitzero"`    // likewise; absent: not known
	CostUSD    float64          `json:"cost_usd,omitempty"`      // likewise; absent: not known
	Message    string           `json:"message,omitempty"`       // a reason, a line of progress, or the run's status
	Dir        string           `json:"dir,omitempty"`           // where the steps of a run that goes on work; absent: of other events
	Done       int              `json:"done,omitempty"`          // steps; one that is skipped because another has failed is not done; absent: not known
	Total      int              `json:"total,omitempty"`         // absent: not known
}

// EventKind says what happened.
type EventKind string

// The kinds of events.
const (
	RunStarted    EventKind = "run_started"
	RunResumed    EventKind = "run_resumed"
	RunStopping   EventKind = "run_stopping" // a person or the caller wants it to: the message is why
	RunEnded      EventKind = "run_ended"    // the message is the run's status
	StepStarted   EventKind = "step_started"
	StepCompleted EventKind = "step_completed"
	StepFailed    EventKind = "step_failed"
	StepRetrying  EventKind = "step_retrying"
	StepSkipped   EventKind = "step_skipped"
	StepWaiting   EventKind = "step_waiting" // for a person
	StepIdle      EventKind = "step_idle"    // it waits for a time, a signal or another run
	StepInDoubt   EventKind = "step_in_doubt"
	StepCouldNot  EventKind = "step_could_not"
	StepSays      EventKind = "step_says" // a line of progress
)
