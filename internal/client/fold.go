package client

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/piton-project/piton/internal/agent"
)

// What all clients' turns are made of, whatever their logs look like.

// Prompted notes what a person said. The time since an interruption was idle.
func Prompted(t *agent.Transcript, words string, at time.Time) {
	if idle := at.Sub(t.Interrupted); !t.Interrupted.IsZero() && idle > 0 {
		t.Idle += idle
		t.AnewAt = at
	}
	t.Interrupted, t.Broke = time.Time{}, agent.Break{}
	t.LastPrompt, t.LastPromptAt = words, at
	t.OwnTextLast = false
}

// InOrder puts calls into the order in which they began: those of subagents
// stand behind the session's. What they said is kept within bounds.
func InOrder(calls []agent.Call) {
	slices.SortStableFunc(calls, func(a, b agent.Call) int { return a.StartedAt.Compare(b.StartedAt) })
	Bounded(calls)
}

// OwnText reports whether Piton's prefix stands at the beginning of a text, or
// close behind it, where a client put words around it.
func OwnText(s string) bool {
	return strings.Contains(s[:min(len(s), 256)], strings.TrimSpace(agent.Prefix))
}

// Absolute is a path that a client names, as seen from a folder. The log may be
// of another machine: what begins with a drive is whole anywhere.
func Absolute(dir, path string) string {
	whole := filepath.IsAbs(path) || strings.HasPrefix(path, "~") || hasDrive(path)
	if whole || path == "" || dir == "" {
		return path
	}
	return filepath.Join(dir, path)
}

// hasDrive tells a whole path of Windows: C:\a, c:/a.
func hasDrive(path string) bool {
	return len(path) > 2 && path[1] == ':' && unicode.IsLetter(rune(path[0])) && strings.ContainsAny(path[2:3], `\/`)
}

// PowerShell is the tool of a call whose line PowerShell runs.
const PowerShell = "PowerShell"

// ShellIn is the tool of a call whose line the system's own shell runs: on
// Windows, where folders lie on a drive, that is PowerShell.
func ShellIn(dir string) string {
	if hasDrive(dir) {
		return PowerShell
	}
	return "Bash"
}
