package client

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// What all clients' turns are made of, whatever their logs look like.

// clockSlack is how far a line's time may lie before the turn's beginning and
// still be of the turn: lines are stamped when their content began, not when
// they were written.
const clockSlack = 2 * time.Second

// prompted notes what a person said. The time since an interruption was idle.
func prompted(t *agent.Transcript, words string, at time.Time) {
	if idle := at.Sub(t.Interrupted); !t.Interrupted.IsZero() && idle > 0 {
		t.Idle += idle
	}
	t.Interrupted = time.Time{}
	t.LastPrompt, t.LastPromptAt = words, at
	t.OwnTextLast = false
}

// inOrder puts calls into the order in which they began: those of subagents
// stand behind the session's.
func inOrder(calls []agent.Call) {
	slices.SortStableFunc(calls, func(a, b agent.Call) int { return a.StartedAt.Compare(b.StartedAt) })
}

// ownText tells whether Piton's prefix stands at the beginning of a text, or
// close behind it, where a client put words around it.
func ownText(s string) bool {
	return strings.Contains(s[:min(len(s), 256)], strings.TrimSpace(agent.Prefix))
}

// absolute is a path that a client names, as seen from a folder.
func absolute(dir, path string) string {
	if path == "" || dir == "" || filepath.IsAbs(path) || strings.HasPrefix(path, "~") {
		return path
	}
	return filepath.Join(dir, path)
}
