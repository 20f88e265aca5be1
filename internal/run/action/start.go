package action

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/piton-project/piton/internal/proc"
)

// stopGrace is how long a program that is told to end may take.
const stopGrace = 2 * time.Second

// start runs a program of the step to its end, with its output in the log. It runs
// in a session of its own, which ends with it and with us. Where it is broken off,
// by ctx, what has left the session ends too; and before another attempt begins,
// what one before has left.
// All that it prints on stdout goes to another writer too.
func (c Call) start(ctx context.Context, cmd proc.Command, also io.Writer) (proc.Result, error) {
	if c.Attempt > 1 && c.Key != "" {
		proc.EndMarked(c.mark())
	}
	cmd.Alone, cmd.MaxOutput, cmd.Ends, cmd.Grace = true, maxOutput, true, stopGrace
	var mu sync.Mutex // both may be one log
	cmd.Out, cmd.Err = &shared{&mu, io.MultiWriter(also, c.Stream())}, &shared{&mu, c.Stream()}
	r, err := proc.Run(ctx, cmd)
	switch {
	case err == nil:
		return r, nil
	case errors.Is(err, exec.ErrNotFound):
		return r, final("%s: no such program", cmd.Argv[0])
	case errors.Is(err, proc.ErrNotStarted):
		return r, &Failed{Err: err, Known: Before}
	case ctx.Err() == nil:
		return r, err
	}
	if c.Key != "" {
		proc.EndMarked(c.mark())
	}
	if said := ending(r.Stderr); said != "" {
		return r, fmt.Errorf("%w; the end of what it said: %s", broken(ctx), said)
	}
	return r, broken(ctx)
}

// shared is a writer of several goroutines, one at a time.
type shared struct {
	mu *sync.Mutex
	to io.Writer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to.Write(p)
}

// broken says why an attempt was broken off.
func broken(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("it took too long and was ended: %w", context.Cause(ctx))
	}
	return fmt.Errorf("it was ended: %w", context.Cause(ctx))
}
