package schedules

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/cron"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

// AddRequest asks for a schedule.
type AddRequest struct {
	piton.ScheduleRequest
	Plan []byte // the text of the plan
	File string // the plan's file, as messages name it; "-": none
	Dir  string // where the steps work; "": where the plan says
}

const addOp = "add a schedule"

// AddSchedule adds a schedule of a plan, which is kept as it is now. A person does this:
// what a repository or an agent proposes starts nothing. Conflict where the project has
// one of this name, and Replace is not set.
func (a Schedules) AddSchedule(ctx context.Context, r AddRequest) (View, error) {
	if err := a.ByPerson(ctx, addOp, "an agent does not schedule its own work"); err != nil {
		return View{}, err
	}
	if r.Project != "" {
		dir, err := a.Path(r.Project)
		if err == nil && r.File != "-" {
			r.File, err = a.Path(r.File)
		}
		if err != nil {
			return View{}, err
		}
		a.Options.Dir = dir
	}
	s, err := a.proposed(ctx, r)
	if err != nil {
		return View{}, err
	}
	k, err := a.open(ctx, false)
	if err != nil {
		return View{}, err
	}
	p, err := a.Project(ctx, "", true)
	if err != nil {
		return View{}, err
	}
	if s.Home, err = a.HomeID(ctx); err != nil {
		return View{}, err
	}
	s.Project = p.ID
	text, inPlan := redact.By(a.RedactRules(), string(r.Plan))
	clean, secrets := redact.By(a.RedactRules(), s)
	if len(inPlan) > 0 {
		secrets = append(secrets, "the plan")
	}
	if len(secrets) > 0 {
		return View{}, piton.Errorf(piton.Invalid, addOp, "write ${env:NAME} in the plan, and set the variable for the daemon", "what looks like a secret stands in %s", strings.Join(secrets, ", "))
	}
	old, err := k.Store.Schedules().Schedules(ctx, piton.ScheduleQuery{Namespace: s.Namespace})
	if err != nil {
		return View{}, err
	}
	err = k.Store.Save(ctx, func(tx store.Tx) error {
		for _, x := range old {
			if x.Name == s.Name && r.Replace {
				if err := tx.Schedules.DeleteSchedule(ctx, x.ID); err != nil {
					return err
				}
			}
		}
		return tx.Schedules.AddSchedule(ctx, clean, text)
	})
	if err != nil {
		return View{}, err
	}
	s.Version = 1
	return a.view(ctx, k, s)
}

// proposed is the schedule that is asked for. The plan is checked as for a run that
// nobody can be asked about.
func (a Schedules) proposed(ctx context.Context, r AddRequest) (s piton.Schedule, err error) {
	p, err := plan.Parse(r.File, r.Plan, nil)
	if err != nil {
		return s, err
	}
	own := *cmp.Or(p.Schedule, &plan.Schedule{})
	now, fileName := a.Now(), strings.TrimSuffix(filepath.Base(r.File), filepath.Ext(r.File))
	if r.File == "-" {
		fileName = ""
	}
	s = piton.Schedule{
		ID: piton.NewID(piton.SchedulePrefix), Name: cmp.Or(r.Name, p.Name, fileName), PlanSum: p.Sum(), Query: r.Query, Inputs: r.Inputs,
		Overlap: cmp.Or(piton.Overlap(r.Overlap), own.Overlap, piton.OverlapSkip), CatchUp: cmp.Or(piton.CatchUp(r.CatchUp), own.CatchUp, piton.CatchUpOne),
		Host: caller.ThisOwner().Host, AddedBy: planruns.UserName(), CreatedAt: now, UpdatedAt: now,
	}
	s.Workflow = cmp.Or(r.Workflow, p.Name, s.Name)
	if err := checkName(s.Name); err != nil {
		return s, err
	}
	within := cmp.Or(time.Duration(own.Within), piton.DefaultWithin)
	if r.Within != "" {
		if within, err = caller.ParseSpan(r.Within); err != nil {
			return s, err
		}
	}
	if within <= 0 || within > maxWithin {
		return s, piton.Errorf(piton.Invalid, addOp, "give a time up to 31d: 'within 12h'", "times that are caught up cannot be %s old", plan.Duration(within))
	}
	s.Within = within.Milliseconds()
	if s.Times, err = chosen(r, own); err != nil {
		return s, err
	}
	times, err := timesOf(s.Times)
	if err != nil {
		return s, &piton.Error{Code: piton.Invalid, Op: addOp, Hint: "'cron CRON' takes five fields, minute, hour, day of the month, month, day of the week, as in \"0 2 * * *\"", Err: err}
	}
	s.Next = piton.At(cron.First(times, now.Time))
	return s, a.placed(ctx, r, p, &s)
}

// placed notes where a schedule's runs belong and work, and checks that one could begin.
func (a Schedules) placed(ctx context.Context, r AddRequest, p plan.Plan, s *piton.Schedule) error {
	q := planruns.RunRequest{File: r.File, Dir: r.Dir, DryRun: true}
	q.Plan, q.Workflow, q.Query, q.New = r.Plan, s.Workflow, s.Query, true
	q.Inputs = inputsAt(*s, s.Next)
	if _, err := a.runs().Run(ctx, q); err != nil {
		return err
	}
	at, file, work, err := a.runs().StandsAt(q)
	if err != nil {
		return err
	}
	s.Namespace, s.PlanFile, s.WorkDir = at.Namespace, file, work
	s.Dir, err = a.Dir()
	return err
}

// maxName bounds the name of a schedule.
const maxName = 100

func checkName(name string) error {
	switch {
	case name == "":
		return piton.Errorf(piton.Invalid, addOp, "give it one: 'name NAME'", "the schedule and its plan have no name")
	case len(name) > maxName, strings.TrimSpace(name) != name, piton.Printable(name) != name, strings.HasPrefix(strings.ToLower(name), piton.SchedulePrefix):
		return piton.Errorf(piton.Invalid, addOp, "give it a short one: 'name nightly'", "%q cannot be a schedule's name", name)
	}
	return nil
}

// chosen are the times of a schedule: the caller's, else the plan's. What names no zone
// goes by the caller's, else by this machine's.
func chosen(r AddRequest, own plan.Schedule) (list []piton.CronTime, err error) {
	for _, text := range r.Cron {
		list = append(list, piton.CronTime{Cron: strings.TrimSpace(text)})
	}
	if len(list) == 0 {
		list = append(list, own.Times...)
	}
	if len(list) == 0 {
		return nil, piton.Errorf(piton.Invalid, addOp, "'runs schedule add PLAN cron @daily' does so every midnight; or write the key schedule into the plan", "it is not said when")
	}
	for i := range list {
		if r.Timezone != "" && (len(r.Cron) > 0 || list[i].Timezone == "") {
			list[i].Timezone = r.Timezone
		}
		list[i].Timezone = cmp.Or(list[i].Timezone, localZone())
	}
	return list, nil
}

// localZone is the IANA name of this machine's time zone; UTC where it has none.
func localZone() string {
	if name := time.Local.String(); name != "Local" && name != "" {
		return name
	}
	path, err := os.Readlink("/etc/localtime")
	if _, name, ok := strings.Cut(path, "zoneinfo/"); err == nil && ok {
		if _, err := time.LoadLocation(name); err == nil {
			return name
		}
	}
	return "UTC"
}

// inputsAt are the inputs of the run that is due at a time: {date} and {time} are that
// time, in the schedule's first zone.
func inputsAt(s piton.Schedule, at piton.Time) map[string]string {
	local := at.Time
	if zone, err := time.LoadLocation(s.Times[0].Timezone); err == nil {
		local = local.In(zone)
	}
	fill := strings.NewReplacer("{date}", local.Format(time.DateOnly), "{time}", local.Format(time.RFC3339))
	out := map[string]string{}
	for name, text := range s.Inputs {
		out[name] = fill.Replace(text)
	}
	return out
}

// keyOf is the start key of the run that is due at a time.
func keyOf(s piton.Schedule, at piton.Time) string { return fmt.Sprint(s.ID, "/", at) }
