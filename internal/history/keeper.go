// Package history holds the verbs of Piton: save, list, load, inspect, resume,
// fork, complete, delete, prune, import and the others, with the same meaning
// behind every door.
package history

import (
	"context"
	"log/slog"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store"
)

// Keeper keeps the history of agents' work. Its methods are the verbs. Only
// Store must be set; without it every verb is an Internal error that says so.
type Keeper struct {
	Store store.Checkpoints
	Local *store.Local // sessions and projects of this machine; nil: there are none
	// StoreName tells the store that the settings name from others, where that is
	// not the local file; never a password. Beside the local file as Store, as
	// hooks have it, it is the store that what they save is carried to.
	StoreName string
	Archive   store.Archive    // the cold tier; nil: there is none
	Now       func() time.Time // time.Now when nil
	Log       *slog.Logger     // silent when nil
	Host      string           // recorded as origin
	Person    func() string    // who saves, likewise; nil: nobody is named
	Agents    []string         // the clients' names, from which ids of sessions are derived
	// Carries reports which workflows of this machine a flush carries to the
	// store; nil: all.
	Carries func(piton.Workflow) bool
	// OneOff: the store was named for one command and is not the one that this
	// machine is set up to use. Nothing is carried to it, no session goes on in
	// it, and what is deleted there stays here.
	OneOff bool
	// Unowned reports whether what names no project in the store counts as a
	// project's open work, as that of another program's folder; nil: it does not.
	Unowned func(project string) bool
	// Recent remembers the last large state, for a process that saves more than
	// once; nil: every state is prepared as if it were the first.
	Recent *states.Recent
	// Redact says what the user knows to be no secret; nil: nothing.
	Redact *redact.Rules

	// Capture is the state a hook would save for a session now.
	Capture func(ctx context.Context, s agent.Session) ([]byte, error)
	// Validate checks a state against the form of its kind; Invalid names the
	// places. The state it gets has what the caller gave beside it filled in.
	Validate func(kind string, state []byte) error
	// Diff is the change from one state to another, RFC 6902.
	Diff func(from, to []byte) ([]byte, error)
	// Drift compares the work tree with what a checkpoint recorded.
	Drift func(ctx context.Context, c piton.Checkpoint, state []byte) []Drift
	// Since is what the session of a checkpoint did after it; nil where nothing can
	// be said of it.
	Since func(ctx context.Context, c piton.Checkpoint, state []byte) *Since
	// Named is the store as a command has to name it, where it is not the one that
	// the settings name; never a password.
	Named string
	// Indexing is told how far a search has come in reading what is new to it.
	Indexing func(done, total int64)
	// Alive reports whether a session's agent is at work right now.
	Alive func(s agent.Session) bool
	// RunAlive reports whether somebody works on a run right now; nil: nobody does.
	RunAlive func(r piton.Run) bool
}

// Drift is one thing that is no longer as the checkpoint recorded it.
type Drift struct {
	What string `json:"what"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// unset is the error of a verb that needs a field which is not set.
func unset(op, field string) error {
	return piton.Errorf(piton.Internal, op, "set it", "Keeper.%s is not set", field)
}

// ready reports a Keeper without a store as an error.
func (k Keeper) ready(op string) error {
	if k.Store == nil {
		return unset(op, "Store")
	}
	return nil
}

func (k Keeper) now() piton.Time {
	if k.Now == nil {
		return piton.At(time.Now())
	}
	return piton.At(k.Now())
}

func (k Keeper) log() *slog.Logger {
	if k.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return k.Log
}

// alive reports whether the session a checkpoint belongs to is at work. What
// cannot be found is not, nor a caller's own, of which no agent reports.
func (k Keeper) alive(ctx context.Context, session string) bool {
	if session == "" || k.Local == nil || k.Alive == nil {
		return false
	}
	s, err := k.Local.Session(ctx, cleanName(session))
	return err == nil && s.Agent != "" && k.Alive(s)
}

// oneFile reports whether sessions and checkpoints are kept by the same store.
func (k Keeper) oneFile() bool { return k.Local != nil && k.Store == k.Local.Checkpoints }

// own is the store of this machine that keeps what hooks save, where the
// checkpoints' store is another.
func (k Keeper) own() (store.Checkpoints, bool) {
	if k.Local == nil || k.oneFile() {
		return nil, false
	}
	return k.Local.Checkpoints, k.Local.Checkpoints != nil
}

// notFound reports whether err says that something is not there.
func notFound(err error) bool { return piton.CodeOf(err) == piton.NotFound }
