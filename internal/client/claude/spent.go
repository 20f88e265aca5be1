package claude

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// requestOf is what a message has used: each of its blocks is a line of its own that repeats
// the message's usage, the last ones with the final numbers. What is priced in another way
// than the model is another model.
func requestOf(l line) agent.Request {
	v := rawjson.Values(l.message, "id", "model", "usage")
	n := rawjson.Values(v[2], "input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation", "speed", "service_tier")
	r := agent.Request{ID: rawjson.Text(v[0]), At: l.at, Model: rawjson.Text(v[1]), Hour: rawjson.Count(rawjson.Member(n[4], "ephemeral_1h_input_tokens"))}
	for i, to := range []*int64{&r.Usage.Input, &r.Usage.Output, &r.Usage.CacheRead, &r.Usage.CacheWrite} {
		*to = rawjson.Count(n[i])
	}
	for _, raw := range n[5:] {
		if word := rawjson.Text(raw); word != "" && word != "standard" {
			r.Model += " (" + word + ")"
		}
	}
	return r
}

// Spending reads the session's file, then those of its subagents and of its own workflows.
func (Client) Spending(path string, take func(agent.Request)) (whole bool, err error) {
	own := filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents")
	files, _ := logfile.SubagentFiles(own, "agent-", time.Time{}, math.MaxInt)
	workflows, _ := os.ReadDir(filepath.Join(own, "workflows"))
	for _, w := range workflows {
		more, _ := logfile.SubagentFiles(filepath.Join(own, "workflows", w.Name()), "agent-", time.Time{}, math.MaxInt)
		files = append(files, more...)
	}
	return logfile.WithSubagents(path, files, func(path, subagent string) (bool, error) {
		return logfile.ReadLines(path, parseLine, func(_ int64, l line) {
			if r := requestOf(l); l.kind == "assistant" && r.ID != "" {
				r.Subagent = subagent
				take(r)
			}
		})
	})
}
