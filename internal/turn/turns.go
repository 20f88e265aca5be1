// Package turn handles what a client's hooks report of an agent's turn: that it
// begins, works and ends. There is one path for all agents; what differs between
// their clients is in package client.
//
// Every event takes the same way down: Handle picks the method of its kind, which
// reads the session, gathers evidence where the kind needs some (gather.go), lets
// pure rules judge it (package debrief, decide.go), prepares a checkpoint
// (save.go), and ends in one short transaction (commit.go) and a reply.
package turn

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/store"
)

// Turns handles the events of one client.
type Turns struct {
	// Open returns the local file: sessions and checkpoints under one lock, so
	// that a decision, its markers and its checkpoint are written together. It is
	// called once, early, and may run while git does.
	Open     func(ctx context.Context) (*store.Local, error)
	Client   client.Client
	Settings func(root string) debrief.Settings
	// Changed are the settings in a turn that changed the project's file: was is
	// its text before, nil where there was none. Settings when nil.
	Changed func(root string, was *string) debrief.Settings
	// Listeners are those of a work tree that are told of agents; nil: nobody is.
	Listeners func(root string) []agent.Listener

	// Marks opens what takes the marks of a work tree's files; nil, and its nils: none are taken there.
	Marks func(root string) func() *keep.Taker

	Home    string // PITON_HOME, for the way out
	TempDir string // the same, for sandboxed agents
	Host    string
	Person  func() string    // who uses this account; nil: nobody is named
	Now     func() time.Time // time.Now when nil
	Log     *slog.Logger     // silent when nil
	Began   time.Time        // when this process began with the event; zero: what it took is not recorded
	// Patience bounds what git may take at an event, all together; 1.7 s when 0.
	Patience time.Duration
	Busy     *Busy // tells the door what has a bound of its own; nil: nobody asks

	// Saves reports whether a checkpoint is made for a reason; nil: for every one.
	Saves func(piton.Trigger) bool
	// Later starts piton with these arguments, to go on when the hook is over;
	// nil: what would be done later is left to the next command.
	Later func(args ...string)
	// Store is the name of the store that what is saved here is carried to; ""
	// where it is the local file.
	Store string
	Bound bool // a session's checkpoints are bounded in number
	Daily bool // the store is to be pruned once a day
}

// patience bounds what git may take at an event, all together: a person waits for the
// hook. With the end of a git that does not end by itself it stays below 2 s. What a
// hook reads besides is bounded by the door. The store has its own bound, the wait for
// its lock: a context that can end would cost every statement a goroutine.
const patience = 1700 * time.Millisecond

func (t Turns) patience() time.Duration { return cmp.Or(t.Patience, patience) }

// Busy counts what a hook does with a bound of its own: the wait for the store's lock,
// and the commands of a person's settings. The rest has the door's.
type Busy struct{ n atomic.Int32 }

// Load is how many such things are at work.
func (b *Busy) Load() int32 {
	if b == nil {
		return 0
	}
	return b.n.Load()
}

// with does something that has a bound of its own; a nil Busy counts nothing.
func (b *Busy) with(do func()) {
	if b != nil {
		b.n.Add(1)
		defer b.n.Add(-1)
	}
	do()
}

// saves reports whether a checkpoint is made for a reason.
func (t Turns) saves(why piton.Trigger) bool { return t.Saves == nil || t.Saves(why) }

func (t Turns) log() *slog.Logger { return cmp.Or(t.Log, slog.New(slog.DiscardHandler)) }

// settings are those in force in a work tree; the built-in ones where nothing
// was handed in.
func (t Turns) settings(root string) debrief.Settings {
	if t.Settings == nil {
		return debrief.DefaultSettings()
	}
	return t.Settings(root)
}

func (t Turns) now() piton.Time {
	if t.Now == nil {
		return piton.At(time.Now())
	}
	return piton.At(t.Now())
}

func (t Turns) keeper(s *store.Local) history.Keeper {
	return history.Keeper{Store: s.Checkpoints, Local: s, StoreName: t.Store, Now: t.Now, Log: t.Log, Host: t.Host, Person: t.Person, Alive: func(x agent.Session) bool { return AtWork(x, t.now()) },
		RunAlive: func(r piton.Run) bool { return RunAlive(r, t.now()) }}
}

// Alive reports whether a session's agent is at work: its process, where that is
// known; else until its end was reported or it has been silent for ten
// minutes.
func Alive(s agent.Session, now piton.Time) bool {
	if !s.EndedAt.IsZero() {
		return false
	}
	if p := s.Process; p.PID != 0 {
		if alive, known := (proc.Identity{PID: p.PID, Start: p.Start, Boot: p.Boot, Space: p.Space}).Alive(); known {
			return alive
		}
	}
	return now.Sub(s.SeenAt.Time) < agent.Quiet
}

// AtWork reports whether a session's agent is at work: it is alive, and does not wait for
// the end of a limit of the API, so that another one may go on with its work.
func AtWork(s agent.Session, now piton.Time) bool {
	return Alive(s, now) && s.Stands(true, now).Wait != agent.WaitLimit
}

// markers are the files that let one stop through: in PITON_HOME, and in the
// temporary folder for agents that may write nowhere else. A folder for each session
// would stay for ever, and to make one can take a millisecond of a stop.
func (t Turns) markers(session string) []string {
	return []string{
		filepath.Join(t.Home, "sessions", "checkpoint_clear_"+session),
		filepath.Join(t.TempDir, "piton_checkpoint_clear_"+session),
	}
}

// takeMarkers removes the markers of a session and reports whether there was
// one.
func (t Turns) takeMarkers(session string) bool {
	there := false
	for _, m := range t.markers(session) {
		there = os.Remove(m) == nil || there
	}
	return there
}

// exit is the marker that a held agent is told of: in PITON_HOME, or in the
// temporary folder where the client lets commands write nowhere else.
func (t Turns) exit(session string) string {
	m := t.markers(session)
	if t.Client.Program().Confined {
		return m[1]
	}
	return m[0]
}

// withExit makes sure that a held agent can make the marker it is told of: where
// the folder of the one cannot be made it is told of the other.
func (t Turns) withExit(session, message string) string {
	m := t.markers(session)
	if !strings.Contains(message, m[0]) {
		return message
	}
	if err := os.MkdirAll(filepath.Dir(m[0]), 0o700); err != nil {
		return strings.ReplaceAll(message, m[0], m[1])
	}
	return message
}
