package runner

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

// Start begins a run and works until nothing more can be done. Conflict where the
// workflow has an unfinished run and New is not set. An error is a run that could
// not begin or be kept; how its steps went is in the Outcome.
func (r *Runner) Start(ctx context.Context, q Request) (Outcome, error) {
	if err := r.ready(q.Plan); err != nil {
		return Outcome{}, err
	}
	w, fresh, err := r.workflow(ctx, q)
	if err != nil {
		return Outcome{}, err
	}
	branch, from, err := r.place(ctx, w, fresh, q)
	if err != nil {
		return Outcome{}, err
	}
	s := newState(q)
	run := piton.Run{
		ID: piton.NewID(piton.RunPrefix), WorkflowID: w.ID, Workflow: w.Name, Branch: branch, Project: w.Project, SessionID: q.Session,
		Plan: q.Plan.Name, PlanFile: q.PlanFile, PlanSum: q.Plan.Sum(), Dir: q.Folder(),
		Namespace: q.Namespace, Folder: below(q.Root, q.Folder()), PlanPath: below(q.Root, q.PlanFile), Host: q.Host,
	}
	if q.Parent != nil {
		run.Parent, run.Folder, run.PlanPath = q.Parent.ID, q.Parent.Folder, q.Parent.PlanPath
	}
	s.Run = run.ID
	e, err := r.begin(run, q.Plan, s, fresh, w)
	if err != nil {
		return Outcome{}, err
	}
	defer atWork.hold(e.id, e.fence)()
	e.fork, e.noAuto, e.waitPerson = from, q.NoAuto, q.WaitPerson
	if q.Key != nil {
		e.keyed(*q.Key)
	}
	if q.Queue {
		return e.queued(ctx)
	}
	e.tell(Event{Kind: RunStarted, Message: q.Plan.Name})
	return e.work(ctx)
}

// keyed has the first save note the caller's key.
func (e *engine) keyed(k piton.StartKey) {
	k.Ref, k.At = e.id, piton.At(e.now())
	e.starting = append(e.starting, func(ctx context.Context, tx store.Tx, _ *store.Prepared, _ piton.Run) error {
		return tx.Runs.PutStartKey(ctx, redact.Value(k))
	})
}

// queued keeps a run that begins, or goes on, when its daemon has room.
func (e *engine) queued(ctx context.Context) (Outcome, error) {
	e.steps, e.end = context.WithCancelCause(context.WithoutCancel(ctx))
	defer e.end(nil)
	e.state.Parallel, e.state.NoAuto = e.Parallel, e.noAuto
	err := e.save(ctx, piton.RunQueued, "", "")
	return e.outcome(), err
}

// below is a path relative to a project's root; "" where it lies outside of it.
func below(root, path string) string {
	if root == "" || path == "" {
		return ""
	}
	for _, p := range []string{path, withoutLinks(path)} {
		if rel, err := filepath.Rel(root, p); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return ""
}

// withoutLinks is a path without symbolic links; what is not there yet stays as it is.
func withoutLinks(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if up := filepath.Dir(path); up != path {
		return filepath.Join(withoutLinks(up), filepath.Base(path))
	}
	return path
}

// ready refuses a plan that this runner cannot carry out.
func (r *Runner) ready(p plan.Plan) error {
	if err := r.usable("run the plan"); err != nil {
		return err
	}
	for _, s := range p.Steps {
		a := r.Actions[s.Action]
		if a == nil {
			return piton.Errorf(piton.Invalid, "run the plan", "a Go program has its own actions: start that program, and it continues the run", "step %s: there is no action %q", s.ID, s.Action)
		}
		if err := a.Check(s); err != nil {
			return err
		}
	}
	return nil
}

// usable refuses a runner that cannot own a run.
func (r *Runner) usable(op string) error {
	switch {
	case r.Owner == (piton.Owner{}):
		return piton.Errorf(piton.Internal, op, "set it", "Runner.Owner is not set")
	case r.Keeper.Store == nil || r.Keeper.Store.Runs() == nil:
		return piton.Errorf(piton.Invalid, op, "choose a SQLite or PostgreSQL store", "this store keeps no runs")
	}
	return nil
}

// workflow is the one that a run belongs to: the one named, else of the plan's
// name, else a new one.
func (r *Runner) workflow(ctx context.Context, q Request) (w piton.Workflow, fresh bool, err error) {
	name := cmp.Or(q.Workflow, q.Plan.Name)
	w = piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Type: piton.TypePlan, Project: q.Project, SessionID: q.Session, Name: name, CreatedAt: piton.At(r.now())}
	if name == "" {
		return w, true, nil
	}
	found, err := r.Keeper.Workflow(ctx, name, q.Project)
	switch {
	case err == nil && found.Type != piton.TypePlan:
		return w, false, piton.Errorf(piton.Conflict, "run the plan", "name another one: 'workflow NAME'", "the workflow %s is of type %s, and a run needs one of type plan", name, found.Type)
	case err == nil:
		return found, false, nil
	case piton.CodeOf(err) != piton.NotFound || piton.IsID(piton.WorkflowPrefix, name):
		return w, false, err
	}
	return w, true, nil
}

// place is the branch of a workflow on which a run begins: main, or a new one beside
// an unfinished run. from is the checkpoint that a new branch starts from.
func (r *Runner) place(ctx context.Context, w piton.Workflow, fresh bool, q Request) (branch, from string, err error) {
	open, err := r.Keeper.Store.Runs().Runs(ctx, piton.RunQuery{Workflow: w.ID, Open: true})
	if err == nil && len(open) == 0 && w.Name != "" && q.Namespace != "" { // another home of the project may have begun one
		open, err = r.Keeper.Store.Runs().Runs(ctx, piton.RunQuery{Namespace: q.Namespace, Name: w.Name, Open: true})
	}
	if err != nil {
		return "", "", err
	}
	if len(open) == 0 {
		return piton.MainBranch, "", nil
	}
	if !q.New {
		r := open[0]
		return "", "", piton.Errorf(piton.Conflict, "run the plan", "'run resume "+r.ID+"' continues it, 'run PLAN new' begins another one beside it, and 'runs cancel "+r.ID+"' ends it",
			"the workflow %s has an unfinished run: %s, %s, %d of %d steps done", w.Label(), r.ID, r.Status, r.Done, r.Total)
	}
	if fresh || open[0].WorkflowID != w.ID {
		return "run-" + piton.NewID("")[:8], "", nil
	}
	head, err := r.Keeper.Store.Head(ctx, w.ID, open[0].Branch)
	if err != nil {
		return "", "", err
	}
	return "run-" + piton.NewID("")[:8], head.ID, nil
}

// Folder is where the steps work.
func (q Request) Folder() string {
	switch {
	case q.WorkDir != "":
		return q.WorkDir
	case q.Plan.Dir == "" || filepath.IsAbs(q.Plan.Dir):
		return cmp.Or(q.Plan.Dir, q.Dir)
	case q.PlanFile != "":
		return filepath.Join(filepath.Dir(q.PlanFile), q.Plan.Dir)
	}
	return filepath.Join(q.Dir, q.Plan.Dir)
}

func newState(q Request) State {
	s := State{Query: cmp.Or(q.Query, q.Plan.Query), Inputs: q.Inputs, Daemon: q.Daemon}
	if q.Budget != nil {
		s.Budget = *q.Budget
	}
	_, s = aligned(q.Plan, s)
	for i, x := range s.Plan {
		if out, done := q.Plan.Done[x.ID]; done {
			s.Plan[i].Status = Completed
			s.Results = append(s.Results, Result{StepID: x.ID, Output: out})
		}
	}
	s.count()
	return s
}

// begin makes the engine of a run that is not in the store yet. Its first save
// adds the run, with the workflow where that is new.
func (r *Runner) begin(run piton.Run, p plan.Plan, s State, fresh bool, w piton.Workflow) (*engine, error) {
	now := piton.At(r.now())
	run.Owner, run.Fence, run.Status = r.Owner, 1, piton.RunRunning
	run.CreatedAt, run.LeaseUntil = now, piton.At(now.Add(r.lease()))
	doc, err := r.document("the plan", p.JSON())
	if err != nil {
		return nil, err
	}
	inputs, err := encode(s.Inputs)
	if err == nil {
		_, err = r.document("an input", inputs)
	}
	if err != nil {
		return nil, err
	}
	e := newEngine(r, run, p, s)
	e.starting = []starting{func(ctx context.Context, tx store.Tx, _ *store.Prepared, row piton.Run) error {
		if fresh {
			if err := tx.PutWorkflow(ctx, redact.Value(w)); err != nil {
				return err
			}
		}
		clean, _ := redact.By(r.Keeper.Redact, row)
		return tx.Runs.AddRun(ctx, clean, doc)
	}}
	return e, nil
}
