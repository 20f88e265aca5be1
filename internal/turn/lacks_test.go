package turn

import (
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// What hooks have seen must stand in the log.
func TestLacks(t *testing.T) {
	at := func(sec int) time.Time { return time.Date(2026, 1, 1, 10, 0, sec, 0, time.UTC) }
	calls := func(began, ended int) []agent.Call {
		return []agent.Call{{ID: "a", StartedAt: at(began), EndedAt: at(ended)}}
	}
	for _, x := range []struct {
		name   string
		worked int // 0: hooks saw no work
		script agent.Transcript
		lacks  bool
	}{
		{"hooks saw nothing", 0, agent.Transcript{}, false},
		{"work of the turn before", 3, agent.Transcript{}, false},
		{"no call", 20, agent.Transcript{LastOutputAt: at(21)}, true},
		{"the call", 20, agent.Transcript{Calls: calls(15, 20)}, false},
		{"a call that a slow hook held up", 20, agent.Transcript{Calls: calls(5, 12)}, false},
		{"it ends before", 40, agent.Transcript{Calls: calls(15, 20)}, true},
		{"words behind the work", 40, agent.Transcript{Calls: calls(15, 20), LastOutputAt: at(41)}, false},
	} {
		s := agent.Session{Remembers: agent.Remembers{LastMessageAt: piton.At(at(5))}}
		if x.worked > 0 {
			s.WorkedAt = piton.At(at(x.worked))
		}
		if got := lacks(s, x.script); (got != "") != x.lacks {
			t.Errorf("%s: got %q, want something lacking %v", x.name, got, x.lacks)
		}
	}
}
