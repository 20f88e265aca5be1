package agent

import (
	"time"

	"github.com/piton-project/piton"
)

// Wait is what a session waits for.
type Wait string

// What is waited for.
const (
	WaitPermission Wait = "permission" // a person lets a tool run
	WaitAnswer     Wait = "answer"     // a person answers a question inside the turn
	WaitPrompt     Wait = "prompt"     // a person speaks: the turn is over, or stands still
	WaitLimit      Wait = "limit"      // the API takes requests again, and a person speaks
)

// Break is a turn that stands still without a stop: a person has interrupted it, a
// request to the API has failed, or its client was started again. The zero Break: it
// does not.
type Break struct {
	At    piton.Time
	Wait  Wait
	Until piton.Time `json:",omitzero"` // of a limit
}

// Failed is the break of a request to the API that has failed.
func Failed(at time.Time, limit bool, until time.Time) Break {
	b := Break{At: piton.At(at), Wait: WaitPrompt}
	if limit {
		b.Wait = WaitLimit
		if !until.IsZero() {
			b.Until = piton.At(until)
		}
	}
	return b
}
