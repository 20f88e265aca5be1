package app

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/turn"
)

// Run runs a plan, or goes on with a run, until nothing more can be done. Conflict
// where the workflow has an unfinished run and neither Resume nor New is set, where
// the plan has changed, or where another process works on the run. How the steps
// went is in the result.
func (a *App) Run(ctx context.Context, r RunRequest) (RunResult, error) {
	j := job{a: a, r: r}
	if err := j.open(ctx); err != nil {
		return RunResult{}, err
	}
	if err := j.find(ctx); err != nil {
		return RunResult{}, err
	}
	if j.fresh() {
		if len(r.From)+len(r.Redo)+len(r.Took) > 0 {
			return RunResult{}, piton.Errorf(piton.Invalid, "run "+cmp.Or(j.plan.Name, r.File), "name the run: 'run resume RUN'; 'runs list' shows what there is; a new run begins with its first steps",
				"'from', 'redo' and 'took' are for a run that is resumed, and no run of the workflow is unfinished, or none was to be resumed")
		}
		if err := j.fill(j.plan); err != nil {
			return RunResult{}, err
		}
	}
	if r.DryRun {
		p, err := j.preview(ctx)
		return RunResult{Preview: &p}, err
	}
	if j.fresh() {
		return j.start(ctx)
	}
	return j.resume(ctx)
}

// open opens the stores and reads the plan. A plan that cannot be used touches no
// store.
func (j *job) open(ctx context.Context) (err error) {
	if (j.r.Ask != nil || j.r.Accept != nil) && j.a.callingAgent(ctx) != "" {
		j.r.Ask, j.r.Accept = nil, nil // an agent answers no questions for a person
	}
	if n := j.r.Parallel; n < 0 || n > plan.MaxParallel {
		return piton.Errorf(piton.Invalid, "", fmt.Sprintf("give a number from 1 to %d, or leave it out for the plan's", plan.MaxParallel), "%d steps cannot run at once", n)
	}
	j.actions = j.a.actions(j.r.Actions)
	if j.r.Plan != nil {
		p, err := plan.Parse(j.r.File, j.r.Plan, action.Known(j.actions))
		if err != nil {
			return err
		}
		j.plan = &p
	}
	if j.budget, err = j.r.Budget.read(); err != nil {
		return err
	}
	if j.k, j.runs, err = j.a.openRuns(ctx, j.plan == nil || j.r.DryRun); err != nil {
		if missing(err) && j.plan != nil && j.r.Ref == "" { // a dry run makes no store
			j.runs = nil
			return nil
		}
		return err
	}
	p, err := j.a.Project(ctx, "", !j.r.DryRun)
	if missing(err) {
		err = nil
	}
	j.project = p.ID
	if err == nil && j.r.Daemon {
		j.daemon, err = j.a.homeID(ctx)
	}
	return err
}

// read is the budget as plans have it; nil where nothing is bounded.
func (b RunBudget) read() (*plan.Budget, error) {
	if b == (RunBudget{}) {
		return nil, nil
	}
	p := plan.Budget{Tokens: b.Tokens, CostUSD: b.CostUSD, Tries: b.Tries}
	if b.Time != "" {
		d, err := ParseSpan(b.Time)
		if err != nil {
			return nil, err
		}
		p.Time = plan.Duration(d)
	}
	if p.Tokens < 0 || p.CostUSD < 0 || p.Tries < 0 || math.IsNaN(p.CostUSD) || math.IsInf(p.CostUSD, 0) {
		return nil, piton.Errorf(piton.Invalid, "", "give a number from 0 on, or leave it out for no bound", "a bound is negative or no number")
	}
	return &p, nil
}

// start begins a run.
func (j *job) start(ctx context.Context) (RunResult, error) {
	file, dir, err := j.places()
	if err != nil {
		return RunResult{}, err
	}
	if j.plan.Name == "" && j.r.Workflow == "" {
		j.a.o.Warn(piton.Errorf(piton.Invalid, "run "+cmp.Or(j.r.File, "the plan"), "write 'name: NAME' into the plan, or name the workflow: 'workflow NAME'",
			"the plan has no name, so this run is a workflow of its own: no later run of the plan finds it"))
	}
	out, err := j.a.runner(j).Start(ctx, runner.Request{
		Plan: *j.plan, Query: j.r.Query, Inputs: j.inputs, Workflow: j.r.Workflow, Project: j.project, Session: j.a.Session(ctx),
		Dir: dir, PlanFile: file, New: j.r.New, NoAuto: j.r.NoAuto, WaitPerson: j.r.Wait, Budget: j.budget, Daemon: j.daemon,
	})
	return j.result(out), err
}

// places are the plan's file, "" for none, and the folder to which the plan's own
// setting is relative: where the file is, else the caller's.
func (j *job) places() (file, dir string, err error) {
	if dir, err = j.a.dir(); err != nil {
		return "", "", err
	}
	if j.r.File != "" && j.r.File != "-" && !j.r.FileLess {
		if file, err = j.a.path(j.r.File); err != nil {
			return "", "", err
		}
		dir = filepath.Dir(file)
	}
	return file, dir, nil
}

// resume goes on with a run.
func (j *job) resume(ctx context.Context) (RunResult, error) {
	again, err := j.again(ctx)
	if err != nil {
		return RunResult{}, err
	}
	out, err := j.a.runner(j).Resume(ctx, again)
	return j.result(out), err
}

// again is how the run goes on. A person is asked about a changed plan.
func (j *job) again(ctx context.Context) (runner.Again, error) {
	given := map[string]any{}
	for k, v := range j.r.Inputs {
		given[k] = v
	}
	accepted, err := j.accepted(ctx)
	return runner.Again{
		Run: j.run.ID, Checkpoint: j.checkpoint, Plan: j.plan, AcceptPlan: accepted, Inputs: given,
		From: j.r.From, Redo: j.r.Redo, Took: j.r.Took, Budget: j.budget, NoAuto: j.r.NoAuto, WaitPerson: j.r.Wait, Daemon: j.daemon,
	}, err
}

// preview is what would run. Of a run that goes on it is what a resume would begin
// with, with its errors.
func (j *job) preview(ctx context.Context) (RunPreview, error) {
	if j.fresh() {
		return RunPreview{Plan: j.plan.Name, Workflow: cmp.Or(j.r.Workflow, j.plan.Name), Inputs: j.inputs, Steps: j.withEffects(*j.plan, runSteps(*j.plan, runner.State{}))}, nil
	}
	j.r.Accept = nil // nothing is run, so nothing is asked
	again, err := j.again(ctx)
	if err != nil {
		return RunPreview{}, err
	}
	x, err := j.a.runner(j).Preview(ctx, again)
	if err != nil {
		return RunPreview{}, err
	}
	p := RunPreview{Plan: x.Plan.Name, Workflow: x.Workflow, Run: j.run.ID, Checkpoint: j.checkpoint, Inputs: x.State.Inputs, Steps: j.withEffects(x.Plan, runSteps(x.Plan, x.State))}
	if p.Checkpoint != "" {
		p.Run = "" // another one begins
	}
	return p, nil
}

// withEffects names the effect of each step: the plan's, else its action's own.
func (j *job) withEffects(p plan.Plan, list []RunStep) []RunStep {
	for i, x := range p.Steps {
		list[i].Does = does(x)
		if act, ok := j.actions[x.Action]; ok && list[i].Effect == "" {
			list[i].Effect = act.Effect(x)
		}
	}
	return list
}

// does is what a step would do, as its plan writes it, without secrets.
func does(x plan.Step) string {
	var words []string
	for _, name := range strings.Fields("command method url server tool agent prompt message") {
		switch v := x.Parameters[name].(type) {
		case string:
			words = append(words, v)
		case []any:
			for _, word := range v {
				words = append(words, fmt.Sprint(word))
			}
		}
	}
	text, _ := redact.Text(strings.TrimSpace(strings.Join(words, " ")))
	return text
}

// result is the outcome of a run with what to do now.
func (j *job) result(o runner.Outcome) RunResult {
	return RunResult{
		Success: o.Success, RunID: o.RunID, Workflow: cmp.Or(o.Run.Workflow, o.Run.WorkflowID), Status: o.Run.Status, State: o.State, Error: o.Error, Cause: o.Run.Cause,
		Hint: nextStep(j.a.row(o.Run), o.State), DurationMS: o.DurationMS, Recovered: o.Recovered,
	}
}

// actions are Piton's own and those of the caller.
func (a *App) actions(own map[string]action.Action) map[string]action.Action {
	var marks []string
	for _, c := range clients.All {
		marks = append(marks, c.Marks()...)
	}
	all := action.All(action.Tools{Version: piton.Version(), Marks: marks})
	all["agent"] = a.agent(a.config("").Run)
	for name, x := range own {
		all[name] = x
	}
	return all
}

// runner is what works on the run.
func (a *App) runner(j *job) *runner.Runner {
	return &runner.Runner{
		Keeper: j.k, Actions: j.actions, Owner: thisOwner(), Alive: turn.OwnerAlive, Now: func() time.Time { return a.o.Now() }, Log: a.o.Log,
		Events: a.telling(j.workflow(), j.r.Events), Getenv: a.o.Getenv, Logs: a.runLogs, Parallel: j.r.Parallel,
	}
}

// runLogs is the folder of a run's logs.
func (a *App) runLogs(run string) string { return filepath.Join(a.o.Home, "runs", run) }
