package courier

import (
	"context"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// Carrier takes letters of one kind to where they go. It may be called for
// several letters at once, never for two of one session to one recipient.
type Carrier interface {
	// Carry makes one attempt. It ends when ctx does, which is before the letter
	// may be taken by another. The session is the zero Session where there is
	// none any more. A letter may come again after it has arrived: what it goes
	// to recognises it by its id (docs/spec.md, "Outbox").
	Carry(ctx context.Context, l agent.Letter, s agent.Session) Outcome
}

// Outcome is what became of a letter at one attempt.
type Outcome struct {
	What  What
	Why   string        // for a person; without secrets where they are known, it is redacted when it is kept
	Again time.Duration // of Failed and Waits: not before this; 0: the usual pause
}

// What is what became of a letter at one attempt.
type What string

// What can become of a letter.
const (
	Delivered What = "delivered"
	Dropped   What = "dropped" // nobody needs it any more
	Failed    What = "failed"  // it surely did not arrive; it is tried again, at most agent.MaxAttempts times in all
	Waits     What = "waits"   // it could not be tried now (no safe moment): it is tried again, as often as it takes
	Parked    What = "parked"  // it can never arrive, or nobody knows whether it has: a person decides
)
