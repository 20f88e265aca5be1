package app

import (
	"context"
	"io"
	"maps"
	"path"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// ImportRequest says what to import and where it belongs.
type ImportRequest struct {
	Files []string  // files and folders; - for Stdin
	Stdin io.Reader // nothing reads it once Import has returned; an end of ctx does not end a read
	// Its project is that which they belong to; empty: that of their origin, and the
	// caller's for those that name none.
	piton.ImportRequest
}

// Imported is what an import has added, and what it has left out.
type Imported struct {
	history.Imported
	LeftOut   []caller.Unread   `json:"left_out"`                // what could not be read or was not valid; the first 1000; empty if none. The exit status is that of the first
	More      int               `json:"left_out_more,omitempty"` // how many more were left out and are not named
	Elsewhere []Elsewhere       `json:"elsewhere,omitempty"`     // the first 1000 projects other than the one here that entries belong to; absent: none, or a dry run
	Sessions  *ImportedSessions `json:"sessions,omitempty"`      // with `--from`: what was made of the sessions' logs
	Retention *history.Outlook  `json:"retention,omitempty"`     // how many of the added checkpoints the next prune would keep, archive and delete; absent: nothing was added
	Worst     piton.Code        `json:"-"`                       // of the first that was left out
	Begun     bool              `json:"-"`                       // entries were read
}

// ImportedSessions is what an import made of sessions' logs.
type ImportedSessions struct {
	Logs    map[string]int `json:"logs"`              // how many became what: `new` sessions; `known` ones to which nothing was added; `grown`, known and added to; `adopted`, known ones whose own log is gone, which go on from what was found; `at_work`, which their hooks save; `empty`, without a prompt of a person; `older` than '--since'; `copies` of a session of which another log was read; `other` files, without a session of this client
	Turns   int            `json:"turns_left_out"`    // turns before the newest 50 of a session, and left out
	Folders []string       `json:"folders,omitempty"` // in which the sessions that were added to have worked; absent: nothing was added
}

// Elsewhere is a project, other than the one here, that entries of an import belong to.
type Elsewhere struct {
	Origin string `json:"origin"` // the URL by which a clone of it finds them
	Count  int    `json:"count"`  // how many entries, added or known
}

// importer is the Keeper of an import, the caller's project, and what tells to which
// project an entry goes, and notes those elsewhere. A dry run makes neither a store nor a
// project.
func (a Upkeep) importer(ctx context.Context, r ImportRequest, elsewhere map[string]int) (k history.Keeper, here piton.Project, owner func(store.Entry) (string, error), err error) {
	k, err = a.Keeper(ctx, r.DryRun)
	if r.DryRun && caller.Missing(err) {
		return history.Keeper{Now: a.Options.Now, Redact: a.RedactRules()}, here, nil, nil
	}
	if err != nil {
		return k, here, nil, err
	}
	if here, err = a.Project(ctx, r.Project, !r.DryRun); err != nil {
		if r.DryRun && caller.Missing(err) {
			err = nil
		}
		return k, here, nil, err
	}
	if !r.DryRun {
		owner, err = a.projectOf(ctx, here, r.Project != "", elsewhere)
	}
	return k, here, owner, err
}

// projectOf tells to which project an entry goes: to that of its origin, which a clone
// finds; without one, or where the caller has named one folder for all, to that here.
func (a Upkeep) projectOf(ctx context.Context, here piton.Project, one bool, elsewhere map[string]int) (func(store.Entry) (string, error), error) {
	if one {
		return func(store.Entry) (string, error) { return here.ID, nil }, nil
	}
	list, err := a.LocalStore.Projects(ctx)
	if err != nil {
		return nil, err
	}
	known := map[string]string{}
	id := func(p piton.Project) string {
		if a.Shared != nil {
			return p.SharedID()
		}
		return p.ID
	}
	for _, p := range list {
		known[p.Origin] = id(p)
	}
	known[""] = here.ID
	return func(e store.Entry) (string, error) {
		if known[e.Origin] == "" {
			p, err := a.LocalStore.Project(ctx, redact.Name(path.Base(e.Origin)), redact.Value([]piton.Alias{{Kind: piton.AliasOrigin, Value: e.Origin}}))
			if err != nil {
				return "", err
			}
			p.Origin = e.Origin
			known[e.Origin] = id(p)
		}
		if known[e.Origin] != here.ID {
			elsewhere[e.Origin]++
		}
		return known[e.Origin], nil
	}, nil
}

// named are the first 1000 projects of those counted.
func named(counted map[string]int) (list []Elsewhere) {
	origins := slices.Sorted(maps.Keys(counted))
	for _, origin := range origins[:min(len(origins), 1000)] {
		shown, _ := redact.Text(origin)
		list = append(list, Elsewhere{Origin: shown, Count: counted[origin]})
	}
	return list
}

// imported is the answer to an import.
func (a Upkeep) imported(ctx context.Context, k history.Keeper, got history.Imported, left *caller.UnreadList, err error) (Imported, error) {
	out := Imported{Imported: got, LeftOut: append([]caller.Unread{}, left.Named...), More: left.Count - len(left.Named), Begun: true}
	if left.Count > 0 {
		out.Worst = piton.CodeOf(left.First)
	}
	if err != nil || got.Added == 0 {
		return out, err
	}
	if out.Retention, err = a.outlook(ctx, k, got); err != nil {
		a.Options.Log.WarnContext(ctx, "what retention will do with an import was not found out", "err", err)
	}
	return out, nil
}

// skip notes what is left out of an import.
func skip(left *caller.UnreadList) func(store.Entry, error) error {
	return func(e store.Entry, err error) error {
		left.Add(left.File, e.Checkpoint.ID, err)
		return nil
	}
}

// outlook is what retention will do with what was imported.
func (a Upkeep) outlook(ctx context.Context, k history.Keeper, r history.Imported) (*history.Outlook, error) {
	policy, err := a.Retention()
	if err != nil {
		return nil, err
	}
	if a.ArchiveIsHere() {
		k.Archive = nil // as in Prune
	}
	o, err := k.Outlook(ctx, policy, r)
	return &o, err
}
