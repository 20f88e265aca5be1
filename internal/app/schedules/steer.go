package schedules

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/cron"
	"github.com/piton-project/piton/internal/store"
)

// PauseSchedule pauses a schedule: it is not due until it is resumed. Runs that it has
// begun go on. Pausing twice changes nothing.
func (a Schedules) PauseSchedule(ctx context.Context, r piton.ScheduleRefRequest) (View, error) {
	return a.change(ctx, "pause", r, func(s *piton.Schedule) error {
		s.Paused, s.Next, s.Pending = true, piton.Time{}, nil
		return nil
	})
}

// ResumeSchedule has a paused schedule go on: it is due at the next of its times, and what
// came meanwhile is not caught up. A person does this.
func (a Schedules) ResumeSchedule(ctx context.Context, r piton.ScheduleRefRequest) (View, error) {
	if err := a.ByPerson(ctx, "resume the schedule "+r.Schedule, "an agent does not schedule its own work"); err != nil {
		return View{}, err
	}
	return a.change(ctx, "resume", r, func(s *piton.Schedule) error {
		if !s.Paused {
			return nil
		}
		times, err := timesOf(s.Times)
		s.Paused, s.Next = false, piton.At(cron.First(times, a.Now().Time))
		return err
	})
}

// TriggerSchedule has a schedule begin a run now, beside its times, also while it is
// paused. Conflict where its last run is at work, and the schedule skips then.
func (a Schedules) TriggerSchedule(ctx context.Context, r piton.ScheduleRefRequest) (View, error) {
	return a.change(ctx, "trigger", r, func(s *piton.Schedule) error {
		if s.Active = a.atWork(ctx, s.Active); s.Overlap == piton.OverlapSkip && len(s.Active) > 0 {
			return piton.Errorf(piton.Conflict, "trigger the schedule "+s.Name, "'runs show "+s.Active[0]+"' shows it; 'runs cancel "+s.Active[0]+"' ends it", "its run %s is at work", s.Active[0])
		}
		if len(s.Pending) >= maxCaughtUp {
			return piton.Errorf(piton.Conflict, "trigger the schedule "+s.Name, "'runs schedule show "+s.Name+"' shows it", "%d of its runs wait for their turn", len(s.Pending))
		}
		s.Pending = append(s.Pending, a.Now())
		return nil
	})
}

// RemoveSchedule removes a schedule. Its runs stay. A person does this.
func (a Schedules) RemoveSchedule(ctx context.Context, r piton.ScheduleRefRequest) (View, error) {
	if err := a.ByPerson(ctx, "remove the schedule "+r.Schedule, "an agent does not remove a person's schedule"); err != nil {
		return View{}, err
	}
	k, s, err := a.find(ctx, r)
	if err != nil {
		return View{}, err
	}
	return View{Schedule: s}, k.Store.Save(ctx, func(tx store.Tx) error { return tx.Schedules.DeleteSchedule(ctx, s.ID) })
}

// maxChanges bounds how often a change is tried again before which another one came.
const maxChanges = 20

// change changes a schedule, and looks again where a daemon has moved it on meanwhile.
func (a Schedules) change(ctx context.Context, verb string, r piton.ScheduleRefRequest, do func(*piton.Schedule) error) (View, error) {
	for try := 1; ; try++ {
		k, s, err := a.find(ctx, r)
		if err != nil {
			return View{}, err
		}
		if err := a.OwnProject(ctx, verb+" the schedule "+s.Name, s.Project, s.Namespace); err != nil {
			return View{}, err
		}
		if err := do(&s); err != nil {
			return View{}, err
		}
		err = a.put(ctx, k, &s)
		if piton.CodeOf(err) == piton.Conflict && try < maxChanges {
			r.Schedule = s.ID
			continue
		}
		if err != nil {
			return View{}, err
		}
		v, err := a.view(ctx, k, s)
		if len(s.Pending)+len(v.NextTimes) == 0 {
			v.Hint = ""
		}
		return v, err
	}
}
