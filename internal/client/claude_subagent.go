package client

import (
	"path/filepath"
	"strings"
	"time"
)

// subagents goes through what the subagents of a session did since the turn
// began. Each has a file of its own beside the session's:
// <session>/subagents/agent-<id>.jsonl. It returns false when not all could be
// read.
func (f *claudeFold) subagents(path string, since time.Time, left *budget) bool {
	files, whole := subagentFiles(filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents"), "agent-", since)
	for _, file := range files {
		turn := claudeTurn{since: since, sidechain: true}
		if err := turn.read(file.path, left); err != nil {
			whole = false // it went away, say: the others still count
			continue
		}
		f.subagent = file.id
		f.turn(turn.lines)
		whole = whole && turn.complete
	}
	return whole
}
