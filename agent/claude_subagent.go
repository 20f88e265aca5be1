package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxSubagents bounds how many subagents' files are read for one turn.
const maxSubagents = 32

// subagents goes through what the subagents of a session did since the turn
// began. Each has a file of its own beside the session's:
// <session>/subagents/agent-<id>.jsonl. It returns false when not all could be
// read.
func (f *claudeFold) subagents(path string, since time.Time, left *budget) bool {
	files, whole := claudeSubagentFiles(path, since)
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

type subagentFile struct {
	id, path string
	changed  time.Time
}

// claudeSubagentFiles lists the files that changed since the turn began, the
// newest first.
func claudeSubagentFiles(path string, since time.Time) (files []subagentFile, whole bool) {
	dir := filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, true // there were none
	}
	for _, e := range entries {
		id, ok := strings.CutPrefix(e.Name(), "agent-")
		id, ok2 := strings.CutSuffix(id, ".jsonl")
		if !ok || !ok2 || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil || info.ModTime().Before(since.Add(-clockSlack)) {
			continue
		}
		files = append(files, subagentFile{id: id, path: filepath.Join(dir, e.Name()), changed: info.ModTime()})
	}
	slices.SortStableFunc(files, func(a, b subagentFile) int { return b.changed.Compare(a.changed) })
	if len(files) > maxSubagents {
		return files[:maxSubagents], false
	}
	return files, true
}
