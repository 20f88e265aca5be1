package client

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// TestPrompted: a prompt ends an interruption, whose time was idle.
func TestPrompted(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name        string
		interrupted time.Time
		idle        time.Duration
		anew        time.Time
	}{
		{"none", time.Time{}, time.Hour, time.Time{}},
		{"an hour ago", at.Add(-time.Hour), 2 * time.Hour, at},
		{"the moment before", at.Add(-1), time.Hour + 1, at},
		{"now", at, time.Hour, time.Time{}},
	} {
		got := agent.Transcript{Idle: time.Hour, Interrupted: c.interrupted, Broke: agent.Failed(at, true, at), OwnTextLast: true}
		Prompted(&got, "go on", at)
		if diff := cmp.Diff(agent.Transcript{Idle: c.idle, AnewAt: c.anew, LastPrompt: "go on", LastPromptAt: at}, got); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", c.name, diff)
		}
	}
}

// TestInOrder: calls stand as they began, and the oldest of too many outputs are cut.
func TestInOrder(t *testing.T) {
	t.Parallel()
	call := func(second, output int) agent.Call {
		return agent.Call{StartedAt: time.Unix(int64(second), 0), Output: strings.Repeat("x", output)}
	}
	const rest = maxSaid - 2*littleOf - 3
	calls := []agent.Call{call(4, rest), call(3, littleOf+1), call(3, littleOf), call(1, littleOf), call(2, littleOf+2)}
	InOrder(calls)
	var got []int
	for _, c := range calls {
		got = append(got, int(c.StartedAt.Unix()), len(c.Output))
		if c.Cut != (c.StartedAt.Unix() == 2) {
			t.Errorf("call %d: got cut %t", c.StartedAt.Unix(), c.Cut)
		}
	}
	cut := len(Cut(strings.Repeat("x", agent.OutputKept+1))) - agent.OutputKept + littleOf
	if diff := cmp.Diff([]int{1, littleOf, 2, cut, 3, littleOf + 1, 3, littleOf, 4, rest}, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

func TestOwnText(t *testing.T) {
	t.Parallel()
	const short = len(piton.Mark + " -")
	for text, want := range map[string]bool{
		agent.Prefix + "go on": true, "A hook says: " + agent.Prefix: true, "go on": false,
		strings.Repeat("x", 256-short) + agent.Prefix: true, strings.Repeat("x", 257-short) + agent.Prefix: false,
	} {
		if got := OwnText(text); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
	}
}

func TestShellIn(t *testing.T) {
	t.Parallel()
	for dir, want := range map[string]string{`C:\w`: "PowerShell", "c:/": "PowerShell", "c:": "Bash", "9:/": "Bash", "/w": "Bash", "": "Bash"} {
		if got := ShellIn(dir); got != want {
			t.Errorf("%q: got %s, want %s", dir, got, want)
		}
	}
}
