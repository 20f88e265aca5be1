package app

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/store"
)

// job is one call of Run.
type job struct {
	a       *App
	r       RunRequest
	k       history.Keeper
	runs    store.RunReader
	actions map[string]action.Action
	project string
	at      standing
	plan    *plan.Plan // of the file; nil: the run's own
	inputs  map[string]any
	budget  *plan.Budget
	daemon  string // the home whose daemon calls

	before     *piton.Run // that has begun under the caller's key, and is the answer
	run        piton.Run  // that goes on; no id: a new one
	checkpoint string     // from which it goes on, where that is not the newest of a run
	origin     piton.Run  // that the checkpoint comes of
}

func (j *job) fresh() bool { return j.run.ID == "" && j.checkpoint == "" }

// workflow is the name of the run's workflow; "" where it has none, or is not known yet.
func (j *job) workflow() string {
	name := cmp.Or(j.run.Workflow, j.r.Workflow)
	if name == "" && j.plan != nil {
		name = j.plan.Name
	}
	return name
}

// find finds the run that goes on.
func (j *job) find(ctx context.Context) error {
	if j.plan != nil && j.r.Ref == "" {
		return j.findByPlan(ctx)
	}
	ref := j.r.Ref
	switch {
	case ref == "":
		q := piton.RunQuery{Project: j.project, Namespace: j.at.namespace, Open: true, Limit: 1}
		list, err := j.runs.Runs(ctx, q)
		if err != nil {
			return err
		}
		if len(list) == 0 || q.Project+q.Namespace == "" {
			return piton.Errorf(piton.NotFound, "resume a run", "'runs list' shows all runs", "no run of this project is unfinished")
		}
		j.run = list[0]
		return nil
	case strings.HasPrefix(strings.ToLower(ref), piton.CheckpointPrefix):
		return j.findByCheckpoint(ctx, history.Selector{ID: ref})
	}
	r, err := j.a.findRun(ctx, j.k, j.runs, ref)
	if missing(err) && !strings.HasPrefix(ref, piton.RunPrefix) {
		// A plan that another program has saved has no run yet.
		if errOther := j.findByCheckpoint(ctx, history.Selector{Workflow: ref, Project: j.project}); errOther == nil || !missing(errOther) {
			return errOther
		}
	}
	j.run = r
	if err == nil && r.Status.Ended() {
		err = ended(r)
	}
	return err
}

// ended is the error for a run that is to go on and has ended: only another one can
// begin at its checkpoint.
func ended(r piton.Run) error {
	more := ""
	switch {
	case r.CheckpointID == "":
	case r.Status == piton.RunCompleted:
		more = "; 'run resume " + r.CheckpointID + " from STEP' begins another run that repeats a step of it, and what depends on that"
	default:
		more = "; 'run resume " + r.CheckpointID + "' begins another run that goes on from there"
	}
	return piton.Errorf(piton.Conflict, "resume "+r.ID, "'runs show "+r.ID+"' shows what it did"+more, "the run is %s", r.Status)
}

// findByPlan finds the unfinished run of the plan's workflow.
func (j *job) findByPlan(ctx context.Context) error {
	name := cmp.Or(j.r.Workflow, j.plan.Name)
	if name == "" && j.r.Resume { // a new run would repeat what an unfinished one has done
		return piton.Errorf(piton.Invalid, "resume the run of the plan", "give the plan a name, or 'workflow NAME'; 'runs list' shows the unfinished runs, and 'run resume RUN' continues one by its id",
			"the plan has no name, so its unfinished run cannot be found")
	}
	if name == "" || j.runs == nil || j.r.New {
		return nil
	}
	list, err := j.openOf(ctx, name)
	switch {
	case err == nil && len(list) == 0 && j.r.Resume:
		return j.elsewhere(ctx, name)
	case err != nil || len(list) == 0:
		return err
	case j.r.Resume:
		j.run = list[0]
		return nil
	}
	row, goOn := j.a.row(list[0]), "'run "+cmp.Or(j.r.File, "PLAN")+" resume' continues it"
	j.a.setStand(ctx, j.k, j.runs, &row)
	switch {
	case row.Alive == OwnerAlive:
		goOn = "'runs logs " + row.ID + " follow' watches it"
	case row.Waits():
		goOn = row.stood[0].hint
	}
	return piton.Errorf(piton.Conflict, "run "+name, goOn+"; the same command with 'new' begins another one beside it",
		"its run %s is unfinished (%s), in %s", row.ID, row.Word(), row.Dir)
}

// elsewhere refuses to begin anew where the workflow holds an unfinished state of a run
// that this store has never seen, as one that was imported: what it has done would be
// repeated.
func (j *job) elsewhere(ctx context.Context, name string) error {
	c, err := j.k.Find(ctx, history.Selector{Workflow: name, Project: j.project})
	if missing(err) || err == nil && (c.WorkflowType != piton.TypePlan || c.Completed) {
		return nil
	}
	if err != nil {
		return err
	}
	by, err := j.runs.MadeBy(ctx, c.ID)
	if err != nil || by != "" {
		return err
	}
	file := cmp.Or(j.r.File, "PLAN")
	return piton.Errorf(piton.Conflict, "resume "+name, "'run "+file+" resume "+c.ID+"' continues it, 'run "+file+" new' begins another one beside it",
		"the workflow has the unfinished state %s, which no run of this store has made", c.ID)
}

// findByCheckpoint finds the run that a checkpoint belongs to. From its newest
// checkpoint the run goes on; from any other a new one begins on a branch.
func (j *job) findByCheckpoint(ctx context.Context, s history.Selector) error {
	c, err := j.k.Find(ctx, s)
	if err != nil {
		return err
	}
	if c.WorkflowType != piton.TypePlan {
		return piton.Errorf(piton.Invalid, "resume "+c.ID, "'resume "+c.ID+"' prints how to continue it", "it is no plan: its type is %s", c.WorkflowType)
	}
	list, err := j.runs.Runs(ctx, piton.RunQuery{Workflow: c.WorkflowID, Branch: c.Branch, Limit: 1})
	if err != nil {
		return err
	}
	if len(list) > 0 {
		if j.run = list[0]; j.run.CheckpointID == c.ID && !j.run.Status.Ended() {
			return nil
		}
	}
	j.checkpoint = c.ID
	return j.findOrigin(ctx, c)
}

// maxLineage bounds how far before a checkpoint the run is sought that it comes of.
const maxLineage = 1000

// findOrigin finds the run that a checkpoint comes of: the one that has made it or, where
// a person or an agent has saved or forked it, one that has made a checkpoint before it.
func (j *job) findOrigin(ctx context.Context, c piton.Checkpoint) error {
	for range maxLineage {
		by, err := j.runs.MadeBy(ctx, c.ID)
		if err == nil && by != "" {
			j.origin, err = j.runs.Run(ctx, by)
			return unlessMissing(err)
		}
		if err != nil || c.ParentID == "" {
			return err
		}
		if c, err = j.k.Find(ctx, history.Selector{ID: c.ParentID}); err != nil {
			return unlessMissing(err)
		}
	}
	return nil
}

// keeps says which of the changed steps are completed, a line each: their change
// does nothing unless they run again.
func (j *job) keeps(ctx context.Context, changes []plan.Change) string {
	s, _, err := runState(ctx, j.k, j.run)
	if err != nil {
		return "" // to resume says what is wrong with it
	}
	text := ""
	for _, x := range s.Plan {
		if x.Status == runner.Completed && slices.ContainsFunc(changes, func(c plan.Change) bool { return c.Step == x.ID && c.Kind != "removed" }) {
			text += "\nstep " + piton.Printable(x.ID) + " is completed, and keeps its result unless it runs again"
		}
	}
	return text
}

// fill gives the inputs of a new run their values. What is missing is asked for.
func (j *job) fill(p *plan.Plan) error {
	given := j.given()
	values, lacking, err := plan.Values(*p, given)
	if err != nil {
		return err
	}
	if j.r.Ask == nil && len(lacking) > 0 {
		return lacks(cmp.Or(p.Name, j.r.File), lacking)
	}
	for _, in := range lacking {
		text, err := j.r.Ask(in)
		if err != nil {
			return err
		}
		if text == "" {
			return piton.Errorf(piton.Invalid, "run "+cmp.Or(p.Name, j.r.File), "give 'input "+in.Name+"=VALUE'", "the input %s is missing", in.Name)
		}
		given[in.Name] = text
	}
	if len(lacking) > 0 {
		values, _, err = plan.Values(*p, given)
	}
	j.inputs = values
	return err
}

// lacks is the error for inputs that nobody can be asked for.
func lacks(name string, lacking []plan.Input) error {
	var missing, give []string
	for _, in := range lacking {
		missing = append(missing, "the input "+in.Name+" is missing"+about(in))
		give = append(give, "'input "+in.Name+"=VALUE'")
	}
	return piton.Errorf(piton.Invalid, "run "+name, "give "+strings.Join(give, ", "), "%s", strings.Join(missing, "; "))
}

func about(in plan.Input) string {
	if in.Description == "" {
		return ""
	}
	return ": " + in.Description
}

// mayChange refuses to let anybody but a person change a plan that asks for approvals, and
// what an approval has released run again or elsewhere.
func (j *job) mayChange(ctx context.Context, op string, was plan.Plan) error {
	asks := slices.IndexFunc(was.Steps, func(s plan.Step) bool { return s.Action == plan.Approve })
	if asks < 0 {
		return nil
	}
	return j.a.byPerson(ctx, op, "step "+piton.Printable(was.Steps[asks].ID)+" of it asks for a person's approval")
}

// mayRepeat refuses to let anybody but a person begin another run from a checkpoint whose
// run asks for approvals, or has run a step since that must not run twice.
func (j *job) mayRepeat(ctx context.Context) error {
	if j.r.DryRun || j.origin.ID == "" || j.a.notPerson(ctx) == "" {
		return nil
	}
	was, err := keptPlan(ctx, j.runs, j.origin.ID)
	if err == nil {
		err = j.mayChange(ctx, "resume "+j.checkpoint, was)
	}
	if err != nil {
		return err
	}
	from := j.origin
	from.CheckpointID = j.checkpoint
	then, _, err := runState(ctx, j.k, from)
	if err != nil {
		return err
	}
	now, _, err := runState(ctx, j.k, j.origin)
	if err != nil {
		return err
	}
	for _, x := range j.withEffects(was, runSteps(was, now)) {
		begun := x.Status != runner.Pending && x.Status != runner.Skipped
		done := slices.ContainsFunc(then.Plan, func(s runner.Step) bool { return s.ID == x.ID && s.Status == runner.Completed })
		if cmp.Or(x.Effect, plan.Once) == plan.Once && begun && !done {
			return j.a.byPerson(ctx, "resume "+j.checkpoint, "its run has begun step "+piton.Printable(x.ID)+" since, which must not run twice")
		}
	}
	return nil
}

// accepted tells whether changes of the plan are taken over. A person is shown
// them.
func (j *job) accepted(ctx context.Context) (bool, error) {
	nothing := j.plan == nil && len(j.r.Inputs) == 0
	if nothing || j.run.ID == "" {
		return j.r.AcceptPlan, j.mayRepeat(ctx)
	}
	was, err := keptPlan(ctx, j.runs, j.run.ID)
	if j.plan == nil {
		now := was
		j.plan = &now
		defer func() { j.plan = nil }()
	}
	if err == nil {
		err = (&runner.Runner{Keeper: j.k}).Keepable(j.plan)
	}
	if err != nil {
		return false, err
	}
	changes := plan.Diff(was, *j.plan)
	given, err := j.changedInputs(ctx, was)
	switch {
	case err != nil || len(changes)+len(given.Names) == 0:
		return j.r.AcceptPlan, err
	case j.r.AcceptPlan:
		return true, j.mayChange(ctx, "change the plan of "+j.run.ID, was)
	}
	text, what := given.String(), "the inputs have changed"
	if len(changes) > 0 {
		text, what = strings.TrimSpace(runner.Changes(changes)+j.keeps(ctx, changes)+"\n"+text), "the plan has changed"
	}
	with := "'run " + cmp.Or(j.r.File, "PLAN") + " resume accept_plan'"
	if j.r.Ref != "" {
		with = "'" + strings.TrimSpace("run "+j.r.File) + " resume " + j.run.ID + " accept_plan'"
	}
	hint := "to continue with the changed plan: " + with + "; with the plan as it was: 'run resume " + j.run.ID + "'; 'redo STEP' runs a completed step again, as it is now"
	if len(given.Names) > 0 {
		hint = "to continue with what has changed, and run again what used the old values, the same command with 'accept_plan'; with all as it was: 'run resume " + j.run.ID + "'; 'run " + cmp.Or(j.r.File, "PLAN") + " new' begins a run of its own"
	}
	if j.r.Accept == nil {
		return false, piton.Errorf(piton.Conflict, "resume "+j.run.ID, hint, "%s since this run began:\n%s", what, text)
	}
	yes, err := j.r.Accept(text)
	if err == nil && !yes {
		err = piton.Errorf(piton.Conflict, "resume "+j.run.ID, "with all as it was: 'run resume "+j.run.ID+"'", "what has changed was not accepted; nothing was run")
	}
	return yes, err
}

// mayJudge refuses to let anybody but a person say what became of a step in doubt.
func (j *job) mayJudge(ctx context.Context) error {
	named := slices.Concat(j.r.Took, j.r.Redo, j.r.From)
	if len(named) == 0 || j.run.ID == "" {
		return nil
	}
	was, err := keptPlan(ctx, j.runs, j.run.ID)
	if err == nil {
		err = j.mayChange(ctx, "resume "+j.run.ID, was)
	}
	if err != nil {
		return err
	}
	from := j.run
	from.CheckpointID = cmp.Or(j.checkpoint, from.CheckpointID) // of a fork its own
	s, _, err := runState(ctx, j.k, from)
	if err != nil {
		return nil // to resume says what is wrong with it
	}
	for _, x := range s.Plan {
		unknown := x.Status == runner.InDoubt || x.Status == runner.Running
		if unknown && slices.Contains(named, x.ID) {
			return j.a.byPerson(ctx, "resume "+j.run.ID, "whether step "+piton.Printable(x.ID)+" took effect is a person's to say")
		}
	}
	return nil
}

// mayMove refuses to let anybody but a person have the steps of a run that asks for an
// approval work in another folder, named or that of another clone.
func (j *job) mayMove(ctx context.Context) error {
	if j.run.ID == "" {
		return nil
	}
	dir, _, err := j.where(j.run)
	if err != nil || dir == "" || client.RealPath(dir) == client.RealPath(j.run.Dir) {
		return err
	}
	was, err := keptPlan(ctx, j.runs, j.run.ID)
	if err != nil {
		return err
	}
	return j.mayChange(ctx, "move "+j.run.ID+" to "+dir, was)
}

// changedInputs compares the inputs of the run that goes on with those given.
func (j *job) changedInputs(ctx context.Context, was plan.Plan) (x runner.InputChanges, err error) {
	s, _, err := runState(ctx, j.k, j.run)
	if err != nil {
		return x, nil // to resume says what is wrong with it
	}
	return (&runner.Runner{Keeper: j.k}).ChangedInputs(was, *j.plan, s, j.given())
}

// given are the inputs that the caller gives.
func (j *job) given() map[string]any {
	given := map[string]any{}
	for k, v := range j.r.Inputs {
		given[k] = v
	}
	return given
}

// openOf are the unfinished runs of a workflow's name in the caller's project, whatever
// home has begun them.
func (j *job) openOf(ctx context.Context, name string) ([]piton.Run, error) {
	if j.at.namespace != "" {
		list, err := j.runs.Runs(ctx, piton.RunQuery{Namespace: j.at.namespace, Name: name, Open: true, Limit: 1})
		if err != nil || len(list) > 0 {
			return list, err
		}
	}
	w, err := j.k.Workflow(ctx, name, j.project)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return j.runs.Runs(ctx, piton.RunQuery{Workflow: w.ID, Open: true, Limit: 1})
}
