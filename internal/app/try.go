package app

import (
	"context"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/proc"
)

// Tried is how a command of tests went that was run once.
type Tried struct {
	Command  string `json:"command"`
	OK       bool   `json:"ok"`
	ExitCode int    `json:"exit_code"`
	TimedOut bool   `json:"timed_out,omitempty"` // it did not end within debrief.VerifyTimeout, and was killed
	TookMS   int64  `json:"took_ms"`
}

// Runs reports whether the command can run here, whatever it says of the tests.
func (t Tried) Runs() bool { return !t.TimedOut && t.ExitCode != 126 && t.ExitCode != 127 }

// TryTest runs a command once in the caller's work tree, as Piton would at a stop:
// with no terminal and nothing on stdin. What it prints is dropped.
func (a *App) TryTest(ctx context.Context, command string) (Tried, error) {
	root, err := a.Root()
	if err != nil {
		return Tried{}, err
	}
	began := time.Now()
	r, err := proc.Run(ctx, proc.Command{Argv: []string{"sh", "-c", command}, Dir: root, Timeout: debrief.VerifyTimeout, MaxOutput: 1, Alone: true})
	if err != nil {
		return Tried{}, piton.Errorf(piton.Internal, "try the command", "", "%w", err)
	}
	return Tried{command, r.Code == 0 && !r.TimedOut, r.Code, r.TimedOut, time.Since(began).Milliseconds()}, nil
}
