// Package app is Piton for the people's side: the verbs for a caller, which answer in named
// types that every door prints or sends as they are. It reads no flags and prints nothing.
package app

import (
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/app/schedules"
)

// App is what doors call: the verbs by what they are about. What it needs is opened when
// it is first asked for, so one caller uses it at a time. Close it.
type App struct {
	*caller.Caller
	Checkpoints
	Upkeep
	planruns.PlanRuns
	schedules.Schedules
	Agents
	installation.Setup
	insight.Insight
	Overview
	marks.Marks
}

// The verbs by what they are about.
type (
	Checkpoints struct{ *caller.Caller } // saved, listed, loaded, compared, resumed, completed
	Upkeep      struct{ *caller.Caller } // stores pruned, purged, verified, carried, exported, imported
	Agents      struct{ *caller.Caller } // their sessions and panes, letters to them
	Overview    struct{ *caller.Caller } // how things stand: status, doctor, what waits for a person
)

// New returns an App for a caller. It opens nothing yet.
func New(o caller.Options) *App {
	a := caller.New(o)
	return &App{a, Checkpoints{a}, Upkeep{a}, planruns.PlanRuns{Caller: a}, schedules.Schedules{Caller: a}, Agents{a}, installation.Setup{Caller: a}, insight.Insight{Caller: a}, Overview{a}, marks.Marks{Caller: a}}
}
