package screen

import (
	"bytes"
	"testing"
	"time"
)

func TestProgressIsForTerminals(t *testing.T) {
	var out bytes.Buffer
	s := &Screen{Err: &out}
	show := s.Progress("Reading")
	for n := range int64(10) {
		show(n, 10)
	}
	show(1, 1)
	if out.Len() > 0 {
		t.Errorf("got %q, want nothing", out.String())
	}
}

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		name        string
		done, total int64
		spent       time.Duration
		want        string
	}{
		{"nothing is done, so the pace is not known", 0, 10, time.Second, "Reading 0% (0 of 10)"},
		{"a quarter in ten seconds", 5, 20, 10 * time.Second, "Reading 25% (5 of 20, 30s left)"},
		{"nothing to do", 0, 0, time.Second, "Reading 0% (0 of 0)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := progressLine("Reading", c.done, c.total, c.spent); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
