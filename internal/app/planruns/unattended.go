package planruns

import (
	"context"
	"errors"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
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

// UnattendedRuns are what a daemon looks after.
type UnattendedRuns struct {
	Runs    []Unattended
	Queue   *Queue // those that are queued; nil: there is no store
	Waiting int    // runs that wait for a person
}

// ErrDaemonStopped is why a daemon ends its runs: the next one goes on with them.
var ErrDaemonStopped = errors.New(runner.HandedOver)

// RunEvent is what happens in a run.
type RunEvent = runner.Event

// Unattended lists the runs whose owner has died, and those of this home's daemon that
// can go on: the last daemon has given them up, or a person has answered.
func (a PlanRuns) Unattended(ctx context.Context) (UnattendedRuns, error) {
	var out UnattendedRuns
	k, runs, err := a.openRuns(ctx, true)
	if err != nil {
		if caller.Missing(err) || runs == nil && piton.CodeOf(err) == piton.Invalid {
			err = nil // nothing was saved, or the store keeps no runs
		}
		return out, err
	}
	open, err := runs.Runs(ctx, piton.RunQuery{Open: true})
	wakes := map[string]bool{} // by what their steps' runs wait for no more; those are younger
	if err != nil {
		return out, err
	}
	home, err := a.HomeID(ctx)
	if err != nil {
		return out, err
	}
	out.Queue = a.newQueue(runs, open, home)
	for _, r := range open {
		row := a.row(r)
		if r.Status == piton.RunWaiting && r.DueAt.IsZero() && r.Parent == "" {
			out.Waiting++
		}
		if r.Status == piton.RunQueued || !mayGoOn(row) { // what is queued has its own order
			continue
		}
		// Runs that wait are asked about often: without an answer their state is not read.
		answers, err := runs.Answers(ctx, r.ID)
		due := !r.DueAt.IsZero() && !r.DueAt.After(a.Now().Time) || wakes[r.ID]
		if err == nil && r.Status == piton.RunWaiting && len(answers) == 0 && !due {
			continue
		}
		var facts runFacts
		if err == nil {
			facts, _, _, err = a.facts(ctx, k, runs, row)
		}
		if err != nil {
			a.Options.Log.WarnContext(ctx, "nobody works on a run, and it cannot be read whether it goes on", "run", r.ID, "err", err)
			continue
		}
		facts.answered = facts.answered || due
		if r.Parent != "" { // it goes on with the run whose step it is
			wakes[r.Parent] = wakes[r.Parent] || facts.answered
			continue
		}
		if x, ok := unattended(row, facts); ok {
			if why := a.notThere(a.olderPlace(r), r.Dir); x.GoesOn && r.Dir != "" && why != "" {
				x.GoesOn, x.Why = false, x.Why+", and "+why
			}
			out.Runs = append(out.Runs, x)
		}
	}
	slices.Reverse(out.Runs) // in the order they began in
	return out, err
}

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
