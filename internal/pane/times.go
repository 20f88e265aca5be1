package pane

import (
	"errors"
	"os/exec"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/courier"
)

// Times of a letter that is typed.
const (
	// between two looks that must show the same, before anything is typed.
	between = 300 * time.Millisecond
	// soon is when a pane is looked at again that a person or a turn keeps busy, and
	// later when nobody can tell whether it will ever be ready.
	soon, later = time.Second, 15 * time.Second
	poll        = 100 * time.Millisecond
	// maxShow is how long a client may take to show what was pasted, and maxArrive to
	// report that it has taken it. A client that is starting may queue a prompt: for
	// maxTold it is looked at again.
	maxShow, maxArrive = 5 * time.Second, 12 * time.Second
	maxTold            = 2 * time.Minute
	maxEnters          = 3
	// how often a text is pasted anew that the client has dropped, and not before
	maxAgain, maxLate = 1, 15 * time.Second
	betweenEnters     = 3 * time.Second
)

// failed is an attempt that surely brought nothing to the agent.
func failed(err error) courier.Outcome {
	return courier.Outcome{What: courier.Failed, Why: reason(err)}
}

// reason is an error in one line.
func reason(err error) string {
	if errors.Is(err, exec.ErrNotFound) {
		return "the client's program is not in PATH"
	}
	return strings.Join(strings.Fields(piton.Printable(err.Error())), " ")
}
