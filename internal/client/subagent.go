package client

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxSubagents bounds how many subagents' files are read for one turn.
const maxSubagents = 32

// subagentFile is the log of one subagent.
type subagentFile struct {
	id, path string
	changed  time.Time
}

// subagentFiles lists the logs in a folder that changed since the turn began,
// the newest first. Their names are the prefix, the subagent's id and .jsonl. It
// is not whole when there are too many.
func subagentFiles(dir, prefix string, since time.Time) (files []subagentFile, whole bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, true // there were none
	}
	for _, e := range entries {
		id, ok := strings.CutPrefix(e.Name(), prefix)
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
