package page

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/states"
)

// graph is a plan, drawn: a column for each stage, and in it the steps by where those stand
// that they depend on, so that few lines cross.
type graph struct {
	Nodes      []vertex
	Edges      []edge
	Wide, High int
}

// vertex is a step, drawn.
type vertex struct {
	planruns.RunStep
	X, Y int
}

// edge is a line from a step to one that depends on it.
type edge struct{ Path, Status string }

// The sizes of what is drawn.
const (
	nodeWide, nodeHigh = 168, 46
	gapWide, gapHigh   = 48, 14
	margin             = 6
)

// layout draws steps. Each column is put in order by the mean place of what its steps depend
// on, which is good enough for plans: they are shallow.
func layout(steps []planruns.RunStep) *graph {
	var columns [][]int // of places in steps
	by := map[string]int{}
	for i, s := range steps {
		by[s.ID] = i
		for len(columns) <= s.Stage {
			columns = append(columns, nil)
		}
		columns[s.Stage] = append(columns[s.Stage], i)
	}
	before := make([][]int, len(steps))
	for i, s := range steps {
		for _, d := range s.Dependencies {
			if j, ok := by[d]; ok {
				before[i] = append(before[i], j)
			}
		}
	}
	place := make([]float64, len(steps))
	for _, column := range columns {
		mean := map[int]float64{}
		for _, i := range column {
			for _, j := range before[i] {
				mean[i] += place[j] / float64(len(before[i]))
			}
		}
		slices.SortStableFunc(column, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
		for n, i := range column {
			place[i] = float64(n) - float64(len(column)-1)/2
		}
	}
	most := 0
	for _, c := range columns {
		most = max(most, len(c))
	}
	g := &graph{Wide: 2*margin + len(columns)*(nodeWide+gapWide) - gapWide, High: 2*margin + most*(nodeHigh+gapHigh) - gapHigh}
	middle := float64(g.High-nodeHigh) / 2
	for i, s := range steps {
		g.Nodes = append(g.Nodes, vertex{s, margin + s.Stage*(nodeWide+gapWide), int(middle + place[i]*(nodeHigh+gapHigh))})
	}
	for i := range steps {
		for _, j := range before[i] {
			from, to := g.Nodes[j], g.Nodes[i]
			x1, y1, x2, y2 := from.X+nodeWide, from.Y+nodeHigh/2, to.X, to.Y+nodeHigh/2
			g.Edges = append(g.Edges, edge{fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+gapWide/2, y1, x2-gapWide/2, y2, x2, y2), string(from.Status)})
		}
	}
	return g
}

// bar is a step over time, in thousandths of the whole.
type bar struct {
	planruns.RunStep
	X, Wide, Y int
	Took       int64 // ms
}

// tick is a mark of the axis of time.
type tick struct {
	X     int
	Label string
}

// barHigh is how much room a bar has; maxBars are drawn, those that began last.
const (
	barHigh = 22
	maxBars = 120
)

// timed draws steps over time.
func timed(steps []planruns.RunStep, now time.Time) (bars []bar, ticks []tick) {
	var begun []planruns.RunStep
	for _, s := range steps {
		if s.StartedAt.IsZero() || s.Interrupted {
			continue
		}
		if s.EndedAt.IsZero() && string(s.Status) == "running" {
			s.EndedAt = piton.At(now.Truncate(drawEvery)) // so that it does not change with every look
		}
		if s.EndedAt.Before(s.StartedAt.Time) {
			s.EndedAt = s.StartedAt
		}
		begun = append(begun, s)
	}
	if len(begun) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(begun, func(a, b planruns.RunStep) int { return a.StartedAt.Compare(b.StartedAt.Time) })
	begun = begun[max(len(begun)-maxBars, 0):]
	last := slices.MaxFunc(begun, func(a, b planruns.RunStep) int { return a.EndedAt.Compare(b.EndedAt.Time) }).EndedAt
	whole := max(last.Sub(begun[0].StartedAt.Time), time.Millisecond)
	at := func(t piton.Time) int { return int(1000 * t.Sub(begun[0].StartedAt.Time).Seconds() / whole.Seconds()) }
	for i, s := range begun {
		bars = append(bars, bar{s, at(s.StartedAt), max(at(s.EndedAt)-at(s.StartedAt), 2), i * barHigh, s.EndedAt.Sub(s.StartedAt.Time).Milliseconds()})
	}
	for i := range 5 {
		ticks = append(ticks, tick{i * 250, states.Took(max((whole * time.Duration(i) / 4).Milliseconds(), 1))})
	}
	return bars, ticks
}
