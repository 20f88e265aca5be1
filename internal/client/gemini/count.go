package gemini

import (
	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// spent is what an answer has used. What came from the cache is counted with the input, and
// thoughts apart from the output.
func (l line) spent(subagent string) agent.Spent {
	n := make([]int64, 0, 5)
	for _, raw := range rawjson.Values(l.tokens, "input", "tool", "cached", "output", "thoughts") {
		n = append(n, rawjson.Count(raw))
	}
	u := piton.TokenUsage{Input: max(n[0]+n[1]-n[2], 0), CacheRead: n[2], Output: n[3] + n[4]}
	return agent.Spend(rawjson.Text(l.model), subagent, u, 0)
}
