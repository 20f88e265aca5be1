package history

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// maxTaken bounds how many sessions are followed that have taken over work from
// one another.
const maxTaken = 8

// goesOn reports whether the work of a session's own head was taken over by another
// session that is at work on it, or whose own checkpoint holds it by now: that one
// is offered instead (docs/spec.md, "Crash recovery"). Work of a session that has
// died before its first save is its first owner's again.
func (k Keeper) goesOn(ctx context.Context, c piton.Checkpoint) bool {
	if c.WorkflowType != piton.TypeSession || c.SessionID == "" || k.Local == nil {
		return false
	}
	s, err := k.Local.Session(ctx, c.SessionID)
	return err == nil && k.takenOver(ctx, s)
}

func (k Keeper) takenOver(ctx context.Context, s agent.Session) bool {
	for range maxTaken {
		if s.TakenBy == "" {
			return false
		}
		by, err := k.Local.Session(ctx, s.TakenBy)
		if err != nil || by.Took == nil || by.Took.Session != s.ID {
			return false
		}
		if k.Alive != nil && k.Alive(by) {
			return true
		}
		if by.WorkflowID != "" && !by.SavedAt.Before(by.Took.At.Time) {
			if w, err := k.Local.Checkpoints.Workflow(ctx, by.WorkflowID, ""); err == nil && !w.Closed {
				return true
			}
		}
		s = by
	}
	return false
}

// gone is how many of a session's open heads Detect leaves out because their work
// goes on elsewhere: its own, or none.
func (k Keeper) gone(ctx context.Context, session string) int {
	if session == "" || k.Local == nil {
		return 0
	}
	s, err := k.Local.Session(ctx, session)
	if err != nil || s.TakenBy == "" || s.WorkflowID == "" || !k.takenOver(ctx, s) {
		return 0
	}
	if w, err := k.Store.Workflow(ctx, s.WorkflowID, ""); err != nil || w.Closed {
		return 0
	}
	return 1
}
