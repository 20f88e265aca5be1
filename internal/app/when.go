package app

import (
	"strconv"
	"time"

	"github.com/piton-project/piton"
)

// ParseSpan reads a duration as people write it: 90m, 12h, 7d, 2w.
func ParseSpan(s string) (time.Duration, error) {
	unit := map[byte]time.Duration{'d': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	if s != "" {
		if day, ok := unit[s[len(s)-1]]; ok {
			n, err := strconv.ParseFloat(s[:len(s)-1], 64)
			if err == nil && n >= 0 && n < 1e4 {
				return time.Duration(n * float64(day)), nil
			}
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, piton.Errorf(piton.Invalid, "read the duration", "write 90m, 12h, 7d or 2w", "%q is not a duration", s)
	}
	return d, nil
}

// ParseTime reads a time: so long ago, or RFC 3339.
func ParseTime(s string, now time.Time) (piton.Time, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return piton.At(t), nil
	}
	d, err := ParseSpan(s)
	if err != nil {
		return piton.Time{}, piton.Errorf(piton.Invalid, "read the time", "write 2d, 90m, or 2026-01-31T18:00:00Z", "cannot read %q as a time", s)
	}
	return piton.At(now.Add(-d)), nil
}
