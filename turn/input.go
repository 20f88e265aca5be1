package turn

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/debrief"
	"github.com/piton-project/piton/git"
)

// debrief asks the rules.
func (t Turns) debrief(ctx context.Context, st Store, s piton.Session, set debrief.Settings, turn piton.Turn, f found, at piton.Time) debrief.Result {
	in := debrief.Input{
		Root: s.Root, Calls: f.script.Calls, CallsSeen: f.scriptErr == nil, Partial: !f.script.Complete, Read: f.read,
		Rules: inForce(set), Tests: tests(set, f.tests), Exit: t.markers(s.ID)[0],
		Elapsed: s.Elapsed(set.Timer, at.Time), LogCheck: set.LogCheck,
		Others: t.others(ctx, st, s, turn, f),
	}
	if len(f.changes.Files) > 0 {
		in.Item, in.Planned = item(s.Root, set.WorkItem, f.changes.Branch)
	}
	for _, c := range f.changes.Files {
		in.Files = append(in.Files, file(c))
	}
	return debrief.Look(in)
}

// inForce are the rules of the settings.
func inForce(set debrief.Settings) []debrief.Rule {
	if set.Rules != nil {
		return set.Rules
	}
	return debrief.Builtin()
}

// tests are the commands that run the project's tests: those found, and those
// that the settings name.
func tests(set debrief.Settings, found []testCommand) []testCommand {
	for _, run := range set.Tests {
		found = append(found, testCommand{Run: run, Matches: []string{run}})
	}
	return found
}

func file(c git.File) debrief.File {
	return debrief.File{Path: c.Path, Created: c.Untracked || c.Code == "A" || c.Code == "A.", Deleted: c.Deleted, ModTime: c.ModTime, Committed: c.Committed}
}
