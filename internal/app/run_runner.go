package app

import (
	"path/filepath"
	"time"

	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/turn"
)

// runner is what works on the run.
func (a PlanRuns) runner(j *job) *runner.Runner {
	return &runner.Runner{
		Keeper: j.k, Actions: j.actions, Owner: thisOwner(), Alive: turn.OwnerAlive, Now: func() time.Time { return a.o.Now() }, Log: a.o.Log,
		Events: a.telling(j.workflow(), j.r.Events), Getenv: a.o.Getenv, Logs: a.runLogs, Parallel: j.r.Parallel,
	}
}

// runLogs is the folder of a run's logs.
func (a PlanRuns) runLogs(run string) string { return filepath.Join(a.o.Home, "runs", run) }
