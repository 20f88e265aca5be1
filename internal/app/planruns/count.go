package planruns

import (
	"context"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
)

// RunCounts is how many runs are not finished.
type RunCounts struct {
	ByStatus    map[piton.RunStatus]int // every status of a run that is not finished
	LongestWait time.Duration           // of a run that waits for a person
}

// forPerson tells whether a run waits for what does not come by itself: not for a time, and
// not as the run of a step, whose outer run waits too.
func forPerson(r piton.Run) bool {
	return r.Status == piton.RunWaiting && r.DueAt.IsZero() && r.Parent == ""
}

// CountRuns counts the runs that are not finished, by their rows alone. A store that keeps no
// runs has none.
func (a PlanRuns) CountRuns(ctx context.Context) (RunCounts, error) {
	x := RunCounts{ByStatus: map[piton.RunStatus]int{}}
	for _, s := range piton.RunStatuses {
		if !s.Ended() {
			x.ByStatus[s] = 0
		}
	}
	_, runs, err := a.openRuns(ctx, true)
	if piton.CodeOf(err) == piton.Invalid {
		err = nil
	}
	if err != nil || runs == nil {
		return x, caller.UnlessMissing(err)
	}
	open, err := runs.Runs(ctx, piton.RunQuery{Open: true})
	for _, r := range open {
		x.ByStatus[r.Status]++
		if forPerson(r) {
			x.LongestWait = max(x.LongestWait, a.Options.Now().Sub(r.UpdatedAt.Time))
		}
	}
	return x, err
}
