package headless

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/client/gemini"
)

// TestCostsBeyondMeasure: what an attempt cost can be stored, whatever its client says.
func TestCostsBeyondMeasure(t *testing.T) {
	s := newStage(t)
	s.client("claude", `init; for i in 1 2 3; do printf '{"type":"result","subtype":"success","is_error":false,"result":"x","total_cost_usd":1e308,"usage":{"input_tokens":1}}\n'; done`)
	r, err := s.do(s.call(prompt("x")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Errorf("got %v, want a result that can be stored", err)
	}
}

// TestMessageWithoutEnd: a message in pieces takes no memory without end.
func TestMessageWithoutEnd(t *testing.T) {
	follow, piece := gemini.Client{}.Follow(), strings.Repeat("x", 1<<20)
	for range 40 {
		follow([]byte(`{"type":"message","role":"assistant","content":"` + piece + `","delta":true}`))
	}
	if got := len(follow([]byte(`{"type":"result","status":"success"}`)).Text); got == 0 || got > 16<<20 {
		t.Errorf("got a message of %d bytes, want at most 16 MiB", got)
	}
}
