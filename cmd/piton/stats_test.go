package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/insight"
)

// Charts fit the width, whatever was counted.
func TestChartsFit(t *testing.T) {
	x := insight.Stats{Project: "prj_0123456789abcdef", Saves: 12, Recovered: 3}
	for i := range 400 {
		x.Days = append(x.Days, insight.StatsDay{Day: "2026-01-01", Saves: int64(i * i), Stops: 7, Resumes: int64(i % 2)})
	}
	h := insight.Histogram{Count: 123456, P50: 500, Buckets: []insight.Bucket{{Le: 1, Count: 1}, {Le: 2}, {Le: 5000, Count: 9}, {Count: 123446}}}
	x.Size, x.Latency = h, h
	x.Reasons = []insight.StatsCount{{Name: "a_reason_with_a_name_that_is_too_long", Count: 123456}, {Name: "rare", Count: 1}}
	x.Held = []insight.StatsCount{{Name: "Go code", Count: 5}}
	x.Holds = insight.HoldStats{Holds: 9, Cleared: 4, Again: 3, Open: 2, TimeMS: 987654321, MedianMS: 123456, Usage: piton.TokenUsage{Input: 123456789, Output: 1234567}, UsageKnown: 7}
	x.Ran = insight.RunStats{Stops: 9999, Passed: 999, Failed: 99, Undecided: 8901, Runs: 99999, Cached: 9999, TimeMS: 987654321}
	x.Hooks = []insight.HookStats{{Event: "user_prompt_submit", Histogram: h}}
	x.Outbox = insight.OutboxStats{Waiting: 12, OldestAgeMS: 1e9}
	for _, width := range []int{60, 75, 80, 160} {
		p := chart{con: newConsole(nil, &bytes.Buffer{}, nil, os.Getenv), width: width}
		for _, l := range strings.Split(p.stats(x), "\n") {
			if n := utf8.RuneCountInString(l); n > width {
				t.Errorf("width %d: got %d characters: %s", width, n, l)
			}
		}
	}
}

func TestColumnsOfAChart(t *testing.T) {
	for _, c := range []struct {
		name    string
		values  []int64
		columns int
		want    string
	}{
		{"nothing", []int64{0, 0}, 9, ""},
		{"one", []int64{0, 5, 0}, 9, " █"},
		{"the least shows", []int64{1, 1000}, 9, "▁█"},
		{"eight heights", []int64{1, 2, 3, 4, 5, 6, 7, 8}, 9, "▁▂▃▄▅▆▇█"},
		{"several share a column", []int64{1, 1, 4, 4}, 2, "▂█"},
	} {
		if got := spark(c.values, c.columns); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
