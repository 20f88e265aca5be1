// Package checkpoints saves the state of a program step by step, so that the
// same program, another one or an agent can continue after a crash.
//
//	s, err := checkpoints.Open(ctx, checkpoints.Options{})
//	if err != nil { … }
//	defer s.Close()
//
//	job := checkpoints.Workflow[Progress]{Store: s, Name: "nightly-import"}
//	progress, found, err := job.Latest(ctx) // where the last run stopped
//	…
//	_, err = job.Save(ctx, "parsed", progress) // durable when it returns
//	…
//	err = job.Complete(ctx)
//
// Open uses the same store as the commands of piton: what a program saves, piton
// list shows, and the reverse. A state is any JSON object of at most 64 MiB.
// Secrets that Piton recognises are redacted before anything is stored.
//
// Errors are of type *piton.Error; piton.CodeOf tells what kind it is.
// docs/library.md is the guide, docs/spec.md has the rules.
package checkpoints

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/history"
)

// Options say which store to open and for which project. The zero value opens
// the store that the user's settings name, for the project of the process's
// working directory.
type Options struct {
	// Store is where the checkpoints are: "sqlite:PATH", "postgres://…" or
	// "file:DIR". Empty: what the settings name, by default one SQLite file in
	// Home (docs/config.md).
	Store string
	// Home is the directory of Piton's own files. Empty: $PITON_HOME, or
	// ~/.local/state/piton.
	Home string
	// Dir is a directory of the project that checkpoints belong to. Empty: the
	// working directory of the process.
	Dir string
	// MustExist makes Open return NotFound where there is no store yet, instead of
	// creating one.
	MustExist bool
	// Now replaces time.Now, for tests.
	Now func() time.Time
	// Log receives what goes wrong without failing a call, such as a settings
	// file that cannot be read. Nil: the log file in Home.
	Log *slog.Logger
}

// Store is an open store of checkpoints. It is safe for concurrent use.
type Store struct {
	// app is used by one caller at a time, so nothing but Close calls it once
	// Open has returned.
	app       *app.App
	keeper    history.Keeper
	project   piton.Project
	policy    piton.Retention // of the settings
	policyErr error           // why the settings name none
	closed    atomic.Bool
}

// Open opens a store, and creates it where there is none unless o.MustExist is
// set. Unavailable when it cannot be reached, Invalid when the settings or the
// options cannot be used. Close the Store when it is no longer needed.
func Open(ctx context.Context, o Options) (*Store, error) {
	a := app.New(caller.Options{Home: o.Home, Dir: o.Dir, Store: o.Store, Now: o.Now, Log: o.Log})
	s := &Store{app: a}
	var err error
	if s.keeper, err = a.Keeper(ctx, o.MustExist); err == nil {
		s.project, err = a.Project(ctx, "", true)
	}
	if err != nil {
		a.Close()
		return nil, inGo(err)
	}
	s.policy, s.policyErr = a.Retention()
	return s, nil
}

// Close closes the store. What was saved is durable already. Calls after Close,
// and calls that it interrupts, return Invalid. Closing twice changes nothing.
func (s *Store) Close() error {
	if s == nil || s.app == nil || s.closed.Swap(true) {
		return nil
	}
	s.app.Close()
	return nil
}

// Project is the project that new checkpoints belong to.
func (s *Store) Project() piton.Project {
	if s == nil {
		return piton.Project{}
	}
	return s.project
}

// verbs returns what the calls are made of; Invalid for a Store that Open did
// not return, or that was closed.
func (s *Store) verbs() (history.Keeper, error) {
	if s == nil || s.app == nil {
		return history.Keeper{}, notOpen("the store was not opened")
	}
	return s.keeper, s.failed(nil)
}

// failed is the error of a call in the words of this package.
func (s *Store) failed(err error) error {
	if s.closed.Load() {
		return notOpen("the store is closed")
	}
	return inGo(err)
}

func notOpen(why string) error {
	return piton.Errorf(piton.Invalid, "use a store of checkpoints", "use what checkpoints.Open returned, before Close", "%s", why)
}

// Selector names one checkpoint: by ID, or by Name, or as the newest of a
// Workflow or a Session. The zero Selector, which only Resume takes, is the newest
// unfinished checkpoint of the store's project.
type Selector struct {
	ID       string // a checkpoint's id, or an unambiguous beginning of it
	Name     string // the name a checkpoint was saved with: the newest of that name
	Workflow string // a workflow's id or name
	Session  string // a session's id, Piton's or the client's
	Branch   string // with Workflow; empty: all branches
}

func (s *Store) selector(op string, x Selector) (history.Selector, error) {
	if x == (Selector{}) {
		return history.Selector{}, piton.Errorf(piton.Invalid, op, "set ID, Name, Workflow or Session", "the Selector is empty")
	}
	return s.selected(x), nil
}

func (s *Store) selected(x Selector) history.Selector {
	return history.Selector{ID: x.ID, Name: x.Name, Workflow: x.Workflow, Session: x.Session, Branch: x.Branch, Project: s.project.ID}
}
