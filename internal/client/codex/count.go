package codex

import (
	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// counter reads token_count, whose totals are those of the thread: the client tells the
// same ones again when a turn begins, and smaller ones where it counts anew.
type counter struct{ total piton.TokenUsage }

// since is what was used since the last line.
func (c *counter) since(l line) (u piton.TokenUsage) {
	v := rawjson.Values(rawjson.Member(l.body, "info"), "total_token_usage", "last_token_usage")
	total, last := usageOf(v[0]), usageOf(v[1])
	if total == c.total || total == (piton.TokenUsage{}) { // a line without numbers tells of limits alone
		return u
	}
	c.total = total
	return last
}

// usageOf counts what was read from the cache once: the client's input
// includes it.
func usageOf(raw []byte) (u piton.TokenUsage) {
	v := rawjson.Values(raw, "input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens")
	for i, to := range []*int64{&u.Input, &u.CacheRead, &u.CacheWrite, &u.Output} {
		*to = rawjson.Count(v[i])
	}
	u.Input = max(u.Input-u.CacheRead-u.CacheWrite, 0)
	return u
}
