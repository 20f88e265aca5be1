// Package app is Piton for the people's side: it opens the stores that the
// settings name, wires the verbs over them, knows where its caller is, and
// answers in named types, which every door prints or sends as they are. It reads
// no flags and prints nothing.
package app

import (
	"cmp"
	"os"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/hook"
	"github.com/piton-project/piton/internal/proc"
)

// App is what doors call: the verbs by what they are about. What it needs is opened when
// it is first asked for, so one caller uses it at a time. Close it.
type App struct {
	*asker
	Checkpoints
	Upkeep
	PlanRuns
	Agents
	Setup
	Insight
}

// The verbs by what they are about.
type (
	Checkpoints struct{ *asker } // saved, listed, loaded, compared, resumed, completed
	Upkeep      struct{ *asker } // stores pruned, purged, verified, carried, exported, imported
	PlanRuns    struct{ *asker } // begun, resumed, listed, steered
	Agents      struct{ *asker } // their sessions and panes, letters to them, the daemon
	Setup       struct{ *asker } // clients' hooks, settings, rules, trust, the service
	Insight     struct{ *asker } // why it was so: status, doctor, decisions, numbers, replays
)

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
	a := &asker{opened: opened{caller: caller{o: o}}}
	return &App{a, Checkpoints{a}, Upkeep{a}, PlanRuns{a}, Agents{a}, Setup{a}, Insight{a}}
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
