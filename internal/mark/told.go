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
	lost := map[string]Loss{} // by path
	counts, kept := map[Loss]int{}, 0
	var lines []string
	for _, m := range slices.Backward(acts) {
		before := len(lost)
		for _, f := range m.Files {
			loss := m.Lost(f)
			own := first.Whole && !first.Has(f.Path) // made and removed by the agent in this turn
			is, there := now.Find(f.Path)
			tracked, clean := f.Code != "" && f.Code != "??", now.Whole && !there
			if loss == Overwritten && tracked && clean {
				loss = Reverted // git calls it clean: as in another HEAD, or with other ends of lines
			}
			back := there && is.Seen == f.Seen
			if own || back || lost[f.Path] != Nothing || !slices.Contains(takenAway, loss) {
				continue
			}
			lost[f.Path] = loss
			counts[loss]++
			if f.Kept() {
				kept++
			}
		}
		if len(lost) > before {
			lines = append(lines, m.Line)
		}
	}
	if len(lost) == 0 {
		return ""
	}
	by := "a tool"
	if lines[0] != "" {
		by = "`" + Short(lines[0], 60) + "`"
	}
	if len(lines) > 1 {
		by += fmt.Sprintf(" and %d more", len(lines)-1)
	}
	var what []string
	for _, loss := range takenAway {
		if n := counts[loss]; n > 0 {
			what = append(what, fmt.Sprintf("%s %d", loss, n))
		}
	}
	text, them := by+" "+strings.Join(what, " and ")+" of your uncommitted files", "them"
	if len(lost) == 1 {
		for path, loss := range lost {
			text, them = fmt.Sprintf("%s %s your uncommitted file `%s`", by, loss, plain(path)), "it"
		}
	}
	switch {
	case kept == 0:
		return text + "; no copy of " + them + " was kept"
	case kept < len(lost):
		return text + fmt.Sprintf("; 'piton undo' brings back %d of them", kept)
	}
	return text + "; 'piton undo' brings " + them + " back"
}

// Short is the beginning of a command line, on one line.
func Short(line string, most int) string {
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
