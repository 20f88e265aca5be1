package span

import (
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "90m": 90 * time.Minute, "12h": 12 * time.Hour, "1.5h": 90 * time.Minute, "1h30m": 90 * time.Minute, "250ms": 250 * time.Millisecond,
		"7d": 7 * day, "1.5d": 36 * time.Hour, ".5d": 12 * time.Hour, "2w": 14 * day, "1d12h": 36 * time.Hour, "1w1d": 8 * day,
		"0": 0, "0s": 0, "30": 30 * time.Second, "1.5": 1500 * time.Millisecond, "36500d": 36500 * day,
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "d", "soon", "-1h", "-3d", "+1h", "NaN", "NaNd", "Infd", "1e9d", "7 d", "7D", "1.2.3d", ".", ".d", "1h 30m", "30d extra", "36501d", "20000w", "99999999999999999999", "60w60w60w60w9999w",
	} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

func TestParseAge(t *testing.T) {
	for text, want := range map[string]time.Duration{"0": 0, "30d": 30 * day, "1.5d": 36 * time.Hour, "12h": 12 * time.Hour} {
		if got, err := ParseAge(text); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	_, err := ParseAge("30")
	if want := `"30" has no unit; write 30d for days, or another unit`; err == nil || err.Error() != want {
		t.Errorf("30: got %v, want %s", err, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "1d12h", "30", "1.5w", "999999w", "µs", "1µs"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d, err := Parse(s); d < 0 || d > Max || err != nil && d != 0 {
			t.Errorf("%q: got %v, %v", s, d, err)
		}
	})
}
