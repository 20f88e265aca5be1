package gemini

import (
	"math"
	"path/filepath"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/logfile"
)

// Spending reads the session's log, then those of its subagents. What a rewind took back
// was used all the same.
func (Client) Spending(path string, take func(agent.Request)) (whole bool, err error) {
	whole, err = spending(path, "", take)
	id := sessionOf(path)
	if id == "" {
		return whole, err
	}
	files, all := logfile.SubagentFiles(filepath.Join(filepath.Dir(path), id), "", time.Time{}, math.MaxInt)
	whole = whole && all
	for _, f := range files {
		all, err := spending(f.Path, f.ID, take)
		whole = whole && all && err == nil
	}
	return whole, err
}

func spending(path, subagent string, take func(agent.Request)) (whole bool, err error) {
	one := func(_ int64, b []byte) {
		if l, ok := parseLine(b); ok && l.kind == "gemini" {
			take(agent.Request{ID: l.id, At: l.at, Spent: l.spent(subagent)})
		}
	}
	if !isDocument(path) {
		return logfile.ReadForward(path, func(off int64, b []byte) {
			if b[0] == '{' {
				one(off, b)
			}
		})
	}
	messages, err := documentMessages(path, maxDocument)
	for _, m := range messages {
		one(m.off, m.raw)
	}
	return err == nil, err
}
