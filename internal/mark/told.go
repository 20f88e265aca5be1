package mark

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// takenAway are the losses that a person is told of, in this order.
var takenAway = []Loss{Removed, Reverted, Emptied}

// Ended is the end of a turn in one work tree.
type Ended struct {
	First    Mark   // of its beginning; zero where there is none
	Commands []Mark // all of its commands, in any tree; those that changed a file of Acts here have their files
	Acts     []Mark // those that may have taken something away here, newest first
	Now      Mark   // what is there now; with files that git does not list, those that have no Code
	Undo     string // the command that brings back what was lost here
}

// Told says what a turn's commands took away of what was not their agent's own, and that is not there now; "" for nothing.
func (e Ended) Told() string {
	lost := map[string]Loss{} // by path
	kept := 0
	var by []Mark
	for _, m := range slices.Backward(e.Acts) {
		before := len(lost)
		for _, f := range m.Files {
			loss := m.lostFor(f, e.Now)
			if lost[f.Path] != Nothing || !slices.Contains(takenAway, loss) || Own(e.First, e.Commands, f) {
				continue
			}
			lost[f.Path] = loss
			if f.Kept() {
				kept++
			}
		}
		if len(lost) > before {
			by = append(by, m)
		}
	}
	if len(lost) == 0 {
		return ""
	}
	who := by[0].who()
	if len(by) > 1 {
		who += fmt.Sprintf(" and %d more", len(by)-1)
		e.Undo += ", once for each,"
	}
	return who + " " + summed(lost) + returns(kept, len(lost), e.Undo)
}

// Own tells whether a file was its agent's own: it was not there when the turn began, and changed last
// while one of the turn's commands ran; and no such command has found one there that did not.
func Own(first Mark, commands []Mark, f File) bool {
	written := func(f File) bool {
		at := time.Unix(0, f.CtimeNano)
		return slices.ContainsFunc(commands, func(m Mark) bool { return !at.Before(m.At) && !at.After(m.LookedAt) })
	}
	theirs := func(m Mark) bool {
		was, there := m.Find(f.Path)
		alike := (was.Code == "") == (f.Code == "") // what was as in HEAD before is git's
		return there && !was.Missing && alike && !written(was)
	}
	return !first.Has(f.Path) && written(f) && !slices.ContainsFunc(commands, theirs)
}

// who names the command that a mark was taken before, as far as it is known that it did what is told.
func (m Mark) who() string {
	name := cmp.Or(plain(m.Tool), "a tool")
	if m.Line != "" {
		name = "`" + Short(m.Line, 60) + "`"
	}
	if m.LookedAt.IsZero() {
		return "what ran since " + name + " began"
	}
	return name
}

// lostFor is what a command of a turn did to a file, as it stands in the mark of the turn's end.
func (m Mark) lostFor(f File, now Mark) Loss {
	is, there := now.Find(f.Path)
	loss := m.Lost(f)
	clean := now.Whole && !there && now.Head == m.Head // in another HEAD the agent's own bytes may be
	moved := false
	if loss == Removed {
		_, moved = now.Moved(f, m)
	}
	inHead := f.Code == "" && is.Code != "" // it was as in HEAD before
	return first([]rule[Loss]{
		{there && is.Seen == f.Seen, Nothing},
		{f.Inner || inHead, Nothing},
		{loss == Overwritten && clean && f.Tracked(), Reverted}, // git has converted it
		{moved, Moved},
		{true, loss},
	})
}

// summed says what happened to files: one is named.
func summed(lost map[string]Loss) string {
	counts := map[Loss]int{}
	for path, loss := range lost {
		if counts[loss]++; len(lost) == 1 {
			return fmt.Sprintf("%s your uncommitted file `%s`", loss, plain(path))
		}
	}
	var what []string
	for _, loss := range takenAway {
		if n := counts[loss]; n > 0 {
			what = append(what, fmt.Sprintf("%s %d", loss, n))
		}
	}
	return strings.Join(what, " and ") + " of your uncommitted files"
}

// returns says how many of the lost files an undo brings back.
func returns(kept, lost int, undo string) string {
	them := map[bool]string{true: "it", false: "them"}[lost == 1]
	switch kept {
	case 0:
		return "; no copy of " + them + " was kept"
	case lost:
		return "; " + undo + " brings " + them + " back"
	}
	return fmt.Sprintf("; %s brings back %d of them", undo, kept)
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
		if !unicode.IsPrint(r) || strings.ContainsRune("`\uFFFD", r) {
			return '?'
		}
		return r
	}, name)
}
