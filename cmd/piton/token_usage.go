package main

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/piton-project/piton"
)

// tokenUsage reads --token-usage: counts by kind, or one number, which counts as
// input, as in checkpoints of other programs that are imported.
func tokenUsage(s string) (piton.TokenUsage, error) {
	const op, hint = "piton save", "--token-usage input=1200,output=300, with cache_read and cache_write where they are known, or one number"
	var u piton.TokenUsage
	fields := map[string]*int64{"input": &u.Input, "output": &u.Output, "cache_read": &u.CacheRead, "cache_write": &u.CacheWrite, "cacheRead": &u.CacheRead, "cacheWrite": &u.CacheWrite}
	counts := map[string]string{}
	s = strings.TrimSpace(s)
	switch {
	case strings.HasPrefix(s, "{"):
		var object map[string]json.Number
		if err := json.Unmarshal([]byte(s), &object); err != nil {
			return u, &piton.Error{Code: piton.Invalid, Op: op, Hint: hint, Err: err}
		}
		for kind, n := range object {
			counts[kind] = n.String()
		}
	case strings.Contains(s, "="):
		for pair := range strings.SplitSeq(s, ",") {
			kind, n, ok := strings.Cut(pair, "=")
			if kind = strings.TrimSpace(kind); !ok || counts[kind] != "" {
				return u, piton.Errorf(piton.Invalid, op, hint, "--token-usage: cannot read %q", pair)
			}
			counts[kind] = strings.TrimSpace(n)
		}
	default:
		counts["input"] = s
	}
	for kind, text := range counts {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return u, piton.Errorf(piton.Invalid, op, hint, "--token-usage: %q is not a number of tokens", text)
		}
		if fields[kind] == nil {
			return u, piton.Errorf(piton.Invalid, op, hint, "--token-usage: there is no kind of tokens %q", kind)
		}
		*fields[kind] = n
	}
	return u, nil
}
