package agent

import (
	"strings"
	"time"

	"github.com/piton-project/piton"
)

// Letter is a message in the outbox, due at a time (docs/spec.md, "Outbox"). It
// waits until it is done: delivered, dropped, or parked with its error. Letters
// of one session to one recipient are carried in the order they were posted in.
type Letter struct {
	ID        string     `redact:"name"`
	SessionID string     `redact:"name"`
	To        string     `redact:"name"` // empty: the session's agent; ToListener(name)
	Kind      LetterKind // says what the body holds
	// Key: a letter that waits is replaced by a later one with its session,
	// recipient and key. Empty, or critical: it is never replaced.
	Key      string `redact:"name"`
	Critical bool
	Due      piton.Time // while it is being carried: when another may take it
	Expires  piton.Time // it is dropped if it has not been delivered by then; zero: never
	Body     string     `redact:"json"` // JSON, by the kind
	Attempts int        // how often it was taken, waits not counted
	DoneAt   piton.Time // zero: it waits
	Outcome  string     // why it was dropped or parked, or the last attempt's error; redacted

	Claim  int        // the number of the claim under which it is carried
	SentAt piton.Time // when an earlier attempt began what cannot be taken back, of which nobody knows how it ended; zero: none did
}

// LetterKind is what a letter is for; it says what the body holds.
type LetterKind string

// Kinds of letters.
const (
	LetterHold    LetterKind = "hold"    // it holds an agent whose client reads no answer to a stop
	LetterRestart LetterKind = "restart" // the debrief after a restart
)

// How the outcome of a letter that is done begins.
const (
	LetterDelivered = "delivered"
	LetterDropped   = "dropped" // nobody needs it any more
	LetterParked    = "parked"  // given up: a person decides
)

// HoldLetter is the body of a hold.
type HoldLetter struct {
	Text string `json:"text"` // what the agent is told
	Turn int    `json:"turn"` // of the session; once another has begun, the letter is not needed
}

// RestartLetter is the body of a debrief after a restart.
type RestartLetter struct {
	Text  string `json:"text"`            // what the agent is told
	Start *Start `json:"start,omitempty"` // the restart is under way: what whoever carries the letter does first
}

// Start is what is left to do of a restart after the client was ended: to start it in its
// pane, which is kept open for it.
type Start struct {
	Kept string `json:"kept,omitempty"` // the pane's option before it was kept open
	Path string `json:"path,omitempty"` // the old client's PATH
}

// listenerPrefix begins the recipient of a letter to a listener.
const listenerPrefix = "listener:"

// ToListener is the recipient of a letter to a configured listener.
func ToListener(name string) string { return listenerPrefix + name }

// Listener is the name of the listener that a letter is for; false: it is for the
// session's agent.
func (l Letter) Listener() (name string, ok bool) { return strings.CutPrefix(l.To, listenerPrefix) }

// MaxAttempts is how often a letter is carried before it is parked.
const MaxAttempts = 8

// Bounds of the pause before a letter is carried again.
const (
	minPause = time.Second
	maxPause = time.Minute
)

// Pause is how long to wait at most after so many attempts that failed.
func Pause(attempts int) time.Duration {
	d := minPause
	for i := 1; i < attempts && d < maxPause; i++ {
		d *= 2
	}
	return min(d, maxPause)
}
