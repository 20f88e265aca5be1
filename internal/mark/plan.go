package mark

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Action is what a restore does with a path.
type Action string

// What a restore does.
const (
	BringBack Action = "bring_back" // the mark's bytes are written
	Remove    Action = "remove"     // only where Piton wrote the file itself: an undo is undone
	Same      Action = "same"       // it is as it was
	Leave     Action = "leave"      // it is not touched; the reason says why
)

// Verdict is what a restore does with one path, and why.
type Verdict struct {
	File   File
	Action Action
	Loss   Loss   // what happened to it
	Reason string // of Leave; else ""
	Now    Seen   // what is written over; it is looked at again at that moment
}

// Writes tells whether the path is written.
func (v Verdict) Writes() bool { return v.Action == BringBack || v.Action == Remove }

// LeaveFor leaves the path for a reason.
func (v *Verdict) LeaveFor(reason string) { v.Action, v.Reason = Leave, reason }

// Loss is what happened to a file.
type Loss string

// What can happen to a file, the worst first.
const (
	Removed     Loss = "removed"
	Emptied     Loss = "emptied"
	Reverted    Loss = "reverted" // it is as in HEAD
	Overwritten Loss = "overwritten"
	Moved       Loss = "moved"   // its bytes lie elsewhere in the tree
	Made        Loss = "made"    // it was not there
	Changed     Loss = "changed" // it was as in HEAD
	Nothing     Loss = ""
)

// Current is what is at a path now.
type Current struct {
	Seen
	Clean     bool   // git says that it is as in HEAD
	Odd       bool   // of Clean: its bytes are not HEAD's. git converts them, or is told not to look
	Moved     bool   // of what is missing: its bytes lie elsewhere, where the mark had others or none
	Committed bool   // HEAD has another version of it since the mark
	Unsafe    string // why it may not be written; "" where it may
}

// Wish is what a person asks for besides.
type Wish struct {
	Paths  []string // files, and folders with all in them; none: all
	Theirs bool     // the named ones also where they hold something else now
}

// Takes tells whether a path is asked for.
func (w Wish) Takes(path string) bool {
	return len(w.Paths) == 0 || slices.ContainsFunc(w.Paths, func(p string) bool {
		return p == "." || strings.HasPrefix(path+"/", strings.TrimSuffix(p, "/")+"/")
	})
}

// Plan says for each file of the mark what a restore does with it: content that is what the command
// left is written over with the mark's, and nothing else is (docs/spec.md, "Marks of files"). Where the
// command's end was not seen, a file that is missing or as in HEAD is what was left.
func (m Mark) Plan(now func(File) Current, w Wish) (all []Verdict) {
	for _, f := range m.Files {
		if !w.Takes(f.Path) {
			continue
		}
		if v := m.verdict(f, now(f), w.Theirs && len(w.Paths) > 0); v.Action != Same {
			all = append(all, v)
		}
	}
	return all
}

func (m Mark) verdict(f File, now Current, theirs bool) Verdict {
	left, changed := m.Left[f.Path]
	looked := !m.LookedAt.IsZero() && !left.Unseen
	known := now.Missing || now.Clean && !now.Odd // it is nobody's work
	loss := f.Lost(now)
	if !f.read() { // its size alone does not tell
		loss = cmp.Or(loss, m.Lost(f))
	}
	leave := func(reason string) Verdict { return Verdict{f, Leave, loss, reason, now.Seen} }
	does := func(a Action) Verdict { return Verdict{f, a, loss, "", now.Seen} }
	return first([]rule[Verdict]{
		{loss == Nothing, does(Same)},
		{f.Lacks != "", leave("its bytes were not kept: " + f.Lacks)},
		{now.Unsafe != "", leave(now.Unsafe)},
		{now.Committed, leave("HEAD has another version of it since: a commit, or another branch")},
		{theirs && !f.Missing, does(BringBack)},
		{looked && !changed, does(Same)}, // the command had no part in it
		{looked && left.Seen != now.Seen, leave("it holds something else since")},
		{left.Shared && !known, leave("another agent's command ran at the same time, and which of them wrote it is not known")},
		{!looked && !known, leave("it holds something else, and by whom is not known")},
		{f.Missing && m.Kind == AtRestore, does(Remove)},
		{f.Missing, leave("it was not there before, and an undo removes no file")},
		{true, does(BringBack)},
	})
}

// rule is what holds where its condition does.
type rule[T any] struct {
	holds bool
	gives T
}

// first is what the first rule that holds gives.
func first[T any](rules []rule[T]) T {
	return rules[slices.IndexFunc(rules, func(r rule[T]) bool { return r.holds })].gives
}

// read tells whether it is known what the file held.
func (f File) read() bool { return f.Sum != "" || f.Missing }

// Lost says what has become of the file.
func (f File) Lost(now Current) Loss {
	return first([]rule[Loss]{
		{now.Seen == f.Seen, Nothing},
		{now.Missing && now.Moved, Moved},
		{now.Missing, Removed},
		{!f.read() && now.Size == f.Size, Nothing},
		{f.Missing, Made},
		{now.Clean && f.Code != "", Reverted},
		{now.Size == 0 && f.Size > 0, Emptied},
		{true, Overwritten},
	})
}

// GoneBy is what had gone of the mark's files by the time of a later one: of a command whose end was not
// seen. The later one has what git did not list then, too. What a commit may have taken counts as there.
func (m Mark) GoneBy(later Mark) map[string]Left {
	gone := map[string]Left{}
	for _, f := range m.Files {
		is, listed := later.Find(f.Path)
		clean := !listed && later.Whole && later.Head == m.Head && f.Tracked()
		switch {
		case f.Missing:
		case listed && is.Missing:
			gone[f.Path] = Left{Seen: Seen{Missing: true}}
		case clean:
			gone[f.Path] = Left{AsInHead: true}
		}
	}
	return gone
}

// Lost says what the command did to a file of the mark.
func (m Mark) Lost(f File) Loss {
	left, changed := m.Left[f.Path]
	loss := f.Lost(Current{Seen: left.Seen, Clean: left.AsInHead})
	return first([]rule[Loss]{
		{!changed, Nothing},
		{left.Unseen, Nothing},
		{!f.read(), cmp.Or(loss, Overwritten)}, // it has another time, or is another file
		{true, loss},
	})
}

// Moved finds where the bytes of a file of an older mark lie in this one, and did not in that.
func (m Mark) Moved(f File, older Mark) (to File, moved bool) {
	for _, to = range m.Files {
		if to.Sum != f.Sum {
			continue
		}
		if was, _ := older.Find(to.Path); was.Sum != f.Sum {
			return to, f.Sum != "" // what was not read can be anywhere
		}
	}
	return File{}, false
}

// Fold makes of the marks of one agent's commands, oldest first, the one of all of them together: of
// each file what was there before the first that changed it, and what the last left. Where something
// else changed the file in between, that is nobody's to undo: broken names it. Of what commands may have
// changed whose end was not seen, it is what was last known to be there.
func Fold(marks []Mark) (all Mark, broken []string) {
	if len(marks) == 0 {
		return all, nil
	}
	all = marks[0]
	all.Files, all.Left = nil, map[string]Left{}
	torn, open, unseen, began := map[string]bool{}, false, map[string]File{}, map[string]Seen{}
	for _, m := range marks {
		open = open || m.LookedAt.IsZero()
		for _, f := range m.Files {
			left, changed := m.Left[f.Path]
			was, before := all.Left[f.Path]
			if open && !f.Missing {
				unseen[f.Path] = f // the newest
			}
			switch {
			case !changed:
			case !before:
				all.Files = append(all.Files, f)
				all.Left[f.Path], began[f.Path] = left, f.Seen
			case was.Seen == f.Seen && !was.Shared:
				all.Left[f.Path] = left
			case was == left && began[f.Path] == f.Seen: // they ran at once
			default:
				torn[f.Path] = true
			}
		}
	}
	for path, f := range unseen {
		if _, changed := all.Left[path]; !changed {
			all.Files = append(all.Files, f)
			all.Left[path] = Left{Unseen: true}
		}
	}
	all.LookedAt = slices.MaxFunc(marks, func(a, b Mark) int { return a.LookedAt.Compare(b.LookedAt) }).LookedAt
	all.Files = slices.DeleteFunc(all.Files, func(f File) bool { return torn[f.Path] })
	slices.SortFunc(all.Files, File.Compare)
	return all, slices.Sorted(maps.Keys(torn))
}
