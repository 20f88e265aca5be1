// Package app is Piton for the people's side: it opens the stores that the
// settings name, wires the verbs over them, knows where its caller is, and
// answers in named types, which every door prints or sends as they are. It reads
// no flags and prints nothing.
package app

import (
	"cmp"
	"log/slog"
	"os"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/hook"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// Options say where a caller is and what it wants. The zero value is a caller
// in this process's folder, with its environment.
type Options struct {
	Home    string              // where Piton keeps its files; PITON_HOME when empty
	Dir     string              // the folder the caller works in; the process's when empty
	Getenv  func(string) string // os.Getenv when nil
	Environ []string            // all variables, to find misspelt ones among; os.Environ() when nil
	// Store names the store of the checkpoints for this caller alone: sqlite:PATH,
	// postgres://… or file:DIR; empty: the one that the settings name.
	Store string
	// StoreFrom is where Store came from, as the answer about the settings has it.
	StoreFrom string
	// Stores keeps the shared store open for several callers of this process; opened for
	// this one alone when nil.
	Stores *Stores
	Now    func() time.Time // time.Now when nil
	Log    *slog.Logger     // the log in Home when nil
	// Warn is told what cannot be used and stops nothing, Corrupt where the store
	// is older than what was acknowledged; nil: nobody is.
	Warn func(*piton.Error)
	// Progress makes what is told how far a long work has come; nil: nobody is.
	Progress func(what string) func(done, total int64)
	// Search opens the local store with its search index; without, a search reads
	// every text.
	Search bool
	// Behind: a store that is older than what was acknowledged is opened without a
	// warning.
	Behind bool
	// Ancestors are the processes above the caller; those of this process when nil.
	Ancestors func() []proc.Ancestor
	// Remote: the caller is another process, which calls over a connection. Dir is the
	// folder that it works in; where that is empty, a call names its project by a whole
	// path, or belongs to none. What only a person at a terminal may do is refused.
	Remote bool
	// Model: the caller is a model's tool call. What only a person may do is refused,
	// whichever client the model runs in.
	Model bool
	// Strict: a save without a state that says nothing is refused where nothing is captured
	// for it. Without, it keeps the head's state again, or an empty one, and the caller is
	// told: a person sees it.
	Strict bool
}

// App is what doors call. What it needs is opened when it is first asked for, so
// one caller uses it at a time. Close it.
type App struct {
	o Options

	local       *sqlstore.Store   // the local file
	shared      store.Checkpoints // where checkpoints go, where that is elsewhere
	sharedName  string
	closeShared func() error
	carried     bool  // what hooks have saved was carried to the shared store
	unkept      error // why the local file cannot be used; what stands for it is empty
	user        *config.Config
	configured  string // the store without Options.Store
	warned      bool
	found       *string // the session that SessionOf has found; nil: it was not asked
}

// New returns an App for a caller. It opens nothing yet.
func New(o Options) *App {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Warn == nil {
		o.Warn = func(*piton.Error) {}
	}
	if o.Ancestors == nil {
		o.Ancestors = proc.Ancestors
	}
	if o.Remote {
		o.Getenv, o.Ancestors = notInherited(o.Getenv), func() []proc.Ancestor { return nil }
	}
	o.Home = cmp.Or(o.Home, config.Home(o.Getenv))
	if o.Log == nil {
		o.Log = hook.Log(place.Log(o.Home))
	}
	return &App{o: o}
}

// Close closes the stores that were opened.
func (a *App) Close() {
	if a.local != nil {
		a.local.Close()
	}
	if a.closeShared != nil {
		a.closeShared()
	}
}

// Home is where Piton keeps its files.
func (a *App) Home() string { return a.o.Home }

// progress makes what is told how far a long work has come.
func (a *App) progress(what string) func(done, total int64) {
	if a.o.Progress == nil {
		return func(_, _ int64) {}
	}
	return a.o.Progress(what)
}

func (a *App) now() piton.Time { return piton.At(a.o.Now()) }
