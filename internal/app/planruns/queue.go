package planruns

import (
	"cmp"
	"context"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/store"
)

// UnattendedRuns are what a daemon looks after.
type UnattendedRuns struct {
	Runs    []Unattended
	Queue   Queue // those that are queued
	Waiting int   // runs that wait for a person
}

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
	home, errHome := a.HomeID(ctx)
	if err = cmp.Or(err, errHome); err != nil {
		return out, err
	}
	wakes := map[string]bool{} // by what their steps' runs wait for no more; those are younger
	oldest := slices.Clone(open)
	slices.Reverse(oldest)
	out.Queue = a.newQueue(runs, oldest, home)
	for _, r := range open {
		row := a.row(r)
		if forPerson(r) {
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
			facts, _, err = a.facts(ctx, k, runs, row)
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
		if x, ok := a.unattended(row, facts); ok {
			out.Runs = append(out.Runs, x)
		}
	}
	slices.Reverse(out.Runs) // in the order they began in
	return out, err
}

// unattended decides what becomes of a run, whose folder has to be there.
func (a PlanRuns) unattended(row RunRow, f runFacts) (Unattended, bool) {
	x, ok := unattended(row, f)
	if why := a.notThere(row.Run, row.Dir); x.GoesOn && row.Dir != "" && why != "" {
		x.GoesOn, x.Why = false, x.Why+", and "+why
	}
	return x, ok
}

// Queue are the queued runs that the daemon of this home begins, in their order, as far as
// the widths of their plans and projects allow.
type Queue struct {
	a      PlanRuns
	store  store.RunReader
	runs   []piton.Run
	atWork map[string]int // runs, by project and by workflow
	widths map[string]int // of plans, by their sums
}

// newQueue sorts the queue out of all open runs, which are in the order they began in.
func (a PlanRuns) newQueue(runs store.RunReader, open []piton.Run, home string) Queue {
	q := Queue{a: a, store: runs, atWork: map[string]int{}, widths: map[string]int{}}
	for _, r := range open {
		switch {
		case r.Parent != "": // it has the place of the run whose step it is
		case r.Status == piton.RunRunning:
			q.began(r)
		case r.Status == piton.RunQueued && (r.Daemon == home || a.Config("").Serve.AllHomes && r.Daemon != piton.EngineTemporal):
			q.runs = append(q.runs, r)
		}
	}
	return q
}

// Begin has the runs begin that may, and returns how many stay queued. begin tells whether
// one is worked on, and whether others may be too.
func (q Queue) Begin(ctx context.Context, begin func(Unattended) (works, more bool)) (left int) {
	for i, r := range q.runs {
		if q.full(ctx, r) {
			left++
			continue
		}
		x, _ := q.a.unattended(q.a.row(r), runFacts{ours: true})
		works, more := begin(x)
		if works {
			q.began(r)
		} else {
			left++
		}
		if !more {
			return left + len(q.runs[i+1:])
		}
	}
	return left
}

func (q Queue) began(r piton.Run) {
	q.atWork[projectOf(r)]++
	q.atWork[workflowOf(r)]++
}

func projectOf(r piton.Run) string { return cmp.Or(r.Namespace, r.Project) }

func workflowOf(r piton.Run) string {
	return projectOf(r) + "\x00" + cmp.Or(r.Workflow, r.WorkflowID)
}

// full tells whether as many runs of a run's project or plan are worked on as may be. A
// plan that cannot be read bounds nothing: to begin its run says what is wrong with it.
func (q Queue) full(ctx context.Context, r piton.Run) bool {
	if most := q.a.Config("").Serve.Project; most > 0 && q.atWork[projectOf(r)] >= most {
		return true
	}
	n := q.atWork[workflowOf(r)]
	if n == 0 {
		return false
	}
	most, known := q.widths[r.PlanSum]
	if !known {
		p, _ := runner.ReadPlan(ctx, q.store, r.ID)
		most = p.MaxRuns
		q.widths[r.PlanSum] = most
	}
	return most > 0 && n >= most
}

// places are the places of queued runs, which are the newest first, among those of their
// daemon.
func places(queued []piton.Run) map[string]int {
	last, place := map[string]int{}, map[string]int{}
	for _, x := range slices.Backward(queued) {
		last[x.Daemon]++
		place[x.ID] = last[x.Daemon]
	}
	return place
}
