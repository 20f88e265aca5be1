package caller

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

// ParseTime reads a time: a duration ago (2d, or 2 days ago), today, yesterday, a day or a
// time of the zone of now, or RFC 3339. A time without a day is the last one: at two in the
// morning 22:00 is that of the evening before.
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
	if t, err := time.ParseInLocation("15:04", s, now.Location()); err == nil {
		at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
		if at.After(now) {
			at = at.AddDate(0, 0, -1)
		}
		return piton.At(at), nil
	}
	d, err := ParseSpan(inUnits(s))
	if _, notYear := time.Parse("2006", s); err != nil || notYear == nil {
		return piton.Time{}, piton.Errorf(piton.Invalid, "read the time", "write 2d, 90m, yesterday, 18:00, 2026-01-31 or 2026-01-31T18:00:00Z", "cannot read %q as a time", s)
	}
	return piton.At(now.Add(-d)), nil
}

// inUnits writes a duration in words, such as "2 days ago" or "1 hour", with units.
func inUnits(s string) string {
	words := strings.Fields(strings.TrimSuffix(strings.ToLower(s), " ago"))
	if len(words) == 2 {
		unit := strings.TrimSuffix(words[1], "s")
		if short := map[string]string{"second": "s", "minute": "m", "min": "m", "hour": "h", "day": "d", "week": "w"}[unit]; short != "" {
			words[1] = short
		}
	}
	return strings.Join(words, "")
}

// ParseTimes reads when a span begins and ends (ParseTime); empty: it has no such bound.
func ParseTimes(since, until string, now time.Time) (from, to piton.Time, err error) {
	if since != "" {
		from, err = ParseTime(since, now)
	}
	if until != "" && err == nil {
		to, err = ParseTime(until, now)
	}
	if err == nil && until != "" && to.Before(from.Time) {
		err = piton.Errorf(piton.Invalid, "", "exchange them, or leave one out", "%s lies before %s", until, since)
	}
	return from, to, err
}

// SpanSince is the time that has passed since a moment that a caller names (ParseTime).
func (a *env) SpanSince(s string) (time.Duration, error) {
	if span, err := ParseSpan(s); err == nil {
		return span, nil
	}
	now := a.Options.Now()
	t, err := ParseTime(s, now)
	return now.Sub(t.Time), err
}
