package gemini

import (
	"math"
	"path/filepath"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// used is what an answer has used. What came from the cache is counted with the input, and
// thoughts apart from the output.
func (l line) used() piton.TokenUsage {
	var n [5]int64
	for i, raw := range rawjson.Values(l.tokens, "input", "tool", "cached", "output", "thoughts") {
		n[i] = rawjson.Count(raw)
	}
	return piton.TokenUsage{Input: max(n[0]+n[1]-n[2], 0), CacheRead: n[2], Output: n[3] + n[4]}
}

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
