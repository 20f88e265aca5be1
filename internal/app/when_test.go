package app

import (
	"testing"
	"time"

	"github.com/piton-project/piton"
)

func TestSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90m": 90 * time.Minute, "12h": 12 * time.Hour, "7d": 7 * 24 * time.Hour, "2w": 14 * 24 * time.Hour,
		"1.5d": 36 * time.Hour, "0s": 0, "1h30m": 90 * time.Minute, "0": 0,
	} {
		if got, err := ParseSpan(text); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "7", "soon", "-1h", "-3d", "NaNd", "Infd", "1e9d", "7 d", "7D"} {
		if got, err := ParseSpan(text); piton.CodeOf(err) != piton.Invalid {
			t.Errorf("%q: got %v, %v, want invalid", text, got, err)
		}
	}
}

func TestMoment(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"2d": "2026-05-02T12:00:00.000Z", "90m": "2026-05-04T10:30:00.000Z",
		"2026-01-31T18:00:00Z": "2026-01-31T18:00:00.000Z", "2026-01-31T18:00:00+02:00": "2026-01-31T16:00:00.000Z",
	} {
		if got, err := ParseTime(text, now); err != nil || got.String() != want {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
	if _, err := ParseTime("yesterday", now); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("yesterday: got %v, want invalid", err)
	}
}
