package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/agent"
	"github.com/piton-project/piton/config"
	"github.com/piton-project/piton/debrief"
	"github.com/piton-project/piton/history"
	"github.com/piton-project/piton/hook"
	"github.com/piton-project/piton/sqlite"
	"github.com/piton-project/piton/sqlstore"
	"github.com/piton-project/piton/turn"
)

// app is what every command shares.
type app struct {
	in        io.Reader
	out, err  io.Writer
	getenv    func(string) string
	json      bool
	storeFlag string
	status    int // exit status of a command that did not fail

	store *sqlstore.Store
}

func (a *app) home() string { return config.Home(a.getenv) }

func (a *app) close() {
	if a.store != nil {
		a.store.Close()
	}
}

// settings are those in force in a work tree; the first one that cannot be
// used is an error for a person.
func (a *app) settings(root string) (config.Config, error) {
	c := config.Load(config.Places{UserFile: config.UserFile(a.getenv), Project: root, Getenv: a.getenv})
	if a.storeFlag != "" {
		c.Store = a.storeFlag
	}
	if len(c.Problems) > 0 {
		return c, c.Problems[0]
	}
	return c, nil
}

// storePath is the local file that is in force.
func (a *app) storePath() (string, error) {
	c, err := a.settings("")
	if err != nil {
		return "", err
	}
	if c.Store == "" {
		return filepath.Join(a.home(), "piton.db"), nil
	}
	path, ok := strings.CutPrefix(c.Store, "sqlite:")
	if !ok || path == "" {
		return "", piton.Errorf(piton.Invalid, "open the store", "give sqlite:PATH", "this program cannot use the store %q", c.Store)
	}
	return filepath.Abs(path)
}

// open opens the store. existing: nothing is made where there is none, which
// is NotFound.
func (a *app) open(ctx context.Context, existing bool) (*sqlstore.Store, error) {
	if a.store != nil {
		return a.store, nil
	}
	path, err := a.storePath()
	if err != nil {
		return nil, err
	}
	a.store, err = sqlite.Open(ctx, path, sqlite.Options{Existing: existing})
	return a.store, err
}

// keeper opens the store and returns the verbs over it.
func (a *app) keeper(ctx context.Context, existing bool) (history.Keeper, error) {
	st, err := a.open(ctx, existing)
	if err != nil {
		return history.Keeper{}, err
	}
	host, _ := os.Hostname()
	return history.Keeper{
		Store: st, Local: st, Host: host, Log: a.log(),
		Capture: a.capture, Diff: diff, Drift: turn.Drift,
		Alive: func(s piton.Session) bool { return turn.Alive(s, piton.At(time.Now())) },
	}, nil
}

func (a *app) log() *slog.Logger { return hook.Log(filepath.Join(a.home(), "piton.log")) }

// capture is what a hook would save for a session now.
func (a *app) capture(ctx context.Context, s piton.Session) ([]byte, error) {
	client, ok := agent.ByName(s.Agent)
	if !ok {
		return nil, piton.Errorf(piton.NotFound, "capture the session", "", "no client is called %q", s.Agent)
	}
	t := turn.Turns{
		Client: client, Home: a.home(), TempDir: os.TempDir(), Log: a.log(),
		Open:     func(ctx context.Context) (turn.Store, error) { return a.open(ctx, true) },
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
	for _, c := range agent.All {
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
	abs, err := filepath.Abs(dir)
	if err != nil {
		return piton.Project{}, &piton.Error{Code: piton.Invalid, Op: "find the project", Err: err}
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return piton.Project{}, piton.Errorf(piton.Invalid, "find the project", "give a folder that exists", "%s is no folder", dir)
	}
	return turn.Identify(ctx, a.store, abs, make)
}

// printJSON writes one JSON value and a line feed.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// outTerminal tells whether a person reads our output.
func (a *app) outTerminal() bool { return isTerminal(a.out) && !a.json }

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colour tells whether output may be coloured.
func (a *app) colour() bool {
	return a.outTerminal() && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
}

// missing tells whether err says that there is nothing yet.
func missing(err error) bool {
	var e *piton.Error
	return errors.As(err, &e) && e.Code == piton.NotFound
}
