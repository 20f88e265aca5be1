// Package turn knows what happens when a turn of an agent begins, works and
// ends. There is one path for all agents; what differs stands in package
// agent.
package turn

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Turns handles the events of one client.
type Turns struct {
	// Open returns the local file: sessions and checkpoints under one lock, so
	// that a decision, its markers and its checkpoint land together. It is called
	// once, early, and may run while git does.
	Open     func(ctx context.Context) (*store.Local, error)
	Client   client.Client
	Settings func(root string) debrief.Settings
	// Changed are the settings in a turn that changed the project's file: was is
	// its text before, nil where there was none. Settings when nil.
	Changed func(root string, was *string) debrief.Settings
	Home    string // PITON_HOME, for the way out
	TempDir string // the same, for sandboxed agents
	Host    string
	Now     func() time.Time // time.Now when nil
	Log     *slog.Logger     // silent when nil

	// Saves tells whether a checkpoint is made for a reason; nil: for every one.
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

// patience bounds what git and a transcript may take, all together; the client
// waits 30 s for a prompt and 60 s for a stop. The store has its own bound, the
// wait for its lock: a context that can end would cost every statement a
// goroutine.
const patience = 20 * time.Second

// Bounds of what is kept of texts, in bytes.
const (
	maxMessage = 2000
	maxOutput  = 500
	maxVersion = 100
	maxListed  = 500
)

// Handle takes one event and returns the reply for the client, nil for none.
// It writes what happened in one transaction. An error means that nothing was
// decided: the agent is to be let go; the reply tells the person at most.
func (t Turns) Handle(ctx context.Context, e agent.Event) ([]byte, error) {
	e.ClientID, _ = redact.Known(e.ClientID) // what is kept and what is looked up
	reply, err := t.handle(ctx, e)
	if err != nil {
		return t.Missed(e, err), err
	}
	return reply, nil
}

func (t Turns) handle(ctx context.Context, e agent.Event) ([]byte, error) {
	switch e.Kind {
	case agent.EventSessionStart:
		return t.start(ctx, e)
	case agent.EventPrompt:
		return t.prompt(ctx, e)
	case agent.EventStop:
		if e.Subagent != "" {
			return nil, t.note(ctx, e)
		}
		return t.stop(ctx, e)
	case agent.EventToolUse:
		return nil, t.use(ctx, e)
	case agent.EventToolDone:
		return nil, t.tool(ctx, e)
	case agent.EventStopFailed:
		return nil, t.keep(ctx, e, piton.TriggerError)
	case agent.EventPreCompact:
		return nil, t.keep(ctx, e, piton.TriggerPreCompact)
	case agent.EventSessionEnd:
		if e.Subagent != "" {
			return nil, t.note(ctx, e)
		}
		return nil, t.end(ctx, e)
	case "":
		return nil, nil
	}
	return nil, t.note(ctx, e)
}

// saves tells whether a checkpoint is made for a reason.
func (t Turns) saves(why piton.Trigger) bool { return t.Saves == nil || t.Saves(why) }

func (t Turns) log() *slog.Logger {
	if t.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return t.Log
}

// settings are those in force in a work tree; the built-in ones where nothing
// was handed in.
func (t Turns) settings(root string) debrief.Settings {
	if t.Settings == nil {
		return debrief.DefaultSettings()
	}
	return t.Settings(root)
}

// inForce are the settings that a turn is looked at by.
func (t Turns) inForce(root string, f found) debrief.Settings {
	if was, changed := f.was[settingsFile]; changed && t.Changed != nil {
		return t.Changed(root, was)
	}
	return t.settings(root)
}

// at is the event's moment.
func (t Turns) at(e agent.Event) piton.Time {
	if !e.At.IsZero() {
		return piton.At(e.At)
	}
	if t.Now != nil {
		return piton.At(t.Now())
	}
	return piton.At(time.Now())
}

func (t Turns) keeper(s *store.Local) history.Keeper {
	return history.Keeper{Store: s.Checkpoints, Local: s, StoreName: t.Store, Now: t.Now, Log: t.Log, Host: t.Host, Alive: func(x agent.Session) bool { return Alive(x, t.at(agent.Event{})) }}
}

// root is the work tree an event belongs to: where the client was started,
// else where it is.
func root(e agent.Event) string {
	for _, dir := range []string{e.ProjectDir, e.Cwd} {
		if !filepath.IsAbs(dir) {
			continue
		}
		if r, _, ok := git.Find(dir); ok {
			return r
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return withoutLinks(dir) // as a work tree's root is
		}
	}
	return ""
}

// Alive tells whether a session's agent is at work: its process, where that is
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

// process identifies the client's process, where the event tells of it.
func process(e agent.Event) agent.Process {
	if e.PID <= 0 && e.Child {
		for _, above := range proc.Ancestors() {
			if clients.Runs(above.Name, above.Argv) == e.Agent {
				e.PID = above.PID
				break
			}
		}
	}
	if e.PID <= 0 {
		return agent.Process{}
	}
	id, err := proc.Identify(e.PID)
	if err != nil {
		return agent.Process{}
	}
	return agent.Process{PID: id.PID, Start: id.Start, Boot: id.Boot, Space: id.Space}
}
