// Package schedules is what callers do with schedules of plans: a person adds, pauses and
// removes them, everybody sees them, and a daemon begins their runs when they are due
// (docs/spec.md, "Schedules"). When a schedule is due is package cron's, what a run does
// planruns'.
package schedules

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/nearest"
	"github.com/piton-project/piton/internal/run/cron"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
)

// Schedules are the schedules that a caller can reach.
type Schedules struct{ *caller.Caller }

// open opens the stores. Invalid for a store that keeps no schedules.
func (a Schedules) open(ctx context.Context, existing bool) (history.Keeper, store.ScheduleReader, error) {
	k, err := a.Keeper(ctx, existing)
	if err != nil {
		return k, nil, err
	}
	if k.Store.Schedules() == nil {
		return k, nil, piton.Errorf(piton.Invalid, "open the schedules", "name another store: 'store sqlite:PATH' or 'store postgres://…'", "a folder of files keeps checkpoints and no schedules")
	}
	return k, k.Store.Schedules(), nil
}

// runs are the runs of this caller.
func (a Schedules) runs() planruns.PlanRuns { return planruns.PlanRuns{Caller: a.Caller} }

// ListSchedules lists schedules of all projects, or of one, by their names.
func (a Schedules) ListSchedules(ctx context.Context, r piton.SchedulesRequest) (List, error) {
	list := List{Schedules: []View{}}
	k, reader, err := a.open(ctx, true)
	if err != nil {
		return list, caller.UnlessMissing(err)
	}
	q, err := a.query(ctx, r.InProject)
	if caller.Missing(err) {
		return list, nil
	}
	if err != nil {
		return list, err
	}
	all, err := reader.Schedules(ctx, q)
	if err != nil {
		return list, err
	}
	for _, s := range all {
		v, err := a.view(ctx, k, s)
		if err != nil {
			return list, err
		}
		list.Schedules = append(list.Schedules, v)
		if list.Hint == "" && v.ours && !v.Daemon {
			list.Hint = noDaemon
		}
	}
	return list, nil
}

const noDaemon = "no daemon runs, so no schedule begins a run: 'serve' runs one, 'serve install' has the machine start it"

// hintFor is what helps who has named a schedule that is not there.
func hintFor(name string, names []string) string {
	hint := "'runs schedule list' shows what there is"
	if near := nearest.InHint(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q? ", near) + hint
	}
	return hint
}

// query selects the schedules of a project, or of all.
func (a Schedules) query(ctx context.Context, in piton.InProject) (q piton.ScheduleQuery, err error) {
	if in.Project == "" {
		return q, nil
	}
	p, err := a.Project(ctx, in.Project, false)
	if err != nil {
		return q, err
	}
	dir, err := a.Path(in.Project)
	return piton.ScheduleQuery{Project: p.ID, Namespace: a.StandingOf(dir).Namespace}, err
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
	v.ours = s.Home == home
	v.Daemon = v.ours && runs
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
	k, reader, s, err := a.find(ctx, r)
	if err != nil {
		return View{}, err
	}
	v, err := a.view(ctx, k, s)
	if err != nil {
		return v, err
	}
	text, err := reader.SchedulePlan(ctx, s.ID)
	if err != nil {
		return v, err
	}
	v.Plan, v.Changed = string(text), changed(s)
	switch {
	case v.Changed:
		v.Hint = "the plan's file has changed since, and runs begin with the plan as it was added: 'runs schedule add " + s.PlanFile + " replace' takes it over"
	case v.ours && !v.Daemon:
		v.Hint = noDaemon
	}
	return v, nil
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
func (a Schedules) find(ctx context.Context, r piton.ScheduleRefRequest) (k history.Keeper, reader store.ScheduleReader, s piton.Schedule, err error) {
	ref, op := r.Schedule, "find the schedule "+r.Schedule
	if k, reader, err = a.open(ctx, true); err != nil {
		return k, nil, s, err
	}
	if strings.HasPrefix(strings.ToLower(ref), piton.SchedulePrefix) {
		s, err = reader.Schedule(ctx, ref)
		return k, reader, s, err
	}
	q, err := a.query(ctx, r.InProject)
	if err != nil {
		return k, reader, s, err
	}
	all, err := reader.Schedules(ctx, q)
	if err != nil {
		return k, reader, s, err
	}
	var names []string
	named := slices.DeleteFunc(slices.Clone(all), func(x piton.Schedule) bool {
		names = append(names, x.Name)
		return x.Name != ref
	})
	if dir, errDir := a.Dir(); errDir == nil && len(named) > 1 {
		here := a.StandingOf(dir).Namespace
		if i := slices.IndexFunc(named, func(x piton.Schedule) bool { return x.Namespace == here }); i >= 0 {
			named = named[i : i+1]
		}
	}
	switch len(named) {
	case 0:
		return k, reader, s, piton.Errorf(piton.NotFound, op, hintFor(ref, names), "no schedule has this id or name")
	case 1:
		return k, reader, named[0], nil
	}
	return k, reader, s, piton.Errorf(piton.Conflict, op, "give its id; 'runs schedule list' shows them", "several projects have a schedule of this name")
}
