package app

import (
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/span"
)

// ParseSpan reads a duration as people write it: 90m, 12h, 1.5d, 2w, or a number of
// seconds.
func ParseSpan(s string) (time.Duration, error) { return spanOf(s, span.Parse) }

// ParseAge is ParseSpan for the age from which something is deleted. A number alone is
// refused: taken for seconds it would delete nearly everything.
func ParseAge(s string) (time.Duration, error) { return spanOf(s, span.ParseAge) }

func spanOf(s string, parse func(string) (time.Duration, error)) (time.Duration, error) {
	d, err := parse(s)
	if err != nil {
		return 0, piton.Errorf(piton.Invalid, "read the duration", "write 90m, 12h, 7d or 2w", "%w", err)
	}
	return d, nil
}

// ParseTime reads a time: a duration ago, today, yesterday, a day or a time of the zone
// of now, or RFC 3339.
func ParseTime(s string, now time.Time) (piton.Time, error) {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch strings.ToLower(s) {
	case "now":
		return piton.At(now), nil
	case "today":
		return piton.At(midnight), nil
	case "yesterday":
		return piton.At(midnight.AddDate(0, 0, -1)), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01-02 15:04", time.DateTime, "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return piton.At(t), nil
		}
	}
	d, err := ParseSpan(s)
	if _, notYear := time.Parse("2006", s); err != nil || notYear == nil {
		return piton.Time{}, piton.Errorf(piton.Invalid, "read the time", "write 2d, 90m, yesterday, 2026-01-31 or 2026-01-31T18:00:00Z", "cannot read %q as a time", s)
	}
	return piton.At(now.Add(-d)), nil
}

// SpanSince is the time that has passed since a moment that a caller names (ParseTime).
func (a *App) SpanSince(s string) (time.Duration, error) {
	now := a.o.Now()
	t, err := ParseTime(s, now)
	return now.Sub(t.Time), err
}
