package mark

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// takenAway are the losses that a person is told of, in this order.
var takenAway = []Loss{Removed, Reverted, Emptied}

// Told says what commands, newest first, took away of what the mark of the turn's beginning has, and
// that is not there now; "" for nothing. Without that mark all that they took away counts.
func Told(first Mark, acts []Mark, now Mark) string {
	counts := map[Loss]int{}
	kept, all, one := 0, 0, ""
	var lines []string
	done := map[string]bool{}
	for i := len(acts) - 1; i >= 0; i-- {
		m, took := acts[i], false
		for path := range m.Left {
			f, known := m.Find(path)
			loss := m.Lost(f)
			if !known || done[path] || !slices.Contains(takenAway, loss) {
				continue
			}
			if _, own := first.Find(path); !own && first.ID != "" {
				continue // the agent's own, made and removed in this turn
			}
			if is, there := now.Find(path); there && is.Seen == f.Seen {
				continue // it is back
			}
			done[path], took, one = true, true, path
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
	by := "a tool"
	if lines[0] != "" {
		by = "`" + short(lines[0]) + "`"
	}
	if len(lines) > 1 {
		by += fmt.Sprintf(" and %d more", len(lines)-1)
	}
	var what []string
	for _, loss := range takenAway {
		switch n := counts[loss]; {
		case n == 1 && all == 1:
			what = append(what, fmt.Sprintf("%s your uncommitted file `%s`", loss, plain(one)))
		case n > 0:
			what = append(what, fmt.Sprintf("%s %d", loss, n))
		}
	}
	text, them := by+" "+strings.Join(what, " and "), "it"
	if all > 1 {
		text, them = text+" of your uncommitted files", "them"
	}
	switch {
	case kept == 0:
		return text + "; no copy of " + them + " was kept"
	case kept < all:
		return text + fmt.Sprintf("; 'piton undo' brings back %d of them", kept)
	}
	return text + "; 'piton undo' brings " + them + " back"
}

// short is the beginning of a command line, on one line.
func short(line string) string {
	const most = 60
	line = strings.Join(strings.Fields(line), " ")
	if r := []rune(line); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return line
}

// plain is a name without what a terminal or a message would take for something else.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == '`' || r == unicode.ReplacementChar {
			return '?'
		}
		return r
	}, name)
}
