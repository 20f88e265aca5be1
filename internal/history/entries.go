package history

import (
	"cmp"
	"context"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// byWorkflow sorts checkpoints by workflow, oldest first, and the workflows by
// their newest: an import hands ordinals out in this order, and the newest work
// here is then the newest there.
func byWorkflow(cs []piton.Checkpoint) {
	newest := map[string]int64{}
	for _, c := range cs {
		newest[c.WorkflowID] = max(newest[c.WorkflowID], c.Ordinal)
	}
	slices.SortFunc(cs, func(a, b piton.Checkpoint) int {
		return cmp.Or(cmp.Compare(newest[a.WorkflowID], newest[b.WorkflowID]), cmp.Compare(a.WorkflowID, b.WorkflowID), cmp.Compare(a.Seq, b.Seq))
	})
}

// entries reads the entries of checkpoints. skip is told of each that is
// damaged (Corrupt), lies in a file of the archive that cannot be reached
// (Unavailable), or whose id leads to it no more (NotFound). It is left out,
// unless skip returns an error.
func (k Keeper) entries(ctx context.Context, cs []piton.Checkpoint, skip func(piton.Checkpoint, error) error) store.Entries {
	return func(yield func(store.Entry, error) bool) {
		var w piton.Workflow
		origins := k.origins(ctx)
		for _, c := range cs {
			if err := ctx.Err(); err != nil {
				yield(store.Entry{}, &piton.Error{Code: piton.Unavailable, Op: "read the checkpoints", Err: err})
				return
			}
			state, err := k.state(ctx, c)
			gone := notFound(err) && !k.there(ctx, c)
			if notFound(err) && !gone {
				err = errNoIndex(c.ID)
			}
			if err == nil && w.ID != c.WorkflowID {
				if w, err = k.Store.Workflow(ctx, c.WorkflowID, ""); notFound(err) {
					err = piton.Errorf(piton.Corrupt, "load checkpoint "+c.ID, hintRepair, "the record of its workflow is lost")
				}
			}
			code := piton.CodeOf(err)
			noArchive := code == piton.Unavailable && c.Archive != "" && ctx.Err() == nil
			if gone || noArchive || code == piton.Corrupt {
				if err = skip(c, err); err == nil {
					continue
				}
			}
			e := store.Entry{Workflow: w, Checkpoint: c, State: state, Origin: origins[c.Project]}
			// Where it lies here means nothing in the file.
			e.Checkpoint.Archive, e.Checkpoint.File, e.Checkpoint.Damaged, e.Checkpoint.ImportedAt = "", "", "", piton.Time{}
			if err != nil {
				yield(store.Entry{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// origins are the origins of projects, by their ids here and in a shared
// store. What cannot be found out is left out.
func (k Keeper) origins(ctx context.Context) map[string]string {
	by := map[string]string{}
	if k.Local == nil {
		return by
	}
	list, err := k.Local.Projects(ctx)
	if err != nil {
		k.log().WarnContext(ctx, "the projects' origins were not found", "err", err)
	}
	for _, p := range list {
		if p.Origin != "" {
			by[p.ID], by[p.SharedID()] = p.Origin, p.Origin
		}
	}
	return by
}
