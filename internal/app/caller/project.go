package caller

import (
	"cmp"
	"context"
	"os"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// Project finds the project that a folder lies in; dir is the caller's when
// empty. Without create it is only looked up, and NotFound when it was never seen.
func (a *opened) Project(ctx context.Context, dir string, create bool) (piton.Project, error) {
	const op, hint = "find the project", "give a folder that exists: 'project DIR'"
	if dir == "" && !create && !a.Placed() {
		return piton.Project{}, NotPlaced(piton.NotFound)
	}
	dir = cmp.Or(dir, ".")
	abs, err := a.Path(dir)
	if err != nil && !a.Placed() {
		return piton.Project{}, err
	}
	if err != nil {
		return piton.Project{}, &piton.Error{Code: piton.Invalid, Op: op, Hint: hint, Err: err}
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return piton.Project{}, piton.Errorf(piton.Invalid, op, hint, "%s is not a folder", abs)
	}
	local, err := a.Local(ctx, !create)
	if err != nil {
		return piton.Project{}, err
	}
	p, err := turn.Identify(ctx, local, abs, create)
	if a.Shared != nil {
		if p.ID == "" && p.Origin == "" {
			return p, err
		}
		// The other machines know it by its origin, seen here or not.
		p.ID, err = p.SharedID(), nil
	}
	return p, err
}

// gitPatience is how long a save waits for git, beside its own work.
const gitPatience = time.Second

// Origin is what git says of a folder; nothing where it says nothing soon.
func (a *opened) Origin(ctx context.Context, dir string) piton.Origin {
	ctx, cancel := proc.Within(ctx, gitPatience)
	defer cancel()
	dir, err := a.Path(dir)
	if err != nil {
		return piton.Origin{}
	}
	st, err := (git.Repo{Dir: dir, Folders: true}).Status(ctx)
	if err != nil {
		return piton.Origin{}
	}
	return piton.Origin{GitHead: st.Head, GitBranch: st.Branch}
}

// Turns are the rules of a session's turns, as its hooks have them.
func (a *opened) Turns(c client.Client, set debrief.Settings) turn.Turns {
	return turn.Turns{
		Client: c, Home: a.Options.Home, TempDir: os.TempDir(), Log: a.Options.Log,
		Open: func(ctx context.Context) (*store.Local, error) {
			st, err := a.Local(ctx, true)
			if err != nil {
				return nil, err
			}
			return st.Local(), nil
		},
		Settings: func(string) debrief.Settings { return set },
	}
}

// capture is what a hook would save for a session now.
func (a *opened) capture(ctx context.Context, s agent.Session) ([]byte, error) {
	c, ok := clients.ByName(s.Agent)
	if !ok {
		return nil, piton.Errorf(piton.NotFound, "capture the session", "", "no client is called %q", s.Agent)
	}
	return a.Turns(c, debrief.DefaultSettings()).Capture(ctx, s)
}

// Unowned tells whose open work the files of a file store are that name no
// project, because another program wrote them: that of the project in whose work
// tree the folder lies; where it lies in none, of every project. nil for other
// stores.
func (a *opened) Unowned(ctx context.Context) func(project string) bool {
	spec, err := a.WholeSpec(a.Config("").Store)
	dir, ok := FolderOf(spec)
	if err != nil || !ok {
		return nil
	}
	root, _, tree := git.Find(dir)
	if !tree {
		return func(string) bool { return true }
	}
	p, err := a.Project(ctx, root, false)
	return func(project string) bool { return err == nil && p.ID == project }
}
