package place

import (
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/redact"
)

// Taker takes marks as the settings say.
func Taker(s *keep.Store, r config.Restore) keep.Taker {
	t := keep.Taker{Store: s, Limits: keep.Limits{File: int64(r.MaxFile) << 20, Mark: int64(r.MaxMark) << 20, All: int64(r.MaxAll) << 20, For: r.For}, Patterns: r.Keep}
	if r.Secrets == config.RestoreOmit {
		t.Omits = Secret
	}
	return t
}

// Secret tells of a text that redaction would change.
func Secret(text []byte) bool {
	_, n := redact.Text(string(text))
	return n > 0
}
