package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/turn"
)

// capture is what a hook would save for a session now.
func (a *app) capture(ctx context.Context, s agent.Session) ([]byte, error) {
	client, ok := clients.ByName(s.Agent)
	if !ok {
		return nil, piton.Errorf(piton.NotFound, "capture the session", "", "no client is called %q", s.Agent)
	}
	t := turn.Turns{
		Client: client, Home: a.home(), TempDir: os.TempDir(), Log: a.log(),
		Open:     a.local,
		Settings: func(string) debrief.Settings { return debrief.DefaultSettings() },
	}
	return t.Capture(ctx, s)
}

// currentSession is the session whose agent runs this program: the client
// names it in the environment of the commands it runs. "" outside of one.
func (a *app) currentSession(ctx context.Context) string {
	if a.store == nil {
		return ""
	}
	for _, c := range clients.All {
		if id := a.getenv(c.SessionEnv()); id != "" {
			if s, err := a.store.SessionByClient(ctx, c.Name(), id); err == nil {
				return s.ID
			}
		}
	}
	return ""
}

// project finds the project a folder lies in: dir, else where we are. Without
// make it is only looked up, and NotFound when it was never seen.
func (a *app) project(ctx context.Context, dir string, make bool) (piton.Project, error) {
	const op, hint = "find the project", "give a folder that exists: --project DIR"
	abs, err := filepath.Abs(dir)
	if err != nil {
		return piton.Project{}, &piton.Error{Code: piton.Invalid, Op: op, Hint: hint, Err: err}
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return piton.Project{}, piton.Errorf(piton.Invalid, op, hint, "%s is no folder", abs)
	}
	p, err := turn.Identify(ctx, a.store, abs, make)
	if a.far != nil {
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

// origin is what git says of the folder; nothing where it says nothing soon.
func origin(ctx context.Context, dir string) piton.Origin {
	ctx, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	st, err := (git.Repo{Dir: dir, Folders: true}).Status(ctx)
	if err != nil {
		return piton.Origin{}
	}
	return piton.Origin{GitHead: st.Head, GitBranch: st.Branch}
}
