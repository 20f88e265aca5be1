package turn

import (
	"context"
	"slices"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/store"
)

// Bounds of looking at others' sessions.
const (
	othersListed = 50 // sessions of the project
	othersRead   = 4  // transcripts
)

// others are the files that the calls of other sessions name as edited, where
// several are at work in one work tree: a file whose time merely lies inside one
// of our calls is theirs, then. Nothing is read where our own calls name all
// that has changed, or where nobody else was there in this turn.
func (t Turns) others(ctx context.Context, st *store.Local, s agent.Session, turn agent.Turn, f found) []string {
	if s.Root == "" || s.Project == "" || turn.StartedAt.IsZero() {
		return nil
	}
	own := edited(s.Root, f.script.Calls, f.links)
	if !slices.ContainsFunc(f.changes.Files, func(c git.File) bool { return !slices.Contains(own, c.Path) }) {
		return nil
	}
	all, err := st.Sessions(ctx, store.SessionQuery{Project: s.Project, Limit: othersListed})
	if err != nil {
		t.log().WarnContext(ctx, "other sessions were not looked at", "session", s.ID, "err", err)
		return nil
	}
	var paths []string
	read := 0
	for _, x := range all {
		client, known := clients.ByName(x.Agent)
		if x.Agent == t.Client.Name() {
			client, known = t.Client, true
		}
		if !known || x.ID == s.ID || x.Root != kept(s).Root || x.Transcript == "" || x.Transcript == kept(s).Transcript || x.SeenAt.Before(turn.StartedAt.Time) || read == othersRead {
			continue
		}
		read++
		script, err := client.Transcript(x.Transcript, turn.StartedAt.Time)
		if err != nil {
			t.log().InfoContext(ctx, "another session's transcript was not read", "session", x.ID, "err", err)
			continue
		}
		paths = append(paths, debrief.Read(s.Root, script.Calls, f.links.resolve).Edits()...)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
