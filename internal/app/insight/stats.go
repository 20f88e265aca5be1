package insight

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// Stats is what was counted in a span of time. Its JSON form is a contract
// (docs/json.md).
type Stats struct {
	From      piton.Time   `json:"from"`                       // the span begins
	To        piton.Time   `json:"to"`                         // and ends
	Project   string       `json:"project,omitempty"`          // `prj_…`; absent: all projects are counted
	Days      []StatsDay   `json:"days"`                       // of the span in UTC, the oldest first; the first one is counted whole
	Saves     int64        `json:"checkpoint_save_count"`      // checkpoints that were saved, by callers and by hooks; not imported ones
	Resumes   int64        `json:"checkpoint_resume_count"`    // checkpoints that were resumed
	Recovered int64        `json:"steps_recovered"`            // steps of a resumed run that were completed before and did not run again
	Size      Histogram    `json:"checkpoint_save_size_bytes"` // the sizes of the saved states, in buckets up to 1, 4, 16, 64, 256 KB, 1, 4, 16 MB and beyond
	Latency   Histogram    `json:"checkpoint_save_latency_ms"` // what a save took, up to its commit, in buckets up to 1, 2, 5, 10, 20, 50, 100, 200, 500, 1,000, 5,000 ms and beyond
	Stops     int64        `json:"stops"`                      // how often an agent wanted to end its turn
	Reasons   []StatsCount `json:"decisions"`                  // stops by the reason of their decision, the most frequent first
	Held      []StatsCount `json:"held_categories"`            // holds by the category of what was changed
	Holds     HoldStats    `json:"holds"`
	Facts     []StatsCount `json:"held_facts"`  // holds by the kind of what they named as open (`red`: a check that had failed), of those decisions that are kept
	Used      []StatsUsed  `json:"token_usage"` // what turns have used, by day, client and work tree
	Ran       RunStats     `json:"own_runs"`
	Hooks     []HookStats  `json:"hooks"`           // how long hooks took in ms, by event, at most 30 days back
	Outbox    OutboxStats  `json:"outbox"`          // letters that wait now
	Marks     *keep.Stats  `json:"marks,omitempty"` // marks of files that are kept now, of all projects; absent: none were taken
}

// StatsDay is what was counted on one day.
type StatsDay struct {
	Day     string `json:"day"`
	Saves   int64  `json:"saves"`
	Resumes int64  `json:"resumes"`
	Stops   int64  `json:"stops"`
	Held    int64  `json:"held"`
}

// HookStats is how long hooks took at one event, up to their commit.
type HookStats struct {
	Event string `json:"event"`
	Histogram
}

// OutboxStats is what waits in the outbox now.
type OutboxStats struct {
	Waiting     int        `json:"waiting"`
	OldestDue   piton.Time `json:"oldest_due,omitzero"`     // when the oldest was to be carried
	OldestAgeMS int64      `json:"oldest_age_ms,omitempty"` // how long that is ago
}

// marksWait is how long statistics wait for a hook that takes a mark.
const marksWait = 2 * time.Second

// maxSpan is the longest span of statistics: as long as what was counted is kept.
const maxSpan = 400 * 24 * time.Hour

// spanOf is how long the span of an answer is; Invalid where nothing of it can be kept.
func (a Insight) spanOf(since string) (time.Duration, error) {
	span, err := a.SpanSince(since)
	if err == nil && (span <= 0 || span > maxSpan) {
		err = piton.Errorf(piton.Invalid, "", "give a span of up to 400d, as 7d", "the span %s is not one of which anything was counted", span)
	}
	return span, err
}

// Stats shows what was counted. Where there is no store all is 0.
func (a Insight) Stats(ctx context.Context, r piton.StatsRequest) (Stats, error) {
	now := a.Now()
	span, err := a.spanOf(r.Since)
	if err != nil {
		return Stats{}, err
	}
	x := newStats(piton.At(now.Add(-span)), now)
	k, err := a.Keeper(ctx, true)
	if err != nil {
		return x, caller.UnlessMissing(err)
	}
	var fits func(project string) bool
	if x.Project, fits, err = a.statsOf(ctx, r.Project); err != nil {
		return x, err
	}
	if s, err := keep.Open(a.Home(), marksWait, true); err == nil {
		defer s.Close()
		if counted, err := s.Stats(); err == nil {
			x.Marks = &counted
		}
	}
	return x, x.read(ctx, k, fits)
}

// statsOf is the project of a folder, and tells by which ids the stores know it; no folder
// stands for all projects.
func (a Insight) statsOf(ctx context.Context, dir string) (id string, fits func(project string) bool, err error) {
	if dir == "" {
		return "", func(string) bool { return true }, nil
	}
	p, err := a.Project(ctx, dir, false)
	if err != nil {
		return "", nil, err
	}
	ids := []string{p.ID}
	if abs, err := a.Path(dir); a.Shared != nil && err == nil {
		if here, err := turn.Identify(ctx, a.LocalStore, abs, false); err == nil && here.ID != p.ID {
			ids = append(ids, here.ID) // what hooks count
		}
	}
	return p.ID, func(project string) bool { return slices.Contains(ids, project) }, nil
}

func newStats(from, to piton.Time) Stats {
	x := Stats{From: from, To: to, Reasons: []StatsCount{}, Held: []StatsCount{}, Facts: []StatsCount{}, Used: []StatsUsed{}, Hooks: []HookStats{}}
	x.Size, x.Latency = newHistogram(store.SizeBounds), newHistogram(store.LatencyBounds)
	last := to.UTC().Format(time.DateOnly)
	for day := from.UTC(); ; day = day.Add(24 * time.Hour) {
		name := day.Format(time.DateOnly)
		if x.Days = append(x.Days, StatsDay{Day: name}); name >= last {
			return x
		}
	}
}

// read reads what was counted of the projects that fit.
func (x *Stats) read(ctx context.Context, k history.Keeper, fits func(project string) bool) error {
	metrics, err := k.Store.Metrics(ctx, x.From)
	if err != nil {
		return err
	}
	if k.Store != k.Local.Checkpoints {
		more, err := k.Local.Checkpoints.Metrics(ctx, x.From)
		if err != nil {
			return err
		}
		metrics = append(metrics, more...)
	}
	x.count(slices.DeleteFunc(metrics, func(m store.Metric) bool { return !fits(m.Project) }))
	sessions, err := k.Local.Sessions(ctx, store.SessionQuery{})
	if err != nil {
		return err
	}
	ours, roots := map[string]bool{}, map[string]string{}
	for _, s := range sessions {
		ours[s.ID], roots[s.ID] = fits(s.Project), s.Root
	}
	decisions, err := k.Local.Decisions(ctx, "", 0)
	if err != nil {
		return err
	}
	decisions = slices.DeleteFunc(decisions, func(d agent.Decision) bool { return d.At.Before(x.From.Time) || !ours[d.Session] })
	x.Holds, x.Ran = holdStats(decisions), runStats(decisions)
	x.Facts = heldFacts(decisions)
	x.Used = used(decisions, func(session string) string { return roots[session] })
	if err := x.hooks(ctx, k, decisions, fits); err != nil {
		return err
	}
	return x.outbox(ctx, k, ours)
}

// count adds up counters of days.
func (x *Stats) count(metrics []store.Metric) {
	days := map[string]*StatsDay{}
	for i := range x.Days {
		days[x.Days[i].Day] = &x.Days[i]
	}
	reasons, held := map[string]int64{}, map[string]int64{}
	for _, m := range metrics {
		day := days[m.Day]
		if day == nil {
			continue // of a clock that was ahead
		}
		reason, decided := strings.CutPrefix(m.Name, store.DecisionCount)
		category, isHeld := strings.CutPrefix(m.Name, store.HeldCount)
		switch {
		case m.Name == store.SaveCount:
			x.Saves, day.Saves = x.Saves+m.N, day.Saves+m.N
		case m.Name == store.ResumeCount:
			x.Resumes, day.Resumes = x.Resumes+m.N, day.Resumes+m.N
		case m.Name == store.Recovered:
			x.Recovered += m.N
		case decided:
			x.Stops, day.Stops = x.Stops+m.N, day.Stops+m.N
			if reasons[reason] += m.N; agent.Reason(reason) == agent.ReasonHeld || agent.Reason(reason) == agent.ReasonGeneric {
				day.Held += m.N
			}
		case isHeld:
			held[category] += m.N
		case !x.Size.add(store.SaveSize, m):
			x.Latency.add(store.SaveLatency, m)
		}
	}
	x.Reasons, x.Held = mostFirst(reasons), mostFirst(held)
	x.Size.sumUp()
	x.Latency.sumUp()
}

// hooks adds up how long hooks took: those that announced an event, and those
// that held an agent.
func (x *Stats) hooks(ctx context.Context, k history.Keeper, decisions []agent.Decision, fits func(string) bool) error {
	times, err := k.Local.HookTimes(ctx, x.From)
	if err != nil {
		return err
	}
	for _, d := range decisions {
		if d.Held && d.TookMS > 0 {
			times = append(times, store.HookTime{Kind: store.EventKind(agent.EventStop), MS: d.TookMS, Project: ""})
		}
	}
	by := map[string]*Histogram{}
	var events []string
	for _, h := range times {
		if h.Project != "" && !fits(h.Project) {
			continue
		}
		kind := string(h.Kind)
		if by[kind] == nil {
			fresh := newHistogram(store.LatencyBounds)
			by[kind], events = &fresh, append(events, kind)
		}
		by[kind].observe(h.MS)
	}
	slices.Sort(events)
	for _, e := range events {
		by[e].sumUp()
		x.Hooks = append(x.Hooks, HookStats{e, *by[e]})
	}
	return nil
}

// outbox says what waits in it now.
func (x *Stats) outbox(ctx context.Context, k history.Keeper, ours map[string]bool) error {
	letters, err := k.Local.Letters(ctx, piton.Time{}, 0)
	if err != nil {
		return err
	}
	for _, l := range letters {
		if x.Project != "" && !ours[l.SessionID] {
			continue
		}
		if x.Outbox.Waiting++; x.Outbox.OldestDue.IsZero() || l.Due.Before(x.Outbox.OldestDue.Time) {
			x.Outbox.OldestDue = l.Due
			x.Outbox.OldestAgeMS = max(x.To.Sub(l.Due.Time).Milliseconds(), 0)
		}
	}
	return nil
}
