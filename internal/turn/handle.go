package turn

import (
	"context"
	"encoding/json"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
)

// Handle takes one event and returns the reply for the client.
// It writes what happened in one transaction. An error means that nothing was
// decided: the agent is to be let go; the reply tells the person at most.
func (t Turns) Handle(ctx context.Context, e agent.Event) (Reply, error) {
	e.ClientID, _ = redact.Known(e.ClientID) // what is kept and what is looked up
	h := t.handler(e)
	reply, err := h.handle(ctx)
	h.deliver(ctx)
	if err != nil {
		return t.Missed(e, err), err
	}
	return redact.Value(json.RawMessage(reply)), nil
}

// handle does what belongs to the kind of event; any other one is noted. Only a
// prompt and a stop of the agent's own begin and end a turn, not a subagent's.
func (h *handler) handle(ctx context.Context) ([]byte, error) {
	own := h.event.Subagent == ""
	switch kind := h.event.Kind; {
	case kind == "":
		return nil, nil
	case kind == agent.EventSessionStart:
		return h.start(ctx)
	case kind == agent.EventPrompt && own && !agent.Injected(h.event.Prompt):
		return h.prompt(ctx)
	case kind == agent.EventPrompt && own:
		return nil, h.ours(ctx)
	case kind == agent.EventStop && own:
		return h.stop(ctx)
	case kind == agent.EventToolUse:
		return nil, h.use(ctx)
	case kind == agent.EventToolDone:
		return nil, h.tool(ctx)
	case kind == agent.EventStopFailed:
		return nil, h.keep(ctx, piton.TriggerError)
	case kind == agent.EventPreCompact:
		return nil, h.keep(ctx, piton.TriggerPreCompact)
	case kind == agent.EventSessionEnd && own:
		return nil, h.end(ctx)
	}
	return nil, h.note(ctx)
}
