package claude

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/logfile"
)

// Transcript reads the session's file backwards to where the turn began, then
// goes through the turn forwards; then its subagents' files.
func (Client) Transcript(path string, since time.Time, end int64) (agent.Transcript, error) {
	left := logfile.NewBudget()
	turn := turn{since: since, upTo: end}
	if err := turn.read(path, left); err != nil {
		return agent.Transcript{}, err
	}
	fold := newFold()
	fold.kept = kept{outputs: filepath.Join(strings.TrimSuffix(path, ".jsonl"), "tool-results"), tasks: taskFolders(path)}
	fold.turn(turn.lines)
	if since.IsZero() {
		since = turn.begin
	}
	whole := fold.subagents(path, since, left)
	t := fold.finish()
	t.ClientVersion = turn.version
	t.Complete = turn.complete && whole
	t.Unreadable, t.UnreadUntil = logfile.Unread(turn.complete, turn.known, turn.begin)
	t.Notes = left.Notes()
	return t, nil
}

// subagents goes through what the subagents of a session did since the turn
// began. Each has a file of its own beside the session's:
// <session>/subagents/agent-<id>.jsonl. It returns false when not all could be
// read.
func (f *fold) subagents(path string, since time.Time, left *logfile.Budget) bool {
	files, whole := logfile.SubagentFiles(filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents"), "agent-", since, logfile.MaxSubagents)
	for _, file := range files {
		turn := turn{since: since, sidechain: true}
		if err := turn.read(file.Path, left); err != nil {
			whole = false // it went away, say: the others still count
			continue
		}
		f.subagent = file.ID
		f.turn(turn.lines)
		whole = whole && turn.complete
	}
	return whole
}
