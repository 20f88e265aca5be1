package turn

import (
	"context"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/store"
)

// input is what the rules are asked about.
func (t Turns) input(ctx context.Context, st *store.Local, s agent.Session, set debrief.Settings, turn agent.Turn, f found, at piton.Time) debrief.Input {
	in := debrief.Input{
		Root: s.Root, Calls: f.script.Calls, CallsSeen: f.scriptErr == nil, Partial: !f.script.Complete, Read: f.read, Clean: cleaned, Resolve: f.links.resolve,
		Rules: set.InForce(), Tests: set.TestCommands(f.tests), Doubts: f.doubts, Exit: t.markers(s.ID)[0],
		Elapsed: s.Elapsed(set.Timer, at.Time), LogCheck: set.LogCheck, Untrusted: set.LogCheckUntrusted, Besides: set.Besides,
		Others: t.others(ctx, st, s, turn, f),
	}
	if len(f.changes.Files) > 0 {
		in.Item, in.Planned = item(s.Root, set.WorkItem, f.changes.Branch)
	}
	for _, c := range f.changes.Files {
		in.Files = append(in.Files, file(c))
	}
	return in
}

func file(c git.File) debrief.File {
	return debrief.File{Path: c.Path, Created: c.Untracked || strings.HasPrefix(c.Code, "A") || c.Deleted && c.Code == "" && !c.Committed, Deleted: c.Deleted, ModTime: c.ModTime, Committed: c.Committed}
}
