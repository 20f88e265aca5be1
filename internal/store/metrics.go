package store

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton"
)

// Metric is what one counter of a project has counted on one day.
type Metric struct {
	Day     string // in UTC: 2026-01-31
	Project string // empty: of none
	Name    string
	N       int64
}

// Counted is what is added to a counter.
type Counted struct {
	Name string
	N    int64
}

// How long what happened is kept.
const (
	EventsFor  = 30 * 24 * time.Hour  // events, decisions and finished letters
	MetricsFor = 400 * 24 * time.Hour // the counters of a day
)

// The names of counters (docs/spec.md, "Metrics"). A histogram has a counter for
// each of its buckets, NAME_le_BOUND and NAME_le_inf, of what is at most BOUND and
// above the bound before it, and NAME_sum.
const (
	SaveCount     = "checkpoint_save_count"
	SaveSize      = "checkpoint_save_size_bytes"
	SaveLatency   = "checkpoint_save_latency_ms"
	ResumeCount   = "checkpoint_resume_count"
	Recovered     = "steps_recovered"
	DecisionCount = "stop_decisions_"     // with the reason
	HeldCount     = "stop_held_category_" // with the category of what was changed
)

// The bounds of histograms.
var (
	SizeBounds    = []int64{1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20}
	LatencyBounds = []int64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000}
)

// infinite is the last bucket of a histogram.
const infinite = "inf"

// Observed is one value in a histogram.
func Observed(name string, bounds []int64, value int64) []Counted {
	bucket := infinite
	if i, _ := slices.BinarySearch(bounds, value); i < len(bounds) {
		bucket = strconv.FormatInt(bounds[i], 10)
	}
	return []Counted{{name + "_le_" + bucket, 1}, {name + "_sum", value}}
}

// Bucket is the bound of a histogram's bucket by its counter's name; 0 is the one
// without. ok is false where the counter is none of the histogram's buckets.
func Bucket(histogram, counter string) (bound int64, ok bool) {
	text, ok := strings.CutPrefix(counter, histogram+"_le_")
	if !ok || text == infinite {
		return 0, ok
	}
	bound, err := strconv.ParseInt(text, 10, 64)
	return bound, err == nil
}

// Saves is what is counted of the save of a state, which took so long up to its
// commit.
func Saves(bytes, ms int64) []Counted {
	return slices.Concat([]Counted{{SaveCount, 1}}, Observed(SaveSize, SizeBounds, bytes), Observed(SaveLatency, LatencyBounds, ms))
}

// Sum adds up what has one name, in the order of names, without what counts nothing.
// A sum that is too large is the largest number.
func Sum(counts []Counted) []Counted {
	counts = slices.DeleteFunc(slices.Clone(counts), func(c Counted) bool { return c.N <= 0 })
	slices.SortStableFunc(counts, func(a, b Counted) int { return cmp.Compare(a.Name, b.Name) })
	sums := counts[:0]
	for _, c := range counts {
		if last := len(sums) - 1; last >= 0 && sums[last].Name == c.Name {
			sums[last].N += min(c.N, math.MaxInt64-sums[last].N)
			continue
		}
		sums = append(sums, c)
	}
	return sums
}

// HookTime is how long a hook took up to its commit.
type HookTime struct {
	At      piton.Time
	Project string
	Kind    EventKind
	MS      int64
}

// TookMS is the member of an event's data that says how long its hook took.
const TookMS = "took_ms"
