package turn

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
)

// inherit adds to a session what the work left open that it has taken over: by the
// state that was resumed, and by the log of what came after it. It is looked for
// once.
func (h *handler) inherit(ctx context.Context, s agent.Session) agent.Session {
	if s.Took == nil || s.Took.Asked || s.Took.Checkpoint == "" {
		return s
	}
	t := *s.Took
	t.Asked, s.Took = true, &t
	l, err := h.keeper(h.store).Load(ctx, history.Selector{ID: t.Checkpoint}, true)
	if err != nil {
		h.log().InfoContext(ctx, "what was taken over cannot be read", "session", s.ID, "checkpoint", t.Checkpoint, "err", err)
		return s
	}
	var was sessionState
	if json.Unmarshal(l.State, &was) != nil {
		return s // a caller's own kind
	}
	left := was.Open
	if since := h.Since(ctx, s.Root, l.Checkpoint, l.State); since != nil && wentOn(since) {
		left = since.Open
	}
	for _, n := range left {
		n.Asked = false // this one was not
		s.Open = append(slices.Clip(s.Open), n)
	}
	return s
}
