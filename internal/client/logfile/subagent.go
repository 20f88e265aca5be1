package logfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// MaxSubagents bounds how many subagents' files are read for one turn.
const MaxSubagents = 32

// ClockSlack is how far a line's time may lie before the turn's beginning and
// still be of the turn: lines are stamped when their content began, not when
// they were written.
const ClockSlack = 2 * time.Second

// SubagentFile is the log of one subagent.
type SubagentFile struct {
	ID, Path string
	Changed  time.Time
}

// SubagentFiles lists the logs in a folder that changed since the turn began,
// the newest first. Their names are the prefix, the subagent's id and .jsonl. It
// is not whole when there are more than so many.
func SubagentFiles(dir, prefix string, since time.Time, most int) (files []SubagentFile, whole bool) {
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
		if err != nil || info.ModTime().Before(since.Add(-ClockSlack)) {
			continue
		}
		files = append(files, SubagentFile{ID: id, Path: filepath.Join(dir, e.Name()), Changed: info.ModTime()})
	}
	slices.SortStableFunc(files, func(a, b SubagentFile) int { return b.Changed.Compare(a.Changed) })
	if len(files) > most {
		return files[:most], false
	}
	return files, true
}

// WithSubagents reads the log of a session, then those of its subagents. It is not whole
// where one of them is not.
func WithSubagents(path string, files []SubagentFile, read func(path, subagent string) (whole bool, err error)) (whole bool, err error) {
	whole, err = read(path, "")
	for _, f := range files {
		all, slip := read(f.Path, f.ID)
		whole = whole && all && slip == nil
	}
	return whole, err
}
