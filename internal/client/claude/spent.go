package claude

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// spentOf is what a message has used: each of its blocks is a line of its own that repeats
// the message's usage, the last ones with the final numbers. What is priced in another way
// than the model is another model.
func spentOf(message []byte, subagent string) (id string, s agent.Spent) {
	v := rawjson.Values(message, "id", "model", "usage")
	n := rawjson.Values(v[2], "input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation", "speed", "service_tier")
	u := piton.TokenUsage{Input: rawjson.Count(n[0]), Output: rawjson.Count(n[1]), CacheRead: rawjson.Count(n[2]), CacheWrite: rawjson.Count(n[3])}
	model := rawjson.Text(v[1])
	for _, raw := range n[5:] {
		if word := rawjson.Text(raw); word != "" && word != "standard" {
			model += " (" + word + ")"
		}
	}
	return rawjson.Text(v[0]), agent.Spend(model, subagent, u, rawjson.Count(rawjson.Member(n[4], "ephemeral_1h_input_tokens")))
}

// Spending reads the session's file, then those of its subagents.
func (Client) Spending(path string, take func(agent.Request)) (whole bool, err error) {
	whole, err = spending(path, "", take)
	own := filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents")
	folders := []string{own}
	entries, _ := os.ReadDir(filepath.Join(own, "workflows")) // those of its own workflows
	for _, e := range entries {
		folders = append(folders, filepath.Join(own, "workflows", e.Name()))
	}
	for _, dir := range folders {
		files, _ := logfile.SubagentFiles(dir, "agent-", time.Time{}, math.MaxInt)
		for _, f := range files {
			all, err := spending(f.Path, f.ID, take)
			whole = whole && all && err == nil
		}
	}
	return whole, err
}

func spending(path, subagent string, take func(agent.Request)) (whole bool, err error) {
	return logfile.ReadForward(path, func(_ int64, b []byte) {
		if b[0] != '{' {
			return
		}
		l, ok := parseLine(b)
		if !ok || l.kind != "assistant" {
			return
		}
		if id, s := spentOf(l.message, subagent); id != "" {
			take(agent.Request{ID: id, At: l.at, Spent: s})
		}
	})
}
