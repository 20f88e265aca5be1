package schedules

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/history"
)

// FireSchedules looks once at the schedules that are due, queues at most so many runs and
// logs what has become of each. It says when the next one is due; more: there is more to do
// at once. anew: of those that are not due it is computed anew when they are, because the
// clock may have been set, or the rules of a zone may be others now; a time that was begun
// already begins nothing again. Any number of daemons may look at the same time, and
// be killed at any point: what a daemon has decided is written under the version that it
// has read, and each run begins under a key of its schedule and time.
func (a Schedules) FireSchedules(ctx context.Context, anew bool, most int) (next piton.Time, more bool, err error) {
	k, err := a.open(ctx, true)
	if err != nil {
		if caller.Missing(err) || piton.CodeOf(err) == piton.Invalid {
			err = nil // nothing was saved, or the store keeps none
		}
		return next, false, err
	}
	var home string // all homes of the store, as far as their folders are on this machine
	if !a.Config("").Serve.AllHomes {
		if home, err = a.HomeID(ctx); err != nil {
			return next, false, err
		}
	}
	reader := k.Store.Schedules()
	q := piton.ScheduleQuery{Home: home}
	if !anew {
		q.Due = a.Now()
	}
	list, err := reader.Schedules(ctx, q)
	if err != nil {
		return next, false, err
	}
	for _, s := range list {
		if most <= 0 || ctx.Err() != nil {
			return next, ctx.Err() == nil, ctx.Err()
		}
		if home == "" && a.runs().NotThere(s.Namespace, s.Dir) != "" {
			continue
		}
		begun, err := a.fire(ctx, k, s)
		most -= begun
		if err != nil && piton.CodeOf(err) != piton.Conflict { // else another daemon has it
			a.Options.Log.WarnContext(ctx, "a schedule could not be looked at", "schedule", s.Name, "err", err)
		}
	}
	next, err = reader.NextDue(ctx, home, a.Now())
	return next, false, err
}

// fire decides about the times of a schedule that have come, writes that down, and begins
// the runs that may begin now. It returns how many did.
func (a Schedules) fire(ctx context.Context, k history.Keeper, s piton.Schedule) (begun int, err error) {
	log := a.Options.Log.With("schedule", s.Name)
	s.Active = a.atWork(ctx, s.Active)
	was := s
	if s, err = decided(s, a.Now().Time); err != nil {
		return 0, err
	}
	if !s.Next.Equal(was.Next.Time) {
		if err := a.put(ctx, k, &s); err != nil {
			return 0, err
		}
		if missed, skipped := s.Missed-was.Missed, s.Skipped-was.Skipped; missed+skipped > 0 {
			log.WarnContext(ctx, "times of a schedule have passed without a run", "missed", missed, "skipped", skipped)
		}
	}
	for len(s.Pending) > 0 && !s.TryAgain.After(a.Now().Time) {
		if wait, err := a.waits(ctx, s); wait || err != nil {
			return begun, err
		}
		at := s.Pending[0]
		x, errRun := a.begin(ctx, k, s)
		if ctx.Err() != nil {
			return begun, nil // the daemon is about to end: the next one begins it
		}
		s = settled(s, x, errRun, a.Now().Time)
		if err := a.put(ctx, k, &s); err != nil {
			return begun, err
		}
		if errRun != nil {
			log.WarnContext(ctx, "a schedule could not begin a run", "due", at, "err", errRun, "again", s.TryAgain)
		} else {
			log.InfoContext(ctx, "a schedule has queued a run", "due", at, "run", x.RunID)
		}
		if begun++; !s.TryAgain.IsZero() {
			break
		}
	}
	return begun, nil
}

// waits tells whether the next run of a schedule waits for the last one, which is
// cancelled where the schedule says so. It cancels runs that were at work when the time
// came, and never the one that another daemon has begun for it since.
func (a Schedules) waits(ctx context.Context, s piton.Schedule) (bool, error) {
	if s.Overlap == piton.OverlapAllow || len(s.Active) == 0 {
		return false, nil
	}
	if s.Overlap == piton.OverlapCancel {
		for _, id := range s.Active {
			if _, err := a.runs().SteerRun(ctx, id, piton.WishCancel); err != nil && piton.CodeOf(err) != piton.Conflict && !caller.Missing(err) {
				return true, err
			}
		}
		return len(a.atWork(ctx, s.Active)) > 0, nil
	}
	return true, nil
}

// begin queues the run of the first time that waits, or finds that it was begun.
func (a Schedules) begin(ctx context.Context, k history.Keeper, s piton.Schedule) (planruns.RunResult, error) {
	if why := a.runs().NotThere(s.Namespace, s.Dir); why != "" {
		return planruns.RunResult{}, piton.Errorf(piton.Conflict, "begin a run of the schedule "+s.Name, "", "%s", why)
	}
	text, err := k.Store.Schedules().SchedulePlan(ctx, s.ID)
	if err != nil {
		return planruns.RunResult{}, err
	}
	o := a.Options
	o.Dir = s.Dir
	c := caller.New(o)
	defer c.Close()
	c.NoSession()
	r := planruns.RunRequest{File: s.PlanFile, FileLess: s.PlanFile == "", Dir: s.WorkDir, Queue: true, Daemon: true, KeyHere: true}
	r.Plan, r.Workflow, r.Query, r.Key, r.Inputs = text, s.Workflow, s.Query, keyOf(s, s.Pending[0]), inputsAt(s, s.Pending[0])
	return planruns.PlanRuns{Caller: c}.Run(ctx, r)
}
