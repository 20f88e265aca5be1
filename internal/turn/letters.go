package turn

import (
	"context"

	"github.com/piton-project/piton/internal/agent"
)

// deliver has letters carried by a program behind this one, unless a courier listens
// (docs/spec.md, "Outbox"): those that this event has posted, and at a stop and a
// session's start all that are due. The program listens too while it waits, so that
// one is enough.
func (h *handler) deliver(ctx context.Context) {
	asks := h.posted || h.event.Kind == agent.EventStop || h.event.Kind == agent.EventSessionStart
	if !asks || h.Later == nil || h.store == nil || h.store.Attended() {
		return
	}
	if !h.posted {
		due, err := h.due(ctx)
		if err != nil {
			h.log().WarnContext(ctx, "letters that are due were not looked for", "err", err)
		}
		if !due {
			return
		}
	}
	h.Later("flush", "--wait")
}

// due tells whether a letter is due. Mostly none waits at all: to count those takes
// SQLite 0.01 ms to prepare, to look for one that is due 0.1 ms.
func (h *handler) due(ctx context.Context) (bool, error) {
	if n, err := h.store.WaitingLetters(ctx); err != nil || n == 0 {
		return false, err
	}
	due, err := h.store.Letters(ctx, h.at, 1)
	return len(due) > 0, err
}
