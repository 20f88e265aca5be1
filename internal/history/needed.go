package history

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// unfinished are the runs that have not ended, by the checkpoint they continue
// from.
func (k Keeper) unfinished(ctx context.Context, q piton.RunQuery) (map[string]string, error) {
	needed := map[string]string{}
	reader := k.Store.Runs()
	if reader == nil {
		return needed, nil
	}
	q.Open = true
	list, err := reader.Runs(ctx, q)
	for _, r := range list {
		if r.CheckpointID != "" {
			needed[r.CheckpointID] = r.ID
		}
	}
	return needed, err
}

// unneeded is a Conflict where an unfinished run continues from one of the
// checkpoints. The store says the same; this one comes before anything is planned.
func (k Keeper) unneeded(ctx context.Context, verb string, doomed ...piton.Checkpoint) error {
	asked := map[string]bool{}
	for _, c := range doomed {
		if asked[c.WorkflowID] {
			continue
		}
		asked[c.WorkflowID] = true
		needed, err := k.unfinished(ctx, piton.RunQuery{Workflow: c.WorkflowID})
		if err != nil {
			return err
		}
		if len(needed) == 0 {
			continue
		}
		for _, x := range doomed {
			if run := needed[x.ID]; run != "" {
				return store.RunNeeds(verb+" "+x.ID, run, x.ID)
			}
		}
	}
	return nil
}
