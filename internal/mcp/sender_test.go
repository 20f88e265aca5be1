package mcp

import (
	"slices"
	"strings"
	"testing"
)

func TestConversationsThatContradict(t *testing.T) {
	one, two := map[string]any{"sessionId": "one"}, map[string]any{"session_id": "two"}
	for _, c := range []struct {
		name string
		meta map[string]any
		want []string
	}{
		{"two objects", map[string]any{"a": one, "b": two}, nil},
		{"two objects of one mind", map[string]any{"a": one, "b": one}, []string{"one"}},
		{"the top and an object", map[string]any{"sessionId": "top", "a": one}, []string{"top", "one"}},
	} {
		for range 20 { // the order of a map is not that of the last time
			if got := conversations(c.meta); !slices.Equal(got, c.want) {
				t.Fatalf("%s: got %v, want %v", c.name, got, c.want)
			}
		}
	}
}

// TestIDsBeyondMeasure: an answer has the id of its request, also where the SDK
// would round it.
func TestIDsBeyondMeasure(t *testing.T) {
	for _, id := range []string{"9007199254740993", "-9223372036854775808", "1e300"} {
		got := exchange(t, New(alone(t)), strings.NewReader(`{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`+"\n"))
		if a, ok := got[id]; !ok || a.Error == nil {
			t.Errorf("%s: got %v, want it refused under its own id", id, got)
		}
	}
}
