package caller

import (
	"testing"
	"time"

	"github.com/piton-project/piton"
)

func TestSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90m": 90 * time.Minute, "12h": 12 * time.Hour, "7d": 7 * 24 * time.Hour, "2w": 14 * 24 * time.Hour,
		"1.5d": 36 * time.Hour, "30": 30 * time.Second, "0s": 0, "1h30m": 90 * time.Minute, "0": 0,
	} {
		if got, err := ParseSpan(text); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "soon", "-1h", "-3d", "NaNd", "Infd", "1e9d", "7 d", "7D"} {
		if got, err := ParseSpan(text); piton.CodeOf(err) != piton.Invalid {
			t.Errorf("%q: got %v, %v, want invalid", text, got, err)
		}
	}
}

func TestMoment(t *testing.T) {
	now := time.Date(2026, 5, 4, 14, 0, 0, 0, time.FixedZone("two hours east", 2*60*60))
	for text, want := range map[string]string{
		"2d": "2026-05-02T12:00:00.000Z", "90m": "2026-05-04T10:30:00.000Z", "1.5d": "2026-05-03T00:00:00.000Z", "30": "2026-05-04T11:59:30.000Z",
		"now": "2026-05-04T12:00:00.000Z", "today": "2026-05-03T22:00:00.000Z", "yesterday": "2026-05-02T22:00:00.000Z", "Yesterday": "2026-05-02T22:00:00.000Z",
		"2026-11-22": "2026-11-21T22:00:00.000Z", "2026-11-22 15:04": "2026-11-22T13:04:00.000Z", "2026-11-22T15:04:05": "2026-11-22T13:04:05.000Z",
		"2 days ago": "2026-05-02T12:00:00.000Z", "2d ago": "2026-05-02T12:00:00.000Z", "1 Hour": "2026-05-04T11:00:00.000Z", "90 min ago": "2026-05-04T10:30:00.000Z",
		"9:30": "2026-05-04T07:30:00.000Z", "14:00": "2026-05-04T12:00:00.000Z", "22:00": "2026-05-03T20:00:00.000Z",
		"2026-01-31T18:00:00Z": "2026-01-31T18:00:00.000Z", "2026-01-31T18:00:00+02:00": "2026-01-31T16:00:00.000Z",
	} {
		if got, err := ParseTime(text, now); err != nil || got.String() != want {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "tomorrow", "2026-13-01", "2026-02-30", "22.11.2026", "-2d", "2026", "25:00", "two days ago", "2 2 days", "ago", "2 moons ago"} {
		if got, err := ParseTime(text, now); piton.CodeOf(err) != piton.Invalid {
			t.Errorf("%q: got %v, %v, want invalid", text, got, err)
		}
	}
}
