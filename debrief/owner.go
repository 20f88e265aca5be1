package debrief

import (
	"slices"

	"github.com/piton-project/piton"
)

// changes says whose work each file is and keeps the agent's.
func (t *turn) changes() []piton.FileChange {
	all := make([]piton.FileChange, 0, len(t.Files))
	commits, pulls := t.gitCalls()
	for _, f := range t.Files {
		whose := piton.OwnerForeign
		if last, ok := t.ownedSince(f, commits && !pulls); ok {
			whose = piton.OwnerAgent
			t.files = append(t.files, file{File: f, last: last})
		}
		all = append(all, piton.FileChange{Path: f.Path, Whose: whose})
	}
	return all
}

// gitCalls tells whether the agent committed, and whether it fetched the work
// of others, which then lies in commits of this turn too.
func (t *turn) gitCalls() (commits, pulls bool) {
	for _, c := range t.calls {
		for _, cmd := range c.commands {
			commits = commits || cmd.matches("git commit", "git revert", "git rm", "git mv")
			pulls = pulls || cmd.matches("git pull", "git merge", "git rebase", "git cherry-pick", "git am")
		}
	}
	return commits, pulls
}

// ownedSince tells whether a file is the agent's, and its last edit. A file is
// the agent's if one of its calls names it as edited, or its time lies inside
// one of its shell calls that may edit; of what is committed or gone, if the
// agent ran git to do so. Without calls every file is.
func (t *turn) ownedSince(f File, committed bool) (last moment, owned bool) {
	last = moment{at: f.ModTime, call: -1, command: -1}
	if !t.CallsSeen {
		return last, true
	}
	owned = committed && (f.Committed || f.Deleted)
	tidied := false
	for _, c := range slices.Backward(t.calls) {
		at, formats, ok := c.touched(f)
		if !ok {
			continue
		}
		owned = true
		if formats {
			tidied = true // not an edit that a test run would have to follow
			continue
		}
		if last.call < 0 || at.after(last) {
			last = at
		}
	}
	if last.call < 0 && (tidied || last.at.IsZero()) {
		return nowhere, owned
	}
	return last, owned
}

// touched tells whether the call edited the file, where in the call, and
// whether it was only formatted.
func (c *call) touched(f File) (at moment, formats, ok bool) {
	for _, e := range slices.Backward(c.edits) {
		if !e.names(f) {
			continue
		}
		ok = true
		if !e.tidies && !c.spared(e, f) {
			return c.moment(e.command), false, true
		}
	}
	if c.mayEdit && c.during(f.ModTime) && !(f.Committed && c.fetches()) {
		return c.moment(-1), c.tidies, true
	}
	return moment{}, true, ok
}

// spared tells whether a file is older than the call that names it, so that
// the call left it as it was.
func (c *call) spared(e edit, f File) bool {
	return e.command >= 0 && !e.keeps && !f.Deleted && !f.ModTime.IsZero() && f.ModTime.Before(c.StartedAt.Add(-slack))
}

// fetches tells a call that brings in what others committed.
func (c *call) fetches() bool {
	return slices.ContainsFunc(c.commands, func(cmd *command) bool {
		return cmd.matches("git pull", "git merge", "git rebase", "git checkout", "git switch", "git reset", "git cherry-pick", "git am", "git clone")
	})
}
