package app

import (
	"context"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/turn"
)

// TryTest runs a command once in the caller's work tree, as Piton would at a stop.
// limit 0: the usual one.
func (a Setup) TryTest(ctx context.Context, command string, limit time.Duration) (agent.Verified, error) {
	root, err := a.Root()
	if err != nil {
		return agent.Verified{}, err
	}
	tried, err := turn.RunTests(ctx, root, command, debrief.Verify{Timeout: limit}.Limit())
	if err != nil {
		return tried, piton.Errorf(piton.Internal, "try the command", "", "%w", err)
	}
	return tried, nil
}
