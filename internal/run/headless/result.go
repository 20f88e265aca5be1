package headless

import (
	"strings"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/run/action"
)

// result is what an attempt brings that has come to its end.
func (w *work) result(p client.Progress) action.Result {
	r := w.outcome()
	r.Output = w.output(p)
	return r
}

// output is what later steps see.
func (w *work) output(p client.Progress) map[string]any {
	out := map[string]any{"text": p.Text, "agent": w.note.Agent, "session": w.note.Session, "turns": float64(w.turns)}
	if v, ok := jsonIn(p.Text); ok && w.o.output != "text" {
		out["result"] = v
	}
	if w.unchanged {
		out["unchanged"] = true
	}
	if m := w.model(p); m != "" {
		out["model"] = m
	}
	if w.unpriced == "" {
		out["cost_usd"] = w.cost
	} else {
		out["cost_unknown"] = w.unpriced
	}
	return out
}

// jsonIn is the JSON that a message is, or that stands in its last fenced block.
func jsonIn(message string) (any, bool) {
	if v, err := action.ReadJSON([]byte(strings.TrimSpace(message))); err == nil {
		return v, true
	}
	const fence = "```"
	end := strings.LastIndex(message, fence)
	if end < 0 {
		return nil, false
	}
	begin := strings.LastIndex(message[:end], fence)
	if begin < 0 {
		return nil, false
	}
	block := message[begin+len(fence) : end]
	kind, rest, _ := strings.Cut(block, "\n")
	if kind = strings.TrimSpace(kind); kind != "" && !strings.EqualFold(kind, "json") {
		return nil, false
	}
	v, err := action.ReadJSON([]byte(strings.TrimSpace(rest)))
	return v, err == nil
}
