package piton

import (
	"encoding/json"
	"strconv"
	"strings"
)

const usageHint = "give input=1200,output=300, with cache_read and cache_write where they are known, or one number"

// UnmarshalText reads counts as people write them: input=N,output=N, the same as a JSON
// object, or one number, which counts as input.
func (u *TokenUsage) UnmarshalText(b []byte) error {
	*u = TokenUsage{}
	counts, err := countsOf(strings.TrimSpace(string(b)))
	if err != nil {
		return err
	}
	kinds := map[string]*int64{"input": &u.Input, "output": &u.Output, "cache_read": &u.CacheRead, "cache_write": &u.CacheWrite, "cacheRead": &u.CacheRead, "cacheWrite": &u.CacheWrite}
	for kind, text := range counts {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return Errorf(Invalid, "", usageHint, "%q is not a number of tokens", text)
		}
		if kinds[kind] == nil {
			return Errorf(Invalid, "", usageHint, "there is no kind of tokens %q", kind)
		}
		*kinds[kind] = n
	}
	return nil
}

// countsOf are the counts of a text by their kinds, as they are written.
func countsOf(text string) (map[string]string, error) {
	counts := map[string]string{}
	switch {
	case strings.HasPrefix(text, "{"):
		var object map[string]json.Number
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			return nil, &Error{Code: Invalid, Hint: usageHint, Err: err}
		}
		for kind, n := range object {
			counts[kind] = n.String()
		}
	case strings.Contains(text, "="):
		for pair := range strings.SplitSeq(text, ",") {
			kind, n, ok := strings.Cut(pair, "=")
			if kind = strings.TrimSpace(kind); !ok || counts[kind] != "" {
				return nil, Errorf(Invalid, "", usageHint, "cannot read %q", pair)
			}
			counts[kind] = strings.TrimSpace(n)
		}
	default:
		counts["input"] = text
	}
	return counts, nil
}
