package insight

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/store"
)

// Histogram is how values are spread over buckets.
type Histogram struct {
	Count   int64    `json:"count"`         // of the values
	Sum     int64    `json:"sum"`           // of the values
	P50     int64    `json:"p50,omitempty"` // half of the values are at most this: the bound of a bucket; absent: there is no value, or the last bucket has it, which has no bound
	P95     int64    `json:"p95,omitempty"` // likewise 95 %; absent: as `p50`
	Buckets []Bucket `json:"buckets"`       // the values by their size
}

// Bucket counts the values that are at most Le and above the bucket before; the
// last one has no bound.
type Bucket struct {
	Le    int64 `json:"le,omitempty"` // they are at most this, and above the bucket before; the last one has none
	Count int64 `json:"count"`
}

func newHistogram(bounds []int64) Histogram {
	h := Histogram{}
	for _, b := range bounds {
		h.Buckets = append(h.Buckets, Bucket{Le: b})
	}
	h.Buckets = append(h.Buckets, Bucket{})
	return h
}

// bucket is the one with a bound; nil where there is none.
func (h *Histogram) bucket(bound int64) *Bucket {
	i := slices.IndexFunc(h.Buckets, func(b Bucket) bool { return b.Le == bound })
	if i < 0 {
		return nil
	}
	return &h.Buckets[i]
}

// add adds a counter, if it is one of the histogram of this name.
func (h *Histogram) add(name string, m store.Metric) bool {
	if m.Name == name+"_sum" {
		h.Sum += m.N
		return true
	}
	bound, ok := store.Bucket(name, m.Name)
	if b := h.bucket(bound); ok && b != nil {
		b.Count += m.N
	}
	return ok
}

// observe adds one value.
func (h *Histogram) observe(value int64) {
	for i := range h.Buckets {
		if b := &h.Buckets[i]; value <= b.Le || b.Le == 0 {
			b.Count++
			break
		}
	}
	h.Sum += value
}

// sumUp fills in what follows from the buckets.
func (h *Histogram) sumUp() {
	h.Count = 0
	for _, b := range h.Buckets {
		h.Count += b.Count
	}
	h.P50, h.P95 = h.quantile(50), h.quantile(95)
}

// quantile is the bound of the bucket in which so many per cent are reached.
func (h *Histogram) quantile(percent int64) int64 {
	var below int64
	for _, b := range h.Buckets {
		if below += b.Count; below > 0 && below*100 >= h.Count*percent {
			return b.Le
		}
	}
	return 0
}

// StatsCount is how often there was something.
type StatsCount struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// mostFirst are counts, the largest first.
func mostFirst(counts map[string]int64) []StatsCount {
	list := []StatsCount{}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, StatsCount{name, counts[name]})
	}
	slices.SortStableFunc(list, func(a, b StatsCount) int { return cmp.Compare(b.Count, a.Count) })
	return list
}

// HoldStats is what the holds of a span have cost and caught, of those decisions
// that are kept: 30 days, and the 2,000 newest.
type HoldStats struct {
	Holds      int              `json:"holds"`             // all of them
	Cleared    int              `json:"cleared"`           // the next stop of the turn was `all_clear`
	Again      int              `json:"again"`             // it was held too
	LetGo      int              `json:"let_go"`            // it was let go for another reason
	Open       int              `json:"open"`              // there was no other stop in the turn
	TimeMS     int64            `json:"time_ms"`           // from a hold to the next stop of its turn, all together
	MedianMS   int64            `json:"median_ms"`         // likewise the one in the middle
	Usage      piton.TokenUsage `json:"token_usage"`       // what was used in that time, in the holds of which it is known
	UsageKnown int              `json:"token_usage_known"` // holds of which it is known
}

// heldFacts are holds by the kinds of what they named as open, each kind of a hold once.
func heldFacts(decisions []agent.Decision) []StatsCount {
	facts := map[string]int64{}
	for _, d := range decisions {
		kinds := map[string]bool{}
		for _, n := range d.Open {
			if d.Held && !kinds[n.Kind] {
				kinds[n.Kind] = true
				facts[n.Kind]++
			}
		}
	}
	return mostFirst(facts)
}

// StatsUsed is what the turns of a client in a work tree have used on a day, as of their
// last stops; of those decisions that are kept.
type StatsUsed struct {
	Day   string           `json:"day"`
	Agent string           `json:"agent,omitempty"` // absent: not known
	Root  string           `json:"root,omitempty"`  // the work tree; absent: not known
	Usage piton.TokenUsage `json:"token_usage"`
}

// used adds up what turns have used. Decisions come the newest first, so the first one of a
// turn counts.
func used(decisions []agent.Decision, root func(session string) string) []StatsUsed {
	list, counted := []StatsUsed{}, map[turnOf]bool{}
	for _, d := range decisions {
		of := turnOf{d.Session, d.Turn}
		if counted[of] || d.Usage == (piton.TokenUsage{}) {
			continue
		}
		counted[of] = true
		u := StatsUsed{d.At.UTC().Format(time.DateOnly), d.Agent, root(d.Session), d.Usage}
		i := slices.IndexFunc(list, func(x StatsUsed) bool { return x.Day == u.Day && x.Agent == u.Agent && x.Root == u.Root })
		if i < 0 {
			list = append(list, u)
			continue
		}
		list[i].Usage = list[i].Usage.Plus(u.Usage)
	}
	return list
}

// turnOf names a turn.
type turnOf struct {
	session string
	n       int
}

// RunStats is what the commands of debrief.verify have cost and decided, which Piton runs
// itself at a stop, of those decisions that are kept.
type RunStats struct {
	Stops     int   `json:"stops"`     // at which Piton ran a command, or knew its result of the same tree
	Passed    int   `json:"passed"`    // of these: all that ran counted and passed
	Failed    int   `json:"failed"`    // a failure counted
	Undecided int   `json:"undecided"` // something said nothing (no baseline, no time, files that changed)
	Runs      int   `json:"runs"`      // that were made
	Cached    int   `json:"cached"`    // results that were known
	TimeMS    int64 `json:"time_ms"`   // what the runs took
}

func runStats(decisions []agent.Decision) (x RunStats) {
	for _, d := range decisions {
		if len(d.Verified) == 0 {
			continue
		}
		x.Stops++
		failed, silent := false, false
		for _, v := range d.Verified {
			failed, silent = failed || v.Counts() && !v.OK, silent || !v.Counts()
			if v.Cached {
				x.Cached++
				continue
			}
			x.Runs++
			x.TimeMS += v.TookMS
		}
		switch {
		case failed:
			x.Failed++
		case silent:
			x.Undecided++
		default:
			x.Passed++
		}
	}
	return x
}

// holdStats adds up decisions, the newest first.
func holdStats(decisions []agent.Decision) (x HoldStats) {
	next := map[turnOf]agent.Decision{} // the stop that came after
	var times []int64
	for _, d := range decisions {
		of := turnOf{d.Session, d.Turn}
		after, known := next[of]
		if d.Reason != agent.ReasonMoved { // the same stop, told twice
			next[of] = d
		}
		if !d.Held {
			continue
		}
		x.Holds++
		switch {
		case !known:
			x.Open++
			continue
		case after.Held:
			x.Again++
		case after.Reason == agent.ReasonClear:
			x.Cleared++
		default:
			x.LetGo++
		}
		times = append(times, max(after.At.Sub(d.At.Time).Milliseconds(), 0))
		if used, ok := usedSince(d.Usage, after.Usage); ok {
			x.Usage, x.UsageKnown = x.Usage.Plus(used), x.UsageKnown+1
		}
	}
	slices.Sort(times)
	for _, t := range times {
		x.TimeMS += t
	}
	if len(times) > 0 {
		x.MedianMS = times[len(times)/2]
	}
	return x
}

// usedSince is what a turn has used between two stops. Where a log says nothing, or
// begins anew, it is unknown.
func usedSince(was, is piton.TokenUsage) (u piton.TokenUsage, known bool) {
	u = piton.TokenUsage{Input: is.Input - was.Input, Output: is.Output - was.Output, CacheRead: is.CacheRead - was.CacheRead, CacheWrite: is.CacheWrite - was.CacheWrite}
	least := min(u.Input, u.Output, u.CacheRead, u.CacheWrite)
	return u, was != piton.TokenUsage{} && is != was && least >= 0
}
