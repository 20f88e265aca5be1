package debrief

import (
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
		if touched || !passed && t.commits && !t.pulls && (f.Committed || f.Deleted) && !t.theirs[f.Path] {
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
		foreign := t.theirs[f.Path] || f.Committed && (!t.commits && !t.pulls || c.fetches()) // nobody here committed it
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
	if !foreign && c.mayEdit && c.spans(f.ModTime, near) && !(c.installs && tools.EcosystemOf(f.Path) != "") {
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
	return e.command >= 0 && !e.keeps && !f.Deleted && !f.ModTime.IsZero() && f.ModTime.Before(c.StartedAt.Add(-slack))
}

// fetches tells a call that brings in what others committed, and joins nothing of
// the agent's own with it.
func (c *call) fetches() bool {
	return strings.Contains(c.Call.Output, "Fast-forward") || slices.ContainsFunc(c.commands, func(cmd *command) bool { return cmd.does(tools.Fetches) })
}
