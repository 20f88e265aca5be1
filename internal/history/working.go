package history

import (
	"context"
	"slices"

	"github.com/piton-project/piton"
)

// OpenRun is the unfinished run of a plan whose head a checkpoint is. NotFound where
// there is none.
func (k Keeper) OpenRun(ctx context.Context, c piton.Checkpoint) (piton.Run, error) {
	op := "find the run of checkpoint " + c.ID
	if err := k.ready(op); err != nil {
		return piton.Run{}, err
	}
	none := piton.Errorf(piton.NotFound, op, "", "it is of no unfinished run")
	if c.WorkflowType != piton.TypePlan || k.Store.Runs() == nil {
		return piton.Run{}, none
	}
	list, err := k.Store.Runs().Runs(ctx, piton.RunQuery{Workflow: c.WorkflowID, Branch: c.Branch, Open: true, Limit: 1})
	if err == nil && len(list) == 0 {
		err = none
	}
	if err != nil {
		return piton.Run{}, err
	}
	return list[0], nil
}

// working are the runs of a project that somebody works on; empty: of all projects.
// Their work is not open for anybody else. What cannot be read counts as unfinished:
// a run itself refuses a second owner.
func (k Keeper) working(ctx context.Context, project string) []piton.Run {
	if k.RunAlive == nil || k.Store.Runs() == nil {
		return nil
	}
	list, err := k.Store.Runs().Runs(ctx, piton.RunQuery{Project: project, Open: true})
	if err != nil {
		k.log().WarnContext(ctx, "the runs of the project were not read", "err", err)
		return nil
	}
	return slices.DeleteFunc(list, func(r piton.Run) bool { return !k.RunAlive(r) })
}

// atWork reports whether a checkpoint is the head of one of these runs.
func atWork(runs []piton.Run, c piton.Checkpoint) bool {
	return slices.ContainsFunc(runs, func(r piton.Run) bool { return r.WorkflowID == c.WorkflowID && r.Branch == c.Branch })
}
