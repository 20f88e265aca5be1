package planruns

import (
	"cmp"
	"context"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

// job is one call of Run.
type job struct {
	a       PlanRuns
	r       RunRequest
	k       history.Keeper
	runs    store.RunReader
	actions map[string]action.Action
	project string
	at      caller.Standing
	plan    *plan.Plan     // of the file; nil: the run's own
	given   map[string]any // the inputs that the caller gives
	inputs  map[string]any // those with their defaults, of a new run
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

func (j *job) find(ctx context.Context) error {
	if j.plan != nil && j.r.Ref == "" {
		return j.findByPlan(ctx)
	}
	ref := j.r.Ref
	switch {
	case ref == "":
		q := piton.RunQuery{Project: j.project, Namespace: j.at.Namespace, Open: true, Limit: 1}
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
	if caller.Missing(err) && !strings.HasPrefix(ref, piton.RunPrefix) {
		// A plan that another program has saved has no run yet.
		if errOther := j.findByCheckpoint(ctx, history.Selector{Workflow: ref, Project: j.project}); errOther == nil || !caller.Missing(errOther) {
			return errOther
		}
	}
	if err == nil && r.Status.Ended() && j.r.Undo && r.CheckpointID != "" { // another run undoes what it has done
		return j.findByCheckpoint(ctx, history.Selector{ID: r.CheckpointID})
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
	case row.Alive == caller.OwnerAlive:
		goOn = "'runs logs " + row.ID + " follow' watches it"
	case row.Waits():
		goOn = row.Stood[0].hint
	}
	return piton.Errorf(piton.Conflict, "run "+name, goOn+"; the same command with 'new' begins another one beside it",
		"its run %s is unfinished (%s), in %s", row.ID, row.Word(), row.Dir)
}

// elsewhere refuses to begin anew where the workflow holds an unfinished state of a run
// that this store has never seen, as one that was imported: what it has done would be
// repeated.
func (j *job) elsewhere(ctx context.Context, name string) error {
	c, err := j.k.Find(ctx, history.Selector{Workflow: name, Project: j.project})
	if caller.Missing(err) || err == nil && (c.WorkflowType != piton.TypePlan || c.Completed) {
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
		return piton.Errorf(piton.Invalid, "resume "+c.ID, "'resume "+c.ID+"' prints how to continue it", "it is not a plan: its type is %s", c.WorkflowType)
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
			return caller.UnlessMissing(err)
		}
		if err != nil || c.ParentID == "" {
			return err
		}
		if c, err = j.k.Find(ctx, history.Selector{ID: c.ParentID}); err != nil {
			return caller.UnlessMissing(err)
		}
	}
	return nil
}

// fill gives the inputs of a new run their values. What is missing is asked for.
func (j *job) fill(p *plan.Plan) error {
	values, lacking, err := plan.Values(*p, j.given)
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
		j.given[in.Name] = text
	}
	if len(lacking) > 0 {
		values, _, err = plan.Values(*p, j.given)
	}
	j.inputs = values
	return err
}

// lacks is the error for inputs that nobody can be asked for.
func lacks(name string, lacking []plan.Input) error {
	var missing, give []string
	for _, in := range lacking {
		missing = append(missing, strings.TrimSuffix("the input "+in.Name+" is missing: "+in.Description, ": "))
		give = append(give, "'input "+in.Name+"=VALUE'")
	}
	return piton.Errorf(piton.Invalid, "run "+name, "give "+strings.Join(give, ", "), "%s", strings.Join(missing, "; "))
}

// openOf are the unfinished runs of a workflow's name in the caller's project, whatever
// home has begun them.
func (j *job) openOf(ctx context.Context, name string) ([]piton.Run, error) {
	if j.at.Namespace != "" {
		list, err := j.runs.Runs(ctx, piton.RunQuery{Namespace: j.at.Namespace, Name: name, Open: true, Limit: 1})
		if err != nil || len(list) > 0 {
			return list, err
		}
	}
	w, err := j.k.Workflow(ctx, name, j.project)
	if caller.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return j.runs.Runs(ctx, piton.RunQuery{Workflow: w.ID, Open: true, Limit: 1})
}

// engine is who works on the run: the caller's word, else who has had it; "" is this process.
func (j *job) engine() string {
	if e := cmp.Or(j.r.Engine, j.run.Daemon); e == piton.EngineTemporal {
		return e
	}
	return ""
}

// leave leaves the run to another engine where that works on it: it is kept there, and the
// engine's workers find it in the store.
func (j *job) leave() error {
	if j.engine() == "" {
		return nil
	}
	if len(j.r.Actions) > 0 {
		return piton.Errorf(piton.Invalid, "", "leave 'engine' out: the program that has them works on the run", "a worker of %s does not have the actions of this program", j.engine())
	}
	j.daemon, j.r.Queue, j.r.Wait = j.engine(), true, false
	return nil
}
