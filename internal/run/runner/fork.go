package runner

import (
	"cmp"
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

// fork begins another run from a checkpoint: an older one of a run, or one that no
// run has made. It goes on on the same branch where that is free and the checkpoint
// its head, else on a new one.
func (r *Runner) fork(ctx context.Context, g Again) (Outcome, error) {
	c, of, b, err := r.forkBasis(ctx, g)
	if err != nil {
		return Outcome{}, err
	}
	if err := r.undoneOnce(ctx, g, of); err != nil {
		return Outcome{}, err
	}
	p, s := b.plan, b.state
	run := piton.Run{
		ID: piton.NewID(piton.RunPrefix), WorkflowID: c.WorkflowID, Workflow: c.Workflow, Branch: c.Branch, Project: c.Project, SessionID: c.SessionID,
		Plan: p.Name, PlanFile: cmp.Or(g.PlanFile, of.PlanFile), PlanSum: p.Sum(), Dir: cmp.Or(g.Dir, of.Dir), Host: cmp.Or(g.Host, of.Host),
		Namespace: cmp.Or(of.Namespace, g.Namespace), Folder: of.Folder, PlanPath: of.PlanPath,
	}
	if of.Namespace == "" {
		run.Folder, run.PlanPath = below(g.Root, run.Dir), below(g.Root, run.PlanFile)
	}
	s.Run, s.Signals = run.ID, nil // none is carried over
	from, err := r.forkBranch(ctx, c, &run)
	if err != nil {
		return Outcome{}, err
	}
	e, err := r.begin(run, p, s, false, piton.Workflow{})
	if err != nil {
		return Outcome{}, err
	}
	defer atWork.hold(e.id, e.fence)()
	e.fork = from
	if g.Undo && of.ID != "" {
		e.keyed(piton.StartKey{Scope: undoScope, Key: of.ID})
	}
	e.starting = append(e.starting, func(ctx context.Context, tx store.Tx, p *store.Prepared, run piton.Run) error {
		if err := carry(ctx, tx, run.ID, b.answers); err != nil {
			return err
		}
		if of.ID != "" {
			if err := tx.Runs.TakeArtifacts(ctx, run.ID, of.ID); err != nil {
				return err
			}
		}
		return recovered(ctx, tx, p.Record.CreatedAt, run.Project, s)
	})
	return e.goOn(ctx, g)
}

// undoScope is what a run is undone in, once.
const undoScope = "undo"

// undoneOnce refuses to undo a run that another one has undone.
func (r *Runner) undoneOnce(ctx context.Context, g Again, of piton.Run) error {
	if !g.Undo || of.ID == "" {
		return nil
	}
	k, err := r.Keeper.Store.Runs().StartKey(ctx, undoScope, of.ID)
	switch {
	case piton.CodeOf(err) == piton.NotFound:
		return nil
	case err != nil:
		return err
	}
	return piton.Errorf(piton.Conflict, "undo the run", "'runs show "+k.Ref+"' shows it", "%s has undone %s", k.Ref, of.ID)
}

// forkBasis is what a run begins with that goes on from a checkpoint, and the run that
// has made the checkpoint.
func (r *Runner) forkBasis(ctx context.Context, g Again) (c piton.Checkpoint, of piton.Run, b basis, err error) {
	if c, err = r.Keeper.Find(ctx, history.Selector{ID: g.Checkpoint}); err != nil {
		return c, of, b, err
	}
	if c.WorkflowType != piton.TypePlan {
		return c, of, b, piton.Errorf(piton.Invalid, "resume from checkpoint "+c.ID, "'resume "+c.ID+"' shows an agent what is there", "its state is of type %s, and a run needs a plan", c.WorkflowType)
	}
	s, err := ReadState(ctx, r.Keeper, c.ID)
	if err != nil {
		return c, of, b, err
	}
	was, of, err := r.forkPlan(ctx, s, c, g)
	if err == nil {
		b.plan, _, err = g.plan(was)
	}
	if err != nil {
		return c, of, b, err
	}
	if b.answers, err = r.mayFork(ctx, c.ID, s, g); err != nil {
		return c, of, b, err
	}
	g.unapproved, g.heard = r.unapproved(Whole(b.plan, s), s, b.answers), newest(b.answers)
	g.undone = of.CheckpointID == c.ID && (of.Status == piton.RunFailed || of.Status.Ended())
	b.state, err = r.prepared(was, b.plan, s, g)
	return c, of, b, err
}

// forkPlan is the plan of a checkpoint: that of the run that has made it, the one given,
// or the one that the state itself names.
func (r *Runner) forkPlan(ctx context.Context, s State, c piton.Checkpoint, g Again) (p plan.Plan, of piton.Run, err error) {
	if err := r.Keepable(g.Plan); err != nil {
		return p, of, err
	}
	if s.Run != "" {
		if of, err = r.Keeper.Store.Runs().Run(ctx, s.Run); err == nil {
			p, err = ReadPlan(ctx, r.Keeper.Store.Runs(), of.ID)
			return p, of, err
		}
		if piton.CodeOf(err) != piton.NotFound {
			return p, of, err
		}
	}
	if g.Plan != nil {
		return *g.Plan, of, nil
	}
	l, err := r.Keeper.Load(ctx, history.Selector{ID: c.ID}, false)
	if err != nil {
		return p, of, err
	}
	p, err = plan.FromState(l.State, action.Known(r.Actions))
	return p, of, err
}

// forkBranch chooses the branch of a run that goes on from a checkpoint. It returns
// the checkpoint where a new branch begins there.
func (r *Runner) forkBranch(ctx context.Context, c piton.Checkpoint, run *piton.Run) (from string, err error) {
	head, err := r.Keeper.Store.Head(ctx, c.WorkflowID, c.Branch)
	if err != nil {
		return "", err
	}
	runs, err := r.Keeper.Store.Runs().Runs(ctx, piton.RunQuery{Workflow: c.WorkflowID, Branch: c.Branch, Limit: 1})
	if err != nil {
		return "", err
	}
	if head.ID == c.ID && len(runs) == 0 {
		return "", nil
	}
	run.Branch = "run-" + piton.NewID("")[:8]
	return c.ID, nil
}
