// Package schedules is what callers do with schedules of plans: a person adds, pauses and
// removes them, everybody sees them, and a daemon begins their runs when they are due
// (docs/spec.md, "Schedules"). When a schedule is due is package cron's, what a run does
// planruns'.
package schedules

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/nearest"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/cron"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
)

// Schedules are the schedules that a caller can reach.
type Schedules struct{ *caller.Caller }

// View is a schedule with what is known of its times and its last run.
type View struct {
	piton.Schedule
	NextTimes  []piton.Time    `json:"next_times,omitempty"`   // when it is due next, three of them; absent: it is paused
	LastStatus piton.RunStatus `json:"last_status,omitempty"`  // of its last run; absent: it has none, or that is gone
	Daemon     bool            `json:"daemon"`                 // a daemon runs in this home, and the schedule is this home's
	Changed    bool            `json:"plan_changed,omitempty"` // the plan's file says otherwise by now
	Plan       string          `json:"plan,omitempty"`         // the plan as it was added; absent: in a list
	Hint       string          `json:"hint,omitempty"`         // what to do now; absent: nothing is to be done
}

// List is schedules by their names.
type List struct {
	Schedules []View `json:"schedules"`      // by their names
	Hint      string `json:"hint,omitempty"` // what to do now; absent: nothing is to be done
}

// open opens the stores. Invalid for a store that keeps no schedules.
func (a Schedules) open(ctx context.Context, existing bool) (history.Keeper, error) {
	k, err := a.Keeper(ctx, existing)
	if err == nil && k.Store.Schedules() == nil {
		err = piton.Errorf(piton.Invalid, "open the schedules", "name another store: 'store sqlite:PATH' or 'store postgres://…'", "a folder of files keeps checkpoints and no schedules")
	}
	return k, err
}

// runs are the runs of this caller.
func (a Schedules) runs() planruns.PlanRuns { return planruns.PlanRuns{Caller: a.Caller} }

// ListSchedules lists schedules of all projects, or of one, by their names.
func (a Schedules) ListSchedules(ctx context.Context, r piton.SchedulesRequest) (List, error) {
	list := List{Schedules: []View{}}
	k, all, err := a.of(ctx, r.InProject)
	if err != nil {
		return list, caller.UnlessMissing(err)
	}
	for _, s := range all {
		v, err := a.view(ctx, k, s)
		if err != nil {
			return list, err
		}
		list.Hint, v.Hint = cmp.Or(list.Hint, v.Hint), ""
		list.Schedules = append(list.Schedules, v)
	}
	return list, nil
}

const noDaemon = "no daemon runs, so no schedule begins a run: 'serve' runs one, 'serve install' has the machine start it"

// of are the schedules of a project, or of all, by their names.
func (a Schedules) of(ctx context.Context, in piton.InProject) (k history.Keeper, all []piton.Schedule, err error) {
	if k, err = a.open(ctx, true); err != nil {
		return k, nil, err
	}
	var q piton.ScheduleQuery
	if in.Project != "" {
		p, err := a.Project(ctx, in.Project, false)
		if err != nil {
			return k, nil, err
		}
		dir, err := a.Path(in.Project)
		if err != nil {
			return k, nil, err
		}
		q = piton.ScheduleQuery{Project: p.ID, Namespace: a.StandingOf(dir).Namespace}
	}
	all, err = k.Store.Schedules().Schedules(ctx, q)
	return k, all, err
}

// nextShown is how many times to come are shown.
const nextShown = 3

// view adds what is known of a schedule's times and its last run.
func (a Schedules) view(ctx context.Context, k history.Keeper, s piton.Schedule) (View, error) {
	v := View{Schedule: s}
	home, err := a.HomeID(ctx)
	if err != nil {
		return v, err
	}
	_, runs := a.Daemon()
	if ours := s.Home == home; ours && !runs {
		v.Hint = noDaemon
	} else {
		v.Daemon = ours
	}
	v.NextTimes = nextTimes(s, a.Now())
	if s.LastRun != "" {
		r, err := k.Store.Runs().Run(ctx, s.LastRun)
		if err != nil && !caller.Missing(err) {
			return v, err
		}
		v.LastStatus = r.Status
	}
	return v, nil
}

// nextTimes are the times to come of a schedule; none of one that is paused, or whose
// zone this machine does not know.
func nextTimes(s piton.Schedule, now piton.Time) (list []piton.Time) {
	times, err := timesOf(s.Times)
	if err != nil || s.Paused {
		return nil
	}
	at := now.Time
	if s.Next.Before(at) { // it is due, and no daemon has looked yet
		at = s.Next.Add(-time.Millisecond)
	}
	for at = cron.First(times, at); !at.IsZero() && len(list) < nextShown; at = cron.First(times, at) {
		list = append(list, piton.At(at))
	}
	return list
}

// ShowSchedule shows a schedule with its plan.
func (a Schedules) ShowSchedule(ctx context.Context, r piton.ScheduleRefRequest) (View, error) {
	k, s, err := a.find(ctx, r)
	if err != nil {
		return View{}, err
	}
	text, err := k.Store.Schedules().SchedulePlan(ctx, s.ID)
	if err != nil {
		return View{}, err
	}
	v, err := a.view(ctx, k, s)
	if v.Plan, v.Changed = string(text), changed(s); v.Changed {
		v.Hint = "the plan's file has changed since, and runs begin with the plan as it was added: 'runs schedule add " + s.PlanFile + " replace' takes it over"
	}
	return v, err
}

// changed tells whether the file of a schedule's plan says otherwise by now. What cannot
// be read tells nothing.
func changed(s piton.Schedule) bool {
	if s.PlanFile == "" {
		return false
	}
	text, err := localfs.ReadPlain(s.PlanFile, maxPlan)
	if err != nil {
		return false
	}
	p, err := plan.Parse(s.PlanFile, text, nil)
	return err == nil && p.Sum() != s.PlanSum
}

// maxPlan bounds the text of a plan.
const maxPlan = 8 << 20

// find finds a schedule by its id or an id's beginning, else by its name: that of the
// caller's project, or the only one.
func (a Schedules) find(ctx context.Context, r piton.ScheduleRefRequest) (k history.Keeper, s piton.Schedule, err error) {
	ref, op := r.Schedule, "find the schedule "+r.Schedule
	if strings.HasPrefix(strings.ToLower(ref), piton.SchedulePrefix) {
		if k, err = a.open(ctx, true); err == nil {
			s, err = k.Store.Schedules().Schedule(ctx, ref)
		}
		return k, s, err
	}
	k, all, err := a.of(ctx, r.InProject)
	if err != nil {
		return k, s, err
	}
	here := ""
	if dir, err := a.Dir(); err == nil {
		here = a.StandingOf(dir).Namespace
	}
	var names []string
	found := 0
	for _, x := range all {
		names = append(names, x.Name)
		switch {
		case x.Name != ref:
		case x.Namespace == here:
			return k, x, nil
		default:
			s, found = x, found+1
		}
	}
	hint := "'runs schedule list' shows what there is"
	switch near := nearest.InHint(ref, names); {
	case found > 1:
		return k, s, piton.Errorf(piton.Conflict, op, "give its id; 'runs schedule list' shows them", "several projects have a schedule of this name")
	case found == 1:
		return k, s, nil
	case near != "":
		hint = fmt.Sprintf("did you mean %q? ", near) + hint
	}
	return k, s, piton.Errorf(piton.NotFound, op, hint, "no schedule has this id or name")
}

// atWork are those of some runs that keep the next one waiting. One that cannot be read
// does.
func (a Schedules) atWork(ctx context.Context, ids []string) (list []string) {
	for _, id := range ids {
		r, err := a.runs().RunNamed(ctx, id)
		if caller.Missing(err) || err == nil && !AtWork(r) {
			continue
		}
		list = append(list, id)
	}
	return list
}

// put writes a schedule, as the one that was read; it is the next version then.
func (a Schedules) put(ctx context.Context, k history.Keeper, s *piton.Schedule) error {
	s.UpdatedAt = a.Now()
	clean, _ := redact.By(k.Redact, *s)
	err := k.Store.Save(ctx, func(tx store.Tx) error { return tx.Schedules.PutSchedule(ctx, clean) })
	if err == nil {
		s.Version++
	}
	return err
}
