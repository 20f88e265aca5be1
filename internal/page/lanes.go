package page

import (
	"fmt"
	"slices"

	"github.com/piton-project/piton"
)

// laneRow is a checkpoint with what its lanes show.
type laneRow struct {
	piton.Checkpoint
	Lane     int
	Through  []lane // lines that pass, or begin or end here
	Is       []string
	Compared string // the one that it is compared with: its parent
}

// lane is a line in a row: past it, into its point from above, or out of it below.
type lane struct {
	is       string
	from, to int
}

// The size of a row and of a lane, as they are drawn.
const (
	laneWide = 18
	rowHigh  = 48
)

// laneX is the middle of a lane.
func laneX(i int) int { return i*laneWide + laneWide/2 }

// Path is the line, as SVG draws it.
func (l lane) Path() string {
	switch half := rowHigh / 2; l.is {
	case "in":
		return fmt.Sprintf("M%d 0C%d %d %d 4 %d %d", laneX(l.from), laneX(l.from), half-4, laneX(l.to), laneX(l.to), half)
	case "out":
		return fmt.Sprintf("M%d %dV%d", laneX(l.to), half, rowHigh)
	}
	return fmt.Sprintf("M%d 0V%d", laneX(l.from), rowHigh)
}

// lanes puts checkpoints, the newest first, into lanes: a line of work goes on in one until
// the checkpoint that it began from.
func lanes(list []piton.Checkpoint) (all []laneRow, most int) {
	var open []string // by lane: the checkpoint that its line goes down to; "": free
	place := func(id string) int {
		i := slices.Index(open, id)
		if i < 0 {
			i = slices.Index(open, "")
		}
		if i < 0 {
			open = append(open, "")
			i = len(open) - 1
		}
		return i
	}
	for _, c := range list {
		r := laneRow{Checkpoint: c, Lane: place(c.ID), Compared: c.ParentID}
		before := slices.Clone(open)
		for i := range open {
			if open[i] == c.ID {
				open[i] = ""
			}
		}
		if c.ParentID != "" {
			open[r.Lane] = c.ParentID
		}
		for i, id := range before {
			switch {
			case id == c.ID:
				r.Through = append(r.Through, lane{"in", i, r.Lane})
			case id != "":
				r.Through = append(r.Through, lane{"past", i, i})
			}
		}
		if c.ParentID != "" {
			r.Through = append(r.Through, lane{"out", r.Lane, r.Lane})
		}
		all, most = append(all, r), max(most, len(open))
	}
	return all, most
}
