package agent

import (
	"time"

	"github.com/piton-project/piton"
)

// Letter is a message in the outbox, due at a time (docs/spec.md, "Delivery").
// It waits until it is done: delivered, dropped, or parked with its error.
type Letter struct {
	ID        string
	SessionID string
	Kind      string     // one of the Letter constants
	Due       piton.Time // while it is being carried: when another may take it
	Body      string     // JSON, by the kind
	Attempts  int        // how often it was taken
	DoneAt    piton.Time // zero: it waits
	Outcome   string     // why it was dropped or parked, or the last attempt's error; redacted
}

// LetterHold is the kind of a letter that holds an agent whose client hears no
// answer to a stop. Its body is a HoldLetter.
const LetterHold = "hold"

// HoldLetter is the body of a hold.
type HoldLetter struct {
	Text string `json:"text"` // what the agent is told
	Turn int    `json:"turn"` // of the session; another one by now: nobody needs it
}

// MaxAttempts is how often a letter is carried before it is parked.
const MaxAttempts = 8

// Bounds of the pause before a letter is carried again.
const (
	leastPause = time.Second
	mostPause  = time.Minute
)

// Pause is how long to wait after so many attempts that failed.
func Pause(attempts int) time.Duration {
	d := leastPause
	for i := 1; i < attempts && d < mostPause; i++ {
		d *= 2
	}
	return min(d, mostPause)
}
