package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/hook"
	"github.com/piton-project/piton/internal/kind"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/turn"
)

// app is what every command shares.
type app struct {
	in        io.Reader
	out, err  io.Writer
	getenv    func(string) string
	json      bool
	storeFlag string // --store
	setStore  string // the store without --store
	status    int    // exit status of a command that did not fail
	soFar     string // what a command has done, should it fail now

	store    *sqlstore.Store   // the local file
	far      store.Checkpoints // where checkpoints go, where that is elsewhere
	farName  string
	closeFar func() error
	flushed  bool
	user     *config.Config // the settings of no project, once they were read
	warned   bool
	fts5     func(*sqlite3.Conn) error // set by the commands that need the search index

	accepting bool // that the store is older than what was acknowledged

	ancestors func() []proc.Ancestor // the processes above us; proc.Ancestors when nil
}

func (a *app) home() string { return config.Home(a.getenv) }

func (a *app) close() {
	if a.store != nil {
		a.store.Close()
	}
	if a.closeFar != nil {
		a.closeFar()
	}
}

// config reads the settings of a work tree with what could not be used of
// them.
func (a *app) config(root string) config.Config {
	if root == "" && a.user != nil {
		return *a.user // asked for at every step of a command
	}
	c := config.Load(a.places(root))
	a.setStore = c.Store
	if a.storeFlag != "" {
		c.Store, c.From["store"] = config.WithHome(a.storeFlag, a.getenv), "--store"
	}
	if c.From["checkpoints.archive"] == "" {
		c.Checkpoints.Archive = archiveBeside(c.Store, c.Checkpoints.Archive)
	}
	if root == "" {
		a.user = &c
	}
	return c
}

// places are where the settings of a work tree lie.
func (a *app) places(root string) config.Places {
	return config.Places{
		UserFile: config.UserFile(a.getenv), Project: root, Getenv: a.getenv, Environ: os.Environ(),
		Origin: func() string { return git.OriginOf(root) }, Repository: func() string { return git.RepositoryOf(root) },
	}
}

// settings are those in force in a work tree; the first one that cannot be
// used is an error for a person.
func (a *app) settings(root string) (config.Config, error) {
	c := a.config(root)
	// What needs trust is left out and stops nobody: 'piton trust' speaks of it.
	broken := slices.DeleteFunc(slices.Clone(c.Problems), func(err error) bool { return errors.Is(err, config.ErrUntrusted) })
	if len(broken) == 0 {
		return c, nil
	}
	e := *wrap(broken[0])
	e.Hint = firstOf(e.Hint, "mend it there; 'piton doctor' names all that is wrong")
	return c, &e
}

// storePath is the local file that is in force.
func (a *app) storePath() (string, error) {
	// Only what chooses the store can be in the way of it: a slip in another
	// setting must not keep anybody from their checkpoints.
	c := a.config("")
	if c.Unread && c.Store == "" {
		_, err := a.settings("")
		return "", err
	}
	if c.Store == "" || isFar(c.Store) {
		return filepath.Join(a.home(), "piton.db"), nil
	}
	path, ok := strings.CutPrefix(c.Store, "sqlite:")
	if !ok || path == "" {
		return "", unknownStore(c.Store)
	}
	return absolute(path)
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
	a.store, err = sqlite.Open(ctx, path, sqlite.Options{Existing: existing, FTS5: a.fts5, Plain: !a.config("").Checkpoints.Compress})
	if behind := a.behind(ctx, path, err); behind != nil {
		return nil, behind
	}
	if missing(err) {
		err = piton.Errorf(piton.NotFound, "open the store", "save something with 'piton save', or name another store with --store, PITON_STORE or PITON_HOME", "nothing has been saved yet: there is no %s", path)
	}
	return a.store, err
}

// local opens the local file as that of this machine.
func (a *app) local(ctx context.Context) (*store.Local, error) {
	st, err := a.open(ctx, true)
	if err != nil {
		return nil, err
	}
	return st.Local(), nil
}

// warn says once what of the user's settings cannot be used, where that stops
// nothing.
func (a *app) warn() {
	if p := a.config("").Problems; len(p) > 0 && !a.warned && !a.json {
		fmt.Fprintf(a.err, "piton: warning: %s; 'piton doctor' names all that is wrong\n", clean(p[0].Error()))
	}
	a.warned = true
}

// keeper opens the store and returns the verbs over it.
func (a *app) keeper(ctx context.Context, existing bool) (history.Keeper, error) {
	far, err := a.openFar(ctx, existing)
	if err != nil {
		return history.Keeper{}, err
	}
	// Beside another store the local file is only the agents' side of it.
	st, err := a.open(ctx, existing && far == nil)
	if err != nil {
		return history.Keeper{}, err
	}
	cold, err := a.archive("")
	if err != nil {
		return history.Keeper{}, err
	}
	a.warn()
	host, _ := os.Hostname()
	k := history.Keeper{
		Store: st, Local: st.Local(), Archive: cold, Host: host, Log: a.log(), Recent: &states.Recent{}, Redact: a.rules(),
		Capture: a.capture, Validate: kind.Validate, Diff: diff, Drift: turn.Drift,
		Agents: clients.Names(), Alive: func(s agent.Session) bool { return turn.Alive(s, piton.At(time.Now())) },
	}
	if far != nil {
		k.Store, k.StoreName = far, a.farName
		k.Unowned = a.unowned(ctx)
		// What was saved by hand while the store was the local file stays there.
		k.Carries = func(w piton.Workflow) bool { return w.Type == piton.TypeSession }
		k.OneOff = !a.configured()
		if existing && !k.OneOff && !a.flushed {
			a.flushed = true
			a.flush(ctx, k)
		}
	}
	return k, nil
}

// rules are what redaction keeps.
func (a *app) rules() *redact.Rules {
	allow := a.config("").Allow
	return &redact.Rules{Names: allow.Names, Patterns: allow.Patterns}
}

// checkpoints is the open store.
func (a *app) checkpoints() store.Checkpoints {
	if a.far != nil {
		return a.far
	}
	return a.store
}

func (a *app) log() *slog.Logger { return hook.Log(filepath.Join(a.home(), "piton.log")) }

// missing tells whether err says that there is nothing yet.
func missing(err error) bool {
	var e *piton.Error
	return errors.As(err, &e) && e.Code == piton.NotFound
}
