package gemini

import (
	"math"
	"path/filepath"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// Spending reads the session's log, then those of its subagents. What a rewind took back
// was used all the same.
func (Client) Spending(path string, take func(agent.Request)) (whole bool, err error) {
	var files []logfile.SubagentFile
	if id := sessionOf(path); id != "" {
		files, _ = logfile.SubagentFiles(filepath.Join(filepath.Dir(path), id), "", time.Time{}, math.MaxInt)
	}
	return logfile.WithSubagents(path, files, func(path, subagent string) (bool, error) {
		return lines(path, func(_ int64, l line) {
			if l.kind == "gemini" {
				take(agent.Request{ID: l.id, At: l.at, Model: rawjson.Text(l.model), Subagent: subagent, Usage: l.used()})
			}
		})
	})
}
