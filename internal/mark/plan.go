package mark

import (
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

// LeaveFor leaves the path for a reason; "" changes nothing.
func (v *Verdict) LeaveFor(reason string) {
	if reason != "" {
		v.Action, v.Reason = Leave, reason
	}
}

// Loss is what happened to a file.
type Loss string

// What can happen to a file, the worst first.
const (
	Removed     Loss = "removed"
	Emptied     Loss = "emptied"
	Reverted    Loss = "reverted" // it is as in HEAD
	Overwritten Loss = "overwritten"
	Made        Loss = "made"    // it was not there
	Changed     Loss = "changed" // it was as in HEAD
	Nothing     Loss = ""
)

// Current is what is at a path now.
type Current struct {
	Seen
	Clean     bool   // it is as in HEAD
	Committed bool   // a commit since the mark has it
	Unsafe    string // why it may not be written; "" where it may
}

// Current is what is at a file's path in the mark; what it does not have was as in HEAD.
func (m Mark) Current(f File) Current {
	other, listed := m.Find(f.Path)
	return Current{Seen: other.Seen, Clean: !listed}
}

// Reversed is the mark that was to be left, with what it has as what was left of that.
func (m Mark) Reversed() Mark {
	was := m
	m.Files, m.Left = nil, map[string]Left{}
	for _, f := range was.Files {
		if left, meant := was.Left[f.Path]; meant {
			m.Left[f.Path] = Left{Seen: f.Seen}
			f.Seen, f.Lacks = left.Seen, ""
			m.Files = append(m.Files, f)
		}
	}
	return m
}

// Wish is what a person asks for besides.
type Wish struct {
	Paths  []string // files, and folders with all in them; none: all
	Theirs bool     // the named ones also where they hold something else now
}

// Takes tells whether a path is asked for.
func (w Wish) Takes(path string) bool {
	return len(w.Paths) == 0 || slices.ContainsFunc(w.Paths, func(p string) bool {
		return p == path || p == "." || strings.HasPrefix(path, strings.TrimSuffix(p, "/")+"/")
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
		if v := m.verdict(f, now(f), w.Theirs && len(w.Paths) > 0); v.Loss != Nothing || v.Action != Same {
			all = append(all, v)
		}
	}
	return all
}

// Reasons to leave a file as it is.
const (
	sinceCommitted = "it was committed since"
	sinceChanged   = "it holds something else since"
	sinceShared    = "another agent's command ran at the same time, and which of them wrote it is not known"
	unknownHand    = "it holds something else, and by whom is not known"
	madeBy         = "it was not there before, and an undo removes no file"
)

func (m Mark) verdict(f File, now Current, theirs bool) Verdict {
	v := Verdict{File: f, Action: Leave, Loss: f.Lost(now), Now: now.Seen}
	left, changed := m.Left[f.Path]
	looked := !m.LookedAt.IsZero() && !left.Unseen
	switch {
	case v.Loss == Nothing:
		v.Action = Same
	case f.Lacks != "":
		v.Reason = "its bytes were not kept: " + f.Lacks
	case now.Unsafe != "":
		v.Reason = now.Unsafe
	case now.Committed:
		v.Reason = sinceCommitted
	case looked && !changed && !theirs:
		v.Action, v.Loss = Same, Nothing // the command had no part in it
	case looked && left.Seen != now.Seen && !theirs:
		v.Reason = sinceChanged
	case left.Shared && !now.Missing && !now.Clean && !theirs:
		v.Reason = sinceShared
	case !looked && !now.Missing && !now.Clean && !theirs:
		v.Reason = unknownHand
	case f.Missing && m.Kind == AtRestore:
		v.Action = Remove
	case f.Missing:
		v.Reason = madeBy
	default:
		v.Action = BringBack
	}
	return v
}

// Lost says what has become of the file.
func (f File) Lost(now Current) Loss {
	switch {
	case now.Seen == f.Seen, f.Sum == "" && !f.Missing && now.Size == f.Size && !now.Missing:
		return Nothing
	case now.Missing:
		return Removed
	case f.Missing:
		return Made
	case now.Clean && f.Code != "":
		return Reverted
	case now.Size == 0 && f.Size > 0:
		return Emptied
	}
	return Overwritten
}

// Lost says what the command did to a file of the mark.
func (m Mark) Lost(f File) Loss {
	left, changed := m.Left[f.Path]
	if !changed {
		return Nothing
	}
	return f.Lost(Current{Seen: left.Seen, Clean: left.AsInHead})
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
	torn := map[string]bool{}
	for _, m := range marks {
		for _, f := range m.Files {
			left, changed := m.Left[f.Path]
			was, before := all.Left[f.Path]
			switch {
			case !changed:
			case !before:
				all.Files = append(all.Files, f)
				all.Left[f.Path] = left
			case was.Seen == f.Seen && !was.Shared:
				all.Left[f.Path] = left
			default:
				torn[f.Path] = true
			}
		}
		if m.LookedAt.After(all.LookedAt) {
			all.LookedAt = m.LookedAt
		}
	}
	for path, f := range unseen(marks) {
		if _, changed := all.Left[path]; !changed {
			all.Files = append(all.Files, f)
			all.Left[path] = Left{Unseen: true}
		}
	}
	all.Files = slices.DeleteFunc(all.Files, func(f File) bool { return torn[f.Path] })
	slices.SortFunc(all.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return all, slices.Sorted(maps.Keys(torn))
}

// unseen are the files that were there when a command began whose end was not seen, or later: of each the newest.
func unseen(marks []Mark) map[string]File {
	all := map[string]File{}
	open := false
	for _, m := range marks {
		open = open || m.LookedAt.IsZero()
		for _, f := range m.Files {
			if open && !f.Missing {
				all[f.Path] = f
			}
		}
	}
	return all
}
