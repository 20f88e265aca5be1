package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/cmd/piton/internal/judge"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/states"
)

func statsCommand(con console) *cobra.Command {
	stats := cli.Asks(&cobra.Command{
		Use:   "stats",
		Short: "Show what was counted: saves, decisions, hooks",
		Long: `Show what was counted: checkpoints saved and resumed, stops and their decisions, what
holding agents has cost and caught, how long the hooks took, and what waits in the
outbox. Times are those up to the commit. Counts are kept for 400 days; what holds
have cost and how long hooks took is known for 30.`,
		Example: "  piton stats\n  piton stats --since 7d --project . --json",
		Args:    cli.None("to see what was decided in a session: piton explain %s"),
	}, func(c *cobra.Command, r piton.StatsRequest) error {
		x, err := con.App().Stats(c.Context(), r)
		return cli.Answer(con, x, err, cli.Paged(con, c, func(x insight.Stats) error {
			p := chart{con: con, width: min(max(cmp.Or(con.Width(), usualChart), minChart), maxChart)}
			return con.Print(p.stats(x))
		}))
	})
	stats.AddCommand(statsCostCommand(con))
	return stats
}

// The columns of a chart.
const (
	minChart, usualChart, maxChart = 60, 80, 160
	maxLabel                       = 24
)

// chart is a page of charts.
type chart struct {
	con   console
	width int
	text  strings.Builder
}

// stats draws what was counted.
func (p *chart) stats(x insight.Stats) string {
	span := fmt.Sprintf("%s to %s", x.Days[0].Day, x.Days[len(x.Days)-1].Day)
	if x.Project != "" {
		span += ", project " + screen.Line(x.Project)
	}
	p.line("%s", p.con.Bold(span))
	p.days("Saves", x.Days, func(d insight.StatsDay) int64 { return d.Saves })
	p.days("Resumes", x.Days, func(d insight.StatsDay) int64 { return d.Resumes })
	if x.Recovered > 0 {
		p.line("%-10s%6d  steps of plans that were not run again", "Recovered", x.Recovered)
	}
	p.histogram("Size", x.Size, kilobytes)
	p.histogram("Time", x.Latency, ms)
	p.line("")
	p.days("Stops", x.Days, func(d insight.StatsDay) int64 { return d.Stops })
	p.reasons(x.Reasons)
	p.bars("Held for changes of", x.Held)
	p.holds(x.Holds)
	p.ownRuns(x.Ran)
	if len(x.Hooks) > 0 {
		p.line("")
		p.line("%s", p.con.Bold("Hooks"))
		for _, h := range x.Hooks {
			p.histogram(h.Event, h.Histogram, ms)
		}
	}
	p.line("")
	if o := x.Outbox; o.Waiting == 0 {
		p.line("Letters   none waiting")
	} else {
		p.line("Letters   %d waiting, the oldest due %s ago", o.Waiting, states.Age(time.Duration(o.OldestAgeMS)*time.Millisecond))
	}
	if m := x.Marks; m != nil {
		p.line("Marks     %d of files, %d contents, %s", m.Marks, m.Contents, kilobytes(m.Bytes))
	}
	return p.text.String()
}

func (p *chart) line(format string, args ...any) { fmt.Fprintf(&p.text, format+"\n", args...) }

// blocks are a column's heights.
var blocks = []rune("▁▂▃▄▅▆▇█")

// spark draws values as columns, at most so many: several values share one.
func spark(values []int64, columns int) string {
	if per := (len(values) + columns - 1) / columns; per > 1 {
		var sums []int64
		for i, v := range values {
			if i%per == 0 {
				sums = append(sums, 0)
			}
			sums[len(sums)-1] += v
		}
		values = sums
	}
	var most int64
	for _, v := range values {
		most = max(most, v)
	}
	var b strings.Builder
	for _, v := range values {
		switch {
		case v <= 0:
			b.WriteRune(' ')
		default:
			b.WriteRune(blocks[(v*int64(len(blocks))-1)/most])
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// days draws what was counted day by day.
func (p *chart) days(label string, days []insight.StatsDay, of func(insight.StatsDay) int64) {
	var sum int64
	values := make([]int64, len(days))
	for i, d := range days {
		values[i] = of(d)
		sum += values[i]
	}
	p.row(fmt.Sprintf("%-10s%6d", label, sum), spark(values, p.width-18))
}

// row is a label with a chart behind it.
func (p *chart) row(label, drawn string) {
	if drawn != "" {
		drawn = "  " + p.con.Green(drawn)
	}
	p.line("%s", strings.TrimRight(label+drawn, " "))
}

// histogram draws how values are spread.
func (p *chart) histogram(label string, h insight.Histogram, unit func(int64) string) {
	if h.Count == 0 {
		return
	}
	var values []int64
	for _, b := range h.Buckets {
		values = append(values, b.Count)
	}
	last := h.Buckets[len(h.Buckets)-2].Le
	bound := func(n int64) string {
		if n == 0 {
			return "> " + unit(last)
		}
		return "≤ " + unit(n)
	}
	text := fmt.Sprintf("half %s, 95%% %s", bound(h.P50), bound(h.P95))
	row := fmt.Sprintf("  %-20s%6d  %s", screen.Short(label, 20), h.Count, text)
	if label == "Size" || label == "Time" { // their number stands above
		row = fmt.Sprintf("%-16s  %s", label, text)
	}
	drawn := spark(values, len(values))
	if column := 60; column+len(values) > p.width {
		drawn = ""
	} else {
		row = fmt.Sprintf("%-*s", column-2, row)
	}
	p.row(row, drawn)
}

// reasons counts why agents were held and let go, in words. No bars: the words need the
// room.
func (p *chart) reasons(counts []insight.StatsCount) {
	const indent = len("  123456  ")
	for _, c := range counts {
		p.line("%s", screen.Wrap(fmt.Sprintf("  %6d  %s", c.Count, judge.Outcome(agent.Reason(c.Name))), p.width, screen.Always(indent)))
	}
}

// bars draws counts as bars.
func (p *chart) bars(title string, counts []insight.StatsCount) {
	if len(counts) == 0 {
		return
	}
	p.line("%s", title)
	most := slices.MaxFunc(counts, func(a, b insight.StatsCount) int { return cmp.Compare(a.Count, b.Count) }).Count
	room := p.width - maxLabel - 12
	for _, c := range counts {
		n := int(c.Count * int64(room) / max(most, 1))
		p.row(fmt.Sprintf("  %-*s%6d", maxLabel, screen.Short(c.Name, maxLabel), c.Count), strings.Repeat("█", max(n, 1)))
	}
}

// holds says what holding agents has cost and caught.
func (p *chart) holds(h insight.HoldStats) {
	if h.Holds == 0 {
		return
	}
	var counts []insight.StatsCount
	for _, c := range []insight.StatsCount{
		{Name: "all clear", Count: int64(h.Cleared)}, {Name: "held again", Count: int64(h.Again)}, {Name: "let go", Count: int64(h.LetGo)}, {Name: "no other stop", Count: int64(h.Open)},
	} {
		if c.Count > 0 {
			counts = append(counts, c)
		}
	}
	p.bars("The next stop after a hold", counts)
	if h.Holds == h.Open {
		return
	}
	age := func(ms int64) string { return states.Age(time.Duration(ms) * time.Millisecond) }
	p.line("  until then %s, half of them within %s", age(h.TimeMS), age(h.MedianMS))
	if h.UsageKnown > 0 {
		p.line("  and %s (known of %d)", used(h.Usage), h.UsageKnown)
	}
}

// ownRuns says what Piton's own runs of tests have cost and decided.
func (p *chart) ownRuns(x insight.RunStats) {
	if x.Stops == 0 {
		return
	}
	p.line("Stops at which Piton ran tests itself: %d", x.Stops)
	p.line("  passed at %d, failed at %d, undecided at %d", x.Passed, x.Failed, x.Undecided)
	p.line("  %d runs took %s, %d were known", x.Runs, states.Age(time.Duration(x.TimeMS)*time.Millisecond), x.Cached)
}

// kilobytes writes the bound of a size for people.
func kilobytes(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprint(n>>20, " MB")
	}
	return fmt.Sprint(n>>10, " KB")
}

// ms writes milliseconds for people.
func ms(n int64) string { return (time.Duration(n) * time.Millisecond).String() }
