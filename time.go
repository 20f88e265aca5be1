package piton

import (
	"fmt"
	"strings"
	"time"
)

// timeFormat is RFC 3339 in UTC with milliseconds, always three digits.
const timeFormat = "2006-01-02T15:04:05.000Z"

// Time is a moment as Piton keeps it: UTC, to the millisecond. The zero Time
// means unknown and is left out of JSON by omitzero.
type Time struct{ time.Time }

// At returns t in UTC, cut to the millisecond.
func At(t time.Time) Time {
	if t.IsZero() {
		return Time{}
	}
	return Time{t.UTC().Truncate(time.Millisecond)}
}

// FromMillis is the Time ms milliseconds after 1970; 0 is the zero Time.
func FromMillis(ms int64) Time {
	if ms == 0 {
		return Time{}
	}
	return Time{time.UnixMilli(ms).UTC()}
}

// Millis returns the milliseconds since 1970; 0 for the zero Time.
func (t Time) Millis() int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// String returns the time as it stands in JSON.
func (t Time) String() string { return t.UTC().Format(timeFormat) }

// MarshalJSON writes RFC 3339 with milliseconds, null for the zero Time.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + t.String() + `"`), nil
}

// UnmarshalJSON reads any RFC 3339 time whose year in UTC has four digits, so
// that it can be written again.
func (t *Time) UnmarshalJSON(b []byte) error {
	s := strings.Trim(string(b), `"`)
	if s == "" || s == "null" {
		*t = Time{}
		return nil
	}
	parsed, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return err
	}
	if year := parsed.UTC().Year(); year < 0 || year > 9999 {
		return fmt.Errorf("the year of %s cannot be written in UTC", s)
	}
	*t = At(parsed)
	return nil
}
