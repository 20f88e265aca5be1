package page

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/app/planruns"
)

// insightsScreen is numbers as plots. Those of money and tokens say what they are of.
type insightsScreen struct {
	insight.Stats
	Since string
	Plots []plot
}

// Red is how many holds named a check that had failed.
func (x insightsScreen) Red() int64 {
	for _, c := range x.Facts {
		if c.Name == "red" {
			return c.Count
		}
	}
	return 0
}

// plot is numbers over what stands below them. Each has a table with the same.
type plot struct {
	ID, Title, Note, Unit string
	Lines                 bool // over time
	X                     []string
	Series                []series
}

type series struct {
	Name   string    `json:"name"`
	Values []float64 `json:"values"`
}

// JSON is the plot for the script that draws it.
func (p plot) JSON() string {
	text, _ := json.Marshal(map[string]any{"x": p.X, "series": p.Series, "unit": p.Unit, "lines": p.Lines})
	return string(text)
}

// Empty tells of a plot that has nothing to show.
func (p plot) Empty() bool {
	return !slices.ContainsFunc(p.Series, func(s series) bool { return slices.ContainsFunc(s.Values, func(v float64) bool { return v != 0 }) })
}

// spans are how far back one can look.
var spans = []string{"1d", "7d", "30d", "90d"}

// Spans are those to choose from.
func (insightsScreen) Spans() []string { return spans }

func loadInsights(ctx context.Context, l *look) (any, error) {
	x := insightsScreen{Since: l.q.Get("since")}
	if !slices.Contains(spans, x.Since) {
		x.Since = "30d"
	}
	var err error
	if x.Stats, err = l.a.Stats(ctx, piton.StatsRequest{Since: x.Since}); err != nil {
		return nil, err
	}
	runs, err := l.a.Runs(ctx, piton.RunsRequest{Since: x.Since, Limit: manyRuns})
	if err != nil && piton.CodeOf(err) != piton.Invalid { // a store that keeps no runs
		return nil, err
	}
	x.Plots = []plot{
		x.daily(plot{ID: "stops", Title: "Stops a day", Note: "A stop is an agent that wants to end its turn."}, "held", "let go", func(d insight.StatsDay) (int64, int64) { return d.Held, d.Stops - d.Held }),
		counts("facts", "What holds were for", "Each hold counts once for each fact that it named.", x.Facts),
		counts("reasons", "Why stops ended as they did", "", x.Reasons),
		x.daily(plot{ID: "saves", Title: "Checkpoints a day", Lines: true}, "saved", "resumed", func(d insight.StatsDay) (int64, int64) { return d.Saves, d.Resumes }),
		sizes(x.Size),
		x.hooks(),
	}
	for _, by := range []struct {
		id, title string
		of        func(insight.StatsUsed) string
	}{
		{"tokens-client", "Tokens a day, by client", func(u insight.StatsUsed) string { return u.Agent }},
		{"tokens-project", "Tokens a day, by project", func(u insight.StatsUsed) string { return base(u.Root) }},
	} {
		x.Plots = append(x.Plots, x.tokens(by.id, by.title, by.of))
	}
	x.ofRuns(runs.Runs)
	return x, nil
}

// days are the labels of the days, and the place of each.
func (x insightsScreen) days() (labels []string, at map[string]int) {
	at = map[string]int{}
	for i, d := range x.Days {
		labels = append(labels, d.Day)
		at[d.Day] = i
	}
	return labels, at
}

// daily is two numbers of each day.
func (x insightsScreen) daily(p plot, one, two string, of func(insight.StatsDay) (int64, int64)) plot {
	p.X, _ = x.days()
	p.Series = []series{{Name: one}, {Name: two}}
	for _, d := range x.Days {
		a, b := of(d)
		p.Series[0].Values, p.Series[1].Values = append(p.Series[0].Values, float64(a)), append(p.Series[1].Values, float64(b))
	}
	return p
}

func (x insightsScreen) hooks() plot {
	p := plot{ID: "hooks", Title: "How long hooks took", Note: "Up to their commit; what a client needs to start one comes on top.", Unit: "ms", Series: []series{{Name: "half took at most"}, {Name: "95 of 100 took at most"}}}
	for _, h := range x.Hooks {
		p.X = append(p.X, h.Event)
		p.Series[0].Values = append(p.Series[0].Values, float64(h.P50))
		p.Series[1].Values = append(p.Series[1].Values, float64(h.P95))
	}
	return p
}

func counts(id, title, note string, list []insight.StatsCount) plot {
	p := plot{ID: id, Title: title, Note: note, Series: []series{{Name: "times"}}}
	for _, c := range list {
		p.X = append(p.X, words(c.Name))
		p.Series[0].Values = append(p.Series[0].Values, float64(c.Count))
	}
	return p
}

func sizes(h insight.Histogram) plot {
	p := plot{ID: "sizes", Title: "Sizes of saved states", Series: []series{{Name: "saves"}}}
	for i, b := range h.Buckets {
		label := "to " + bytesOf(b.Le)
		if b.Le == 0 && i > 0 {
			label = "above " + bytesOf(h.Buckets[i-1].Le)
		}
		p.X, p.Series[0].Values = append(p.X, label), append(p.Series[0].Values, float64(b.Count))
	}
	return p
}

// maxSeries is how many lines a plot has; the smallest are summed up.
const maxSeries = 6

// tokens are those of turns, by a word for each.
func (x insightsScreen) tokens(id, title string, of func(insight.StatsUsed) string) plot {
	labels, at := x.days()
	by, sums := map[string][]float64{}, map[string]float64{}
	for _, u := range x.Used {
		i, ok := at[u.Day]
		if !ok {
			continue
		}
		name := cmp.Or(of(u), "not known")
		if by[name] == nil {
			by[name] = make([]float64, len(labels))
		}
		n := float64(u.Usage.Total())
		by[name][i] += n
		sums[name] += n
	}
	p := plot{ID: id, Title: title, Unit: "tokens", X: labels, Lines: true, Note: "Of turns whose stops are kept (30 days, the 2,000 newest), as the clients' logs count them at the last stop. 'piton stats cost' says what they cost."}
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	for i, name := range names {
		if i < maxSeries {
			p.Series = append(p.Series, series{name, by[name]})
			continue
		}
		last := &p.Series[maxSeries-1]
		last.Name = fmt.Sprintf("%d others", len(names)-maxSeries+1)
		for d, n := range by[name] {
			last.Values[d] += n
		}
	}
	return p
}

// ofRuns adds what runs have used and cost.
func (x *insightsScreen) ofRuns(list []planruns.RunRow) {
	labels, at := x.days()
	tokens, cost := series{"tokens", make([]float64, len(labels))}, series{"US dollars", make([]float64, len(labels))}
	plans := map[string]float64{}
	for _, r := range list {
		if i, ok := at[r.CreatedAt.UTC().Format(time.DateOnly)]; ok {
			tokens.Values[i] += float64(r.Usage.Total())
			cost.Values[i] += r.CostUSD
		}
		plans[r.Plan] += r.CostUSD
	}
	x.Plots = append(x.Plots,
		plot{ID: "run-tokens", Title: "Tokens of runs a day", Unit: "tokens", X: labels, Series: []series{tokens}, Lines: true, Note: "By the day on which a run began. An agent that works in a step is counted here and by its client."},
		plot{ID: "run-cost", Title: "Cost of runs a day", Unit: "US dollars", X: labels, Series: []series{cost}, Lines: true, Note: "As far as actions tell it."})
	p := plot{ID: "plan-cost", Title: "Cost of runs, by plan", Unit: "US dollars", Series: []series{{Name: "US dollars"}}}
	for _, name := range slices.SortedFunc(maps.Keys(plans), func(a, b string) int { return cmp.Or(cmp.Compare(plans[b], plans[a]), cmp.Compare(a, b)) }) {
		if len(p.X) < 2*maxSeries {
			p.X, p.Series[0].Values = append(p.X, name), append(p.Series[0].Values, plans[name])
		}
	}
	x.Plots = append(x.Plots, p)
}
