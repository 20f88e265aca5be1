package app

import (
	"path/filepath"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/turn"
)

// actions are Piton's own and those of the caller.
func (a *App) actions(own map[string]action.Action) map[string]action.Action {
	var marks []string
	for _, c := range clients.All {
		marks = append(marks, c.Marks()...)
	}
	all := action.All(action.Tools{Version: piton.Version(), Marks: marks})
	all["agent"] = a.agent(a.config("").Run)
	for name, x := range own {
		all[name] = x
	}
	return all
}

// runner is what works on the run.
func (a *App) runner(j *job) *runner.Runner {
	return &runner.Runner{
		Keeper: j.k, Actions: j.actions, Owner: thisOwner(), Alive: turn.OwnerAlive, Now: func() time.Time { return a.o.Now() }, Log: a.o.Log,
		Events: a.telling(j.workflow(), j.r.Events), Getenv: a.o.Getenv, Logs: a.runLogs, Parallel: j.r.Parallel,
	}
}

// runLogs is the folder of a run's logs.
func (a *App) runLogs(run string) string { return filepath.Join(a.o.Home, "runs", run) }
