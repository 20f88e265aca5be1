package mark

import (
	"fmt"
	"slices"
	"strings"
)

// takenAway are the losses that a person is told of, in this order.
var takenAway = []Loss{Removed, Reverted, Emptied}

// Told says what commands, newest first, took away of what the mark of the turn's beginning has, and
// that is not there now; "" for nothing. Without that mark all that they took away counts.
func Told(first Mark, acts []Mark, now Mark) string {
	counts := map[Loss]int{}
	kept, all := 0, 0
	var lines []string
	done := map[string]bool{}
	for _, m := range slices.Backward(acts) {
		took := false
		for _, f := range m.Files {
			loss := m.Lost(f)
			own := first.ID != "" && !first.Has(f.Path) // made and removed by the agent in this turn
			is, there := now.Find(f.Path)
			back := there && is.Seen == f.Seen
			if own || back || done[f.Path] || !slices.Contains(takenAway, loss) {
				continue
			}
			done[f.Path], took = true, true
			counts[loss]++
			if all++; f.Kept() {
				kept++
			}
		}
		if took {
			lines = append(lines, m.Line)
		}
	}
	if all == 0 {
		return ""
	}
	var what []string
	for _, loss := range takenAway {
		if n := counts[loss]; n > 0 {
			what = append(what, fmt.Sprintf("%s %d", loss, n))
		}
	}
	by := "a tool"
	if lines[0] != "" {
		by = "`" + Short(lines[0], 60) + "`"
	}
	if len(lines) > 1 {
		by += fmt.Sprintf(" and %d more", len(lines)-1)
	}
	text := fmt.Sprintf("%s %s of your uncommitted files", by, strings.Join(what, ", "))
	switch {
	case kept == 0:
		return text + "; their bytes were not kept: 'piton undo --list' says why"
	case kept < all:
		return text + fmt.Sprintf("; 'piton undo' brings back %d of them", kept)
	}
	return text + "; 'piton undo' brings them back"
}

// Short is the beginning of a command line, on one line.
func Short(line string, most int) string {
	line = strings.Join(strings.Fields(line), " ")
	if r := []rune(line); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return line
}
