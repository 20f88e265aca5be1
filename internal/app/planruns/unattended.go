package planruns

import (
	"errors"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
)

// Unattended is an unfinished run on which nobody works and for which no person's word
// is missing.
type Unattended struct {
	Run RunRow
	// GoesOn: the daemon of this home continues it by itself. Else a person is told.
	GoesOn bool
	Why    string // in words, for people
}

// ErrDaemonStopped is why a daemon ends its runs: the next one goes on with them.
var ErrDaemonStopped = errors.New(runner.HandedOver)

// RunEvent is what happens in a run.
type RunEvent = runner.Event

// RunWidth is how many runs a daemon works on at once.
func (a PlanRuns) RunWidth() int { return a.Config("").Serve.Runs }

// mayGoOn tells from the row alone whether it is worth reading more of a run.
func mayGoOn(r RunRow) bool {
	switch r.Status {
	case piton.RunRunning:
		return !r.Works()
	case piton.RunStopped:
		return r.Error == runner.HandedOver
	case piton.RunQueued:
		return true
	}
	return r.Status == piton.RunWaiting
}

// unattended decides what becomes of a run (docs/spec.md, "Daemon"): a pure function.
//
// After a crash a run goes on if its plan says 'on_crash: continue', or says nothing
// and a daemon has worked on it; then nobody sits before it who would see that it has
// ended. A plan that says 'on_crash: ask' waits for a person. One whose daemon was
// stopped goes on, and so does one of a daemon whose question a person has answered.
func unattended(r RunRow, f runFacts) (Unattended, bool) {
	x := Unattended{Run: r}
	switch {
	case r.Status == piton.RunRunning:
		x.Why = "the process that worked on it has ended"
		x.GoesOn = f.here && f.onCrash == plan.Continue || f.ours && f.onCrash != plan.Ask
	case r.Status == piton.RunQueued:
		x.Why, x.GoesOn = "it is its turn", true
	case r.Status == piton.RunStopped:
		x.Why, x.GoesOn = "its daemon was stopped", true
	default:
		x.Why, x.GoesOn = "what it waited for is there", f.answered
	}
	if r.Status != piton.RunRunning && (!f.ours || !x.GoesOn) {
		return x, false
	}
	return x, true
}
