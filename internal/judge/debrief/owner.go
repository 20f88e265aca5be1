package debrief

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/tools"
)

// changes says whose work each file is and keeps those of the agent's that this
// turn changed: to commit what an earlier turn has left demands nothing.
func (t *turn) changes() []agent.FileChange {
	all := make([]agent.FileChange, 0, len(t.Files))
	t.theirs = map[string]bool{}
	for _, f := range t.Others {
		t.theirs[f] = true
	}
	for _, f := range t.Files {
		change := agent.FileChange{Path: f.Path, Whose: agent.OwnerForeign}
		last, touched := t.lastEdit(f)
		passed := f.Created && f.Deleted // it came and went: HEAD never had it
		ours := t.commits && !t.pulls && !t.theirs[f.Path]
		committed := ours && (f.Committed || f.Deleted)
		if touched || committed && !passed {
			change.Whose = agent.OwnerAgent
		}
		// What nobody is seen to have edited is committed with the rest: a person's
		// work, unless the edit lies before the calls that could be read.
		earlier := t.Partial && change.Whose == agent.OwnerAgent && !t.older(f)
		if !passed && (touched || earlier) {
			t.files = append(t.files, file{File: f, last: last, tidy: touched && last == beforeAll})
		}
		all = append(all, change)
	}
	return all
}

// older tells whether a file's change came before the turn's first call, as
// far as that can be told.
func (t *turn) older(f File) bool {
	return f.Deleted || len(t.calls) == 0 || !f.ModTime.IsZero() && f.ModTime.Before(t.calls[0].StartedAt.Add(-slack))
}

// lastEdit tells whether the agent's calls touched a file, and when last: they
// name it as edited, or its time lies inside a shell call that may edit and no
// other session names it. Without calls all that changed is the agent's, but
// for what others name.
func (t *turn) lastEdit(f File) (last moment, touched bool) {
	last = moment{At: f.ModTime, Call: -1, Command: -1}
	if !t.CallsSeen {
		return last, !t.theirs[f.Path]
	}
	tidied := false
	explained := slices.ContainsFunc(t.calls, func(c *call) bool { return (c.mayEdit || c.mentions(f)) && c.spans(f.ModTime, tick) })
	named := slices.ContainsFunc(t.calls, func(c *call) bool { return c.mentions(f) && c.spans(f.ModTime, tick) })
	for _, c := range t.calls {
		if named && !c.mentions(f) {
			continue // that the other one wrote it explains its time
		}
		fetched := c.fetches() || !t.commits && !t.pulls // nobody here committed
		foreign := t.theirs[f.Path] || f.Committed && fetched
		at, formats, ok := c.touched(f, foreign, explained)
		switch {
		case !ok:
			continue
		case formats:
			tidied = true // not an edit that a test run would have to follow
		case last.Call < 0 || at.later(last):
			last = at
		}
		touched = true
	}
	if last.Call < 0 && tidied {
		return beforeAll, true
	}
	return last, touched
}

// touched tells whether the call edited the file, where in the call, and
// whether it was only formatted. The time of a file that is somebody else's says
// nothing, and one that another call explains says nothing of those beside it.
func (c *call) touched(f File, foreign, explained bool) (at moment, formats, ok bool) {
	for _, e := range slices.Backward(c.edits) {
		if !e.names(f) {
			continue
		}
		ok = true
		if !e.tidies && !c.spared(e, f) {
			return c.moment(e.command), false, true
		}
	}
	near := slack
	if explained {
		near = tick
	}
	installed := c.installs && tools.EcosystemOf(f.Path) != ""
	if c.mayEdit && !foreign && !installed && c.spans(f.ModTime, near) {
		return c.moment(-1), c.tidies, true
	}
	return moment{}, true, ok
}

// mentions tells whether the call names the file as written.
func (c *call) mentions(f File) bool {
	return slices.ContainsFunc(c.edits, func(e edit) bool { return e.names(f) })
}

// spared tells whether a file is older than the call that names it, so that
// the call left it as it was.
func (c *call) spared(e edit, f File) bool {
	older := !f.ModTime.IsZero() && f.ModTime.Before(c.StartedAt.Add(-slack))
	return older && e.command >= 0 && !e.moves && !f.Deleted
}

// fetches tells a call that brings in what others committed, and joins nothing of
// the agent's own with it.
func (c *call) fetches() bool {
	return strings.Contains(c.Call.Output, "Fast-forward") || c.does(tools.Fetches)
}

// Written are the files of a turn of which nothing but its calls is known: those
// that they name as written or removed, in the order of their names. Patterns are
// left out. is tells whether a path that a command names is a file at all; nil:
// its name decides.
func (r *Reading) Written(is func(path string) bool) []File {
	if is == nil {
		is = fileName
	}
	t := r.read()
	edited, found, new := t.editedByTool(), map[string]File{}, map[string]bool{}
	for _, c := range t.calls {
		for _, e := range c.edits {
			if c.removes(e) {
				for path, f := range found {
					if strings.HasPrefix(path, e.path+"/") && (f.Created || new[path]) {
						delete(found, path)
					}
				}
			}
			noFile := func() bool { return strings.ContainsAny(e.path, "*?[{$`") || litter(e.path) || !is(e.path) }
			if e.path == "." || e.command >= 0 && !edited[e.path] && noFile() {
				continue
			}
			f, known := found[e.path]
			gone := c.removes(e)
			switch {
			case !known && c.Created:
				f.Created = true
			case !known:
				new[e.path] = e.command >= 0 && !gone // a command that writes a file begins it, as far as can be told
			}
			if gone && (f.Created || new[e.path]) {
				delete(found, e.path) // it came and went
				continue
			}
			f.Path, f.Deleted, f.ModTime = e.path, gone, c.moment(e.command).At
			found[e.path] = f
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b File) int { return strings.Compare(a.Path, b.Path) })
}

// editedByTool are the paths that an edit tool names.
func (t *turn) editedByTool() map[string]bool {
	paths := map[string]bool{}
	for _, c := range t.calls {
		for _, e := range c.edits {
			paths[e.path] = paths[e.path] || c.Kind == agent.CallEdit
		}
	}
	return paths
}

// removes tells whether an edit takes the file away.
func (c *call) removes(e edit) bool {
	if e.command < 0 || e.command >= len(c.commands) || !c.ok() {
		return false
	}
	cmd := c.commands[e.command]
	if cmd.matches("mv", "git mv") { // what is moved stands before the place it goes to
		last := cmd.Words[len(cmd.Words)-1]
		to, _ := c.turn.relative(c.Dir, path.Join(cmd.Dir, last))
		return e.path != to && len(cmd.Words) > 2
	}
	return cmd.matches("rm", "git rm", "unlink")
}

// fileName tells a file's name from a folder's: it has an extension, or is one that
// a tool knows.
func fileName(p string) bool {
	base := path.Base(p)
	return path.Ext(strings.TrimLeft(base, ".")) != "" || tools.EcosystemOf(p) != "" || slices.Contains(bareNames, base)
}

// litter tells what builds and package managers write, or what git never lists.
func litter(p string) bool {
	return slices.ContainsFunc(litterGlobs, func(glob string) bool { return match(glob, p) })
}

// throwaway are the names that people give to a test which they only try
// something with.
var throwaway = lazily(`(?i)(^|[^a-z])(zz+|xx+|te?mp|scratch|debug|dbg|repro|probe|throwaway|sandbox)([^a-z]|$)`)

// triedOut reports whether what failed lies in a test file that the turn made to
// try something, and took away again. Any other test that failed and is gone stays
// open: it may be the one that was right.
func (t *turn) triedOut(f failure) bool {
	return f.file != "" && throwaway().MatchString(path.Base(f.file)) && t.passing(f.file)
}

// passing tells whether the turn made a file and took it away again, or gave it
// another name: it never was part of the work, and git does not name it.
func (t *turn) passing(file string) bool {
	if slices.ContainsFunc(t.Files, func(f File) bool { return f.Path == file && !(f.Created && f.Deleted) }) {
		return false
	}
	made, gone := false, false
	for _, c := range t.calls {
		for _, e := range c.edits {
			if e.path == file {
				gone = c.removes(e)
				made = made || !gone
			}
		}
	}
	return made && gone
}
