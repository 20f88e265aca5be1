package agent

import (
	"time"

	"github.com/piton-project/piton"
)

// Letter is a message in the outbox, due at a time (docs/spec.md, "Delivery").
// It waits until it is done: delivered, dropped, or given up with its error.
type Letter struct {
	ID        string `redact:"name"`
	SessionID string `redact:"name"`
	Kind      LetterKind
	Due       piton.Time // while it is being carried: when another may take it
	Body      string     `redact:"json"` // JSON, by the kind
	Attempts  int        // how often it was taken
	DoneAt    piton.Time // zero: it waits
	Outcome   string     // why it was dropped or parked, or the last attempt's error; redacted
}

// LetterKind is what a letter is for; it says what the body holds.
type LetterKind string

// LetterHold holds an agent whose client reads no answer to a stop. Its body is
// a HoldLetter.
const LetterHold LetterKind = "hold"

// HoldLetter is the body of a hold.
type HoldLetter struct {
	Text string `json:"text"` // what the agent is told
	Turn int    `json:"turn"` // of the session; once another has begun, the letter is not needed
}

// MaxAttempts is how often a letter is carried before it is parked.
const MaxAttempts = 8

// Bounds of the pause before a letter is carried again.
const (
	minPause = time.Second
	maxPause = time.Minute
)

// Pause is how long to wait after so many attempts that failed.
func Pause(attempts int) time.Duration {
	d := minPause
	for i := 1; i < attempts && d < maxPause; i++ {
		d *= 2
	}
	return min(d, maxPause)
}
