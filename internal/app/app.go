// Package app is Piton for the people's side: it opens the stores that the
// settings name, wires the verbs over them, knows where its caller is, and
// answers in named types, which every door prints or sends as they are. It reads
// no flags and prints nothing.
package app

// App is what doors call: the verbs by what they are about. What it needs is opened when
// it is first asked for, so one caller uses it at a time. Close it.
type App struct {
	*asker
	Checkpoints
	Upkeep
	PlanRuns
	Agents
	Setup
	Decisions
	Insight
}

// The verbs by what they are about.
type (
	Checkpoints struct{ *asker } // saved, listed, loaded, compared, resumed, completed
	Upkeep      struct{ *asker } // stores pruned, purged, verified, carried, exported, imported
	Agents      struct{ *asker } // their sessions and panes, letters to them
	Insight     struct{ *asker } // how things stand: status, doctor, what waits for a person
)

// New returns an App for a caller. It opens nothing yet.
func New(o Options) *App {
	a := callerFor(o)
	return &App{a, Checkpoints{a}, Upkeep{a}, PlanRuns{a}, Agents{a}, Setup{a}, Decisions{a}, Insight{a}}
}
