package planruns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
)

// Run runs a plan, or goes on with a run, until nothing more can be done. Conflict
// where the workflow has an unfinished run and neither Resume nor New is set, where
// the plan has changed, or where another process works on the run. How the steps
// went is in the result.
func (a PlanRuns) Run(ctx context.Context, r RunRequest) (RunResult, error) {
	j := job{a: a, r: r}
	if err := j.open(ctx); err != nil {
		return RunResult{}, err
	}
	find := j.find
	if r.Key != "" {
		find = j.begun
	}
	if err := find(ctx); err != nil {
		return RunResult{}, err
	}
	if err := j.leave(); err != nil {
		return RunResult{}, err
	}
	if j.before != nil && r.DryRun {
		return RunResult{}, piton.Errorf(piton.Conflict, "run "+cmp.Or(j.plan.Name, r.File), "'runs show "+j.before.ID+"' shows it", "the key %q has begun %s, which would be the answer", r.Key, j.before.ID)
	}
	if j.before != nil {
		return j.standsAs(ctx, *j.before)
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
	for try := 0; !j.fresh(); try++ {
		x, err := j.resume(ctx)
		if piton.CodeOf(err) != piton.Conflict || r.Key == "" || try == maxStarts {
			return x, err
		}
		now, errRun := j.runs.Run(ctx, j.run.ID)
		switch {
		case errRun == nil && now.Status.Ended(): // another start of the key was faster
			return j.standsAs(ctx, now)
		case errRun != nil || now.Fence == j.run.Fence || now.Owner != (piton.Owner{}):
			return x, err
		}
		j.run = now
	}
	for try := 0; ; try++ {
		x, err := j.start(ctx)
		if piton.CodeOf(err) != piton.Conflict {
			return x, err
		}
		was, again, err := j.lost(ctx, x.RunID, err)
		switch {
		case err == nil:
			return was, nil
		case !again || try == maxStarts:
			return x, err
		}
	}
}

// maxStarts bounds how often a start is tried again that others have come before.
const maxStarts = 3

// open opens the stores and reads the plan. A plan that cannot be used touches no
// store.
func (j *job) open(ctx context.Context) (err error) {
	if (j.r.Ask != nil || j.r.Accept != nil) && j.a.CallingAgent(ctx) != "" {
		j.r.Ask, j.r.Accept, j.r.Propose = nil, nil, nil // an agent answers no questions for a person
	}
	if n := j.r.Parallel; n < 0 || n > plan.MaxParallel {
		return piton.Errorf(piton.Invalid, "", fmt.Sprintf("give a number from 1 to %d, or leave it out for the plan's", plan.MaxParallel), "%d steps cannot run at once", n)
	}
	j.actions, j.given = j.a.actions(j.r.Actions), map[string]any{}
	for name, v := range j.r.Inputs {
		j.given[name] = v
	}
	if j.r.Plan != nil {
		p, err := plan.Parse(j.r.File, j.r.Plan, action.Known(j.actions))
		if err != nil {
			return err
		}
		j.plan = &p
		for _, note := range p.Notes {
			j.a.Options.Warn(piton.Errorf(piton.Invalid, "run "+cmp.Or(j.r.File, "the plan"), "leave it out", "%s", note))
		}
	}
	if j.budget, err = readBudget(j.r.RunBudget); err != nil {
		return err
	}
	if j.plan == nil && j.r.Key != "" {
		return piton.Errorf(piton.Invalid, "", "give the plan; 'run resume RUN' continues a run by its id", "a key is for the start of a plan")
	}
	if err := j.stand(); err != nil {
		return err
	}
	if err := j.embed(); err != nil {
		return err
	}
	if j.k, j.runs, err = j.a.openRuns(ctx, j.plan == nil || j.r.DryRun); err != nil {
		if caller.Missing(err) && j.plan != nil && j.r.Ref == "" { // a dry run makes no store
			j.runs = nil
			return nil
		}
		return err
	}
	p, err := j.a.Project(ctx, "", !j.r.DryRun)
	j.project, err = p.ID, caller.UnlessMissing(err)
	if err == nil && j.r.Daemon {
		j.daemon, err = j.a.HomeID(ctx)
	}
	return err
}

// readBudget is a budget as plans have it; nil where nothing is bounded.
func readBudget(b piton.RunBudget) (*plan.Budget, error) {
	if b == (piton.RunBudget{}) {
		return nil, nil
	}
	p := plan.Budget{Tokens: b.MaxTokens, CostUSD: b.MaxCost, Tries: b.MaxTries}
	if b.MaxTime != "" {
		d, err := caller.ParseSpan(b.MaxTime)
		if err != nil {
			return nil, err
		}
		p.Time = plan.Duration(d)
	}
	finite := p.CostUSD >= 0 && !math.IsInf(p.CostUSD, 1) // false for NaN
	if p.Tokens < 0 || p.Tries < 0 || !finite {
		return nil, piton.Errorf(piton.Invalid, "", "give a number from 0 on, or leave it out for no bound", "a bound is negative or no number")
	}
	return &p, nil
}

func (j *job) start(ctx context.Context) (RunResult, error) {
	file, dir, err := j.places()
	if err != nil {
		return RunResult{}, err
	}
	if work := (runner.Request{Plan: *j.plan, WorkDir: j.r.Dir, Dir: dir, PlanFile: file}).Folder(); j.r.Daemon && work != "" {
		if _, err := j.a.folder(work); err != nil {
			return RunResult{}, err
		}
	}
	if j.plan.Name == "" && j.r.Workflow == "" {
		j.a.Options.Warn(piton.Errorf(piton.Invalid, "run "+cmp.Or(j.r.File, "the plan"), "write 'name: NAME' into the plan, or name the workflow: 'workflow NAME'",
			"the plan has no name, so this run is a workflow of its own: no later run of the plan finds it"))
	}
	var key *piton.StartKey
	if j.r.Key != "" {
		k := j.startKey()
		key = &k
	}
	out, err := j.a.runner(j).Start(ctx, runner.Request{
		Root: j.at.Root, Namespace: j.at.Namespace, Host: caller.ThisOwner().Host, WorkDir: j.r.Dir, Key: key, Queue: j.r.Queue,
		Plan: *j.plan, Query: j.r.Query, Inputs: j.inputs, Workflow: j.r.Workflow, Project: j.project, Session: j.a.Session(ctx),
		Dir: dir, PlanFile: file, New: j.r.New, NoAuto: j.r.NoAutoCheckpoint, WaitPerson: j.r.Wait, Budget: j.budget, Daemon: j.daemon,
	})
	j.after(ctx, out)
	return j.result(ctx, out), err
}

func (j *job) resume(ctx context.Context) (RunResult, error) {
	for _, may := range []func(context.Context) error{j.mayTakeUp, j.mayJudge, j.mayMove, j.mayRepeat} {
		if err := may(ctx); err != nil {
			return RunResult{}, err
		}
	}
	again, err := j.again(ctx)
	if err == nil {
		again.Accepted, err = j.proposed(ctx, again)
	}
	if err != nil {
		return RunResult{}, err
	}
	j.sayChanged(again.PlanFile)
	out, err := j.a.runner(j).Resume(ctx, again)
	j.after(ctx, out)
	return j.result(ctx, out), err
}

// after tells the runs around a run what has become of it: those of its steps end with it,
// and the one whose step it is goes on where a daemon has it.
func (j *job) after(ctx context.Context, out runner.Outcome) {
	if err := j.tellOthers(ctx, out); err != nil {
		j.a.Options.Log.WarnContext(ctx, "the runs around a run were not told of its end", "run", out.RunID, "err", err)
	}
}

func (j *job) tellOthers(ctx context.Context, out runner.Outcome) (err error) {
	ctx = context.WithoutCancel(ctx)
	if out.Run.Status == piton.RunCancelled {
		err = j.a.cancelChildren(ctx, j.k, out.Run)
	}
	told := out.Run.Status.Ended() || out.Run.Status == piton.RunFailed || out.Run.Daemon == piton.EngineTemporal && out.Run.Status != piton.RunQueued
	if of := out.Run.Parent; of != "" && told {
		ended := runner.ChildEnded(of, out.RunID, j.a.Now())
		err = errors.Join(err, j.k.Store.Save(ctx, func(tx store.Tx) error { return tx.Runs.AnswerRun(ctx, redact.Value(ended)) }))
	}
	return err
}

// sayChanged tells the person that the plan's file is no longer what the run goes on with.
func (j *job) sayChanged(file string) {
	if j.plan != nil || file == "" || j.run.Parent != "" {
		return
	}
	text, err := localfs.ReadPlain(file, maxPlan)
	if err != nil {
		return // the run needs it no more
	}
	p, err := plan.Parse(file, text, action.Known(j.actions))
	if err == nil {
		p, err = embedded(p, j.rootOf(file), file, j.actions)
	}
	if err != nil || p.Sum() != j.run.PlanSum {
		j.a.Options.Warn(piton.Errorf(piton.Conflict, "resume "+j.run.ID, "to see the change, and continue with it: 'run "+file+" resume'", "%s has changed since; the run continues with its plan as it was", file))
	}
}

// again is how the run goes on. A person is asked about a changed plan.
func (j *job) again(ctx context.Context) (runner.Again, error) {
	outputs, by, err := j.outputs(ctx)
	if err != nil {
		return runner.Again{}, err
	}
	accepted, err := j.accepted(ctx)
	if err != nil {
		return runner.Again{}, err
	}
	dir, file, err := j.where(j.run)
	return runner.Again{
		Dir: dir, PlanFile: file, Host: caller.ThisOwner().Host, Root: j.at.Root, Namespace: j.at.Namespace,
		Run: j.run.ID, Key: j.againKey(), Checkpoint: j.checkpoint, Queue: j.r.Queue, Plan: j.plan, AcceptPlan: accepted, Inputs: j.given, Query: j.r.Query,
		Undo: j.r.Undo, From: j.r.From, Redo: j.r.Redo, Took: j.r.Took, Given: outputs, By: by, Budget: j.budget, NoAuto: j.r.NoAutoCheckpoint, WaitPerson: j.r.Wait, Daemon: j.daemon,
		TakeBack: j.r.Engine == piton.EnginePiton,
	}, err
}

// preview is what would run. Of a run that goes on it is what a resume would begin
// with, with its errors.
func (j *job) preview(ctx context.Context) (RunPreview, error) {
	if j.fresh() {
		return RunPreview{Plan: j.plan.Name, Workflow: cmp.Or(j.r.Workflow, j.plan.Name), Inputs: j.inputs, Steps: j.withEffects(*j.plan, runner.State{})}, nil
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
	p := RunPreview{Plan: x.Plan.Name, Workflow: x.Workflow, Run: j.run.ID, Checkpoint: j.checkpoint, Inputs: x.State.Inputs, Steps: j.withEffects(x.Plan, x.State)}
	if p.Checkpoint != "" {
		p.Run = "" // another one begins
	}
	return p, nil
}

// withEffects are the steps with what each would do, and its effect: the plan's, else its
// action's own.
func (j *job) withEffects(p plan.Plan, s runner.State) []RunStep {
	list := runSteps(p, s)
	for i, x := range runner.Whole(p, s).Steps {
		list[i].Does, list[i].ForEach = does(x), forEach(x)
		if u := p.Index(plan.UndoID(x.ID)); u >= 0 {
			list[i].Undo = does(p.Steps[u])
		}
		if act, ok := j.actions[x.Action]; ok && list[i].Effect == "" {
			list[i].Effect = act.Effect(x)
		}
	}
	return list
}

// forEach is what a step runs for, as its plan writes it, shortened.
func forEach(x plan.Step) string {
	switch {
	case x.ForEach != nil:
		return plan.Brief(x.ForEach)
	case x.Matrix != nil:
		return plan.Brief(x.Matrix)
	}
	return ""
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
