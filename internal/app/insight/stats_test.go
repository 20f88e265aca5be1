package insight

import (
	"fmt"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/store"
)

func TestWhatHoldsCostAndCaught(t *testing.T) {
	start := time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)
	stop := func(session string, turn, second int, reason agent.Reason, out int64) agent.Decision {
		d := agent.Decision{At: piton.At(start.Add(time.Duration(second) * time.Second)), Session: session, Turn: turn, Reason: reason, Usage: piton.TokenUsage{Output: out}}
		d.Held = reason == agent.ReasonHeld || reason == agent.ReasonGeneric
		return d
	}
	const held, clear, budget, moved = agent.ReasonHeld, agent.ReasonClear, agent.ReasonBudget, agent.ReasonMoved
	for _, c := range []struct {
		name  string
		stops []agent.Decision // as they came
		want  HoldStats
	}{
		{"no stop", nil, HoldStats{}},
		{"nothing was held", []agent.Decision{stop("a", 1, 0, clear, 1)}, HoldStats{}},
		{"held, then in order", []agent.Decision{stop("a", 1, 0, held, 10), stop("a", 1, 40, clear, 25)},
			HoldStats{Holds: 1, Cleared: 1, TimeMS: 40000, MedianMS: 40000, Usage: piton.TokenUsage{Output: 15}, UsageKnown: 1}},
		{"held twice, then let go", []agent.Decision{stop("a", 1, 0, held, 10), stop("a", 1, 10, agent.ReasonGeneric, 20), stop("a", 1, 70, budget, 50)},
			HoldStats{Holds: 2, Again: 1, LetGo: 1, TimeMS: 70000, MedianMS: 60000, Usage: piton.TokenUsage{Output: 40}, UsageKnown: 2}},
		{"the next stop is of another turn", []agent.Decision{stop("a", 1, 0, held, 10), stop("a", 2, 10, clear, 20)}, HoldStats{Holds: 1, Open: 1}},
		{"the next stop is of another session", []agent.Decision{stop("a", 1, 0, held, 10), stop("b", 1, 10, clear, 20)}, HoldStats{Holds: 1, Open: 1}},
		{"the same stop told twice", []agent.Decision{stop("a", 1, 0, held, 10), stop("a", 1, 1, moved, 10), stop("a", 1, 9, clear, 12)},
			HoldStats{Holds: 1, Cleared: 1, TimeMS: 9000, MedianMS: 9000, Usage: piton.TokenUsage{Output: 2}, UsageKnown: 1}},
		{"a log that says no tokens", []agent.Decision{stop("a", 1, 0, held, 0), stop("a", 1, 9, clear, 0)}, HoldStats{Holds: 1, Cleared: 1, TimeMS: 9000, MedianMS: 9000}},
		{"a log that began anew", []agent.Decision{stop("a", 1, 0, held, 50), stop("a", 1, 9, clear, 20)}, HoldStats{Holds: 1, Cleared: 1, TimeMS: 9000, MedianMS: 9000}},
		{"a clock that went back", []agent.Decision{stop("a", 1, 9, held, 0), stop("a", 1, 0, clear, 0)}, HoldStats{Holds: 1, Cleared: 1}},
	} {
		var newest []agent.Decision
		for i := range c.stops {
			newest = append(newest, c.stops[len(c.stops)-1-i])
		}
		if got := holdStats(newest); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// A histogram of what was counted is that of the values themselves.
func TestHistograms(t *testing.T) {
	for _, c := range []struct {
		name     string
		values   []int64
		p50, p95 int64
	}{
		{"nothing", nil, 0, 0},
		{"one", []int64{7}, 10, 10},
		{"on a bound", []int64{10}, 10, 10},
		{"at nothing", []int64{0}, 1, 1},
		{"spread", []int64{1, 1, 1, 3, 700}, 1, 1000},
		{"beyond the last", []int64{1, 9000, 9000}, 0, 0},
	} {
		seen, counted := newHistogram(store.LatencyBounds), newHistogram(store.LatencyBounds)
		var all []store.Counted
		for _, v := range c.values {
			seen.observe(v)
			all = append(all, store.Observed(store.SaveLatency, store.LatencyBounds, v)...)
		}
		for _, n := range store.Sum(all) {
			if !counted.add(store.SaveLatency, store.Metric{Name: n.Name, N: n.N}) {
				t.Errorf("%s: %s was not read", c.name, n.Name)
			}
		}
		seen.sumUp()
		counted.sumUp()
		if fmt.Sprint(seen) != fmt.Sprint(counted) || seen.P50 != c.p50 || seen.P95 != c.p95 || seen.Count != int64(len(c.values)) {
			t.Errorf("%s: got %+v and %+v, want both equal and p50 %d, p95 %d", c.name, seen, counted, c.p50, c.p95)
		}
	}
	if h := newHistogram(store.SizeBounds); h.add(store.SaveSize, store.Metric{Name: store.SaveCount, N: 1}) {
		t.Error("another counter was taken for a bucket")
	}
}

// What Piton ran itself is counted by what it decided.
func TestWhatOwnRunsCostAndDecided(t *testing.T) {
	ran := func(list ...agent.Verified) agent.Decision { return agent.Decision{Verified: list} }
	green, red := agent.Verified{OK: true, TookMS: 10, Measured: true}, agent.Verified{TookMS: 20, Measured: true, Before: agent.BeforePassed}
	cached, unknown := green, red
	cached.Cached, unknown.Before = true, agent.BeforeNoTime
	got := runStats([]agent.Decision{ran(), ran(green), ran(green, red), ran(cached), ran(green, unknown)})
	if want := (RunStats{Stops: 4, Passed: 2, Failed: 1, Undecided: 1, Runs: 5, Cached: 1, TimeMS: 70}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// What turns have used counts once for each turn, as of its last stop; a hold counts once for
// each kind of what it named.
func TestUsedAndFacts(t *testing.T) {
	day := time.Date(2026, 1, 1, 23, 0, 0, 0, time.UTC)
	stop := func(session string, turn, hours int, tokens int64, held bool, kinds ...string) agent.Decision {
		d := agent.Decision{Session: session, Agent: "claude", Turn: turn, At: piton.At(day.Add(time.Duration(hours) * time.Hour)), Usage: piton.TokenUsage{Output: tokens}, Held: held}
		for _, k := range kinds {
			d.Open = append(d.Open, agent.Need{Kind: k})
		}
		return d
	}
	newest := []agent.Decision{stop("b", 1, 3, 5, false), stop("a", 2, 2, 4, true, "red", "red", "idle"), stop("a", 1, 1, 30, false, "red"), stop("a", 1, 0, 20, true, "idle"), stop("a", 3, 0, 0, false)}
	got := fmt.Sprint(used(newest, func(session string) string { return "/" + session }))
	if want := "[{2026-01-02 claude /b {0 5 0 0}} {2026-01-02 claude /a {0 34 0 0}}]"; got != want {
		t.Errorf("used: got %s, want %s", got, want)
	}
	if got := fmt.Sprint(heldFacts(newest)); got != "[{idle 2} {red 1}]" {
		t.Errorf("facts: got %s", got)
	}
}
