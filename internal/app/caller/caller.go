// Package caller is who calls, at any door: where it stands and what the settings say there,
// the stores that it works with, each opened when it is first asked for, and whether it is a
// session's agent, a model or a person. The verbs of app are built on one.
package caller

import (
	"cmp"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/hook"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
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
	// Stores keeps stores open for several callers of this process; opened for this one
	// alone when nil.
	Stores *Stores
	Now    func() time.Time // time.Now when nil
	Log    *slog.Logger     // the log in Home when nil
	Debug  io.Writer        // is written what is logged, and more; nil: nobody is told
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

// env is where a caller stands, and what the settings say there. Settings are read when
// they are first asked for.
type env struct {
	Options    Options
	user       *config.Config
	configured string // the store without Options.Store
	warned     bool
}

// opened are the caller's stores, each opened when it is first asked for.
type opened struct {
	env
	LocalStore  *sqlstore.Store   // the local file; nil until Local or Keeper has opened it
	Shared      store.Checkpoints // where checkpoints go, where that is elsewhere and open; else nil
	sharedName  string
	closeLocal  func() error
	closeShared func() error
	carried     bool  // what hooks have saved was carried to the shared store
	unkept      error // why the local file cannot be used; what stands for it is empty
}

// Caller is one caller of Piton: where it stands, its stores, and whose call it is, a
// session's, a model's or a person's. One goroutine uses it at a time. Close it.
type Caller struct {
	opened
	found *string // the session that SessionOf has found; nil: it was not asked
}

// New returns a caller with what its options leave out. It opens nothing yet.
func New(o Options) *Caller {
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
	if o.Debug != nil {
		told := slog.NewTextHandler(o.Debug, &slog.HandlerOptions{Level: slog.LevelDebug})
		o.Log = slog.New(slog.NewMultiHandler(o.Log.Handler(), redact.Handler(told)))
	}
	return &Caller{opened: opened{env: env{Options: o}}}
}

// Close closes the stores that were opened.
func (a *Caller) Close() {
	for _, close := range []func() error{a.closeLocal, a.closeShared} {
		if close != nil {
			close()
		}
	}
}

// notInherited is an environment without what says which session and episode the
// process was started in: that says nothing about a caller that is another process.
func notInherited(getenv func(string) string) func(string) string {
	left := map[string]bool{"PITON_EPISODE": true, "PITON_PROJECT": true}
	for _, c := range clients.All {
		left[c.SessionEnv()] = true
	}
	return func(name string) string {
		if left[name] {
			return ""
		}
		return getenv(name)
	}
}

// Home is where Piton keeps its files.
func (a *env) Home() string { return a.Options.Home }

// Progress makes what is told how far a long work has come.
func (a *env) Progress(what string) func(done, total int64) {
	if a.Options.Progress == nil {
		return func(_, _ int64) {}
	}
	return a.Options.Progress(what)
}

// Now is the time, as it is saved.
func (a *env) Now() piton.Time { return piton.At(a.Options.Now()) }
