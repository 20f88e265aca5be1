package history

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// entries reads the entries of checkpoints. What is damaged, or lies in a file
// of the archive that cannot be reached, is told to skip and left out, unless
// skip returns an error; what its id does not lead to any more is left out too,
// and added to gone. The ids that were read are added to
// ids. Both may be nil.
func (k Keeper) entries(ctx context.Context, cs []piton.Checkpoint, skip func(piton.Checkpoint, error) error, ids *[]string, gone *[]piton.Checkpoint) store.Entries {
	return func(yield func(store.Entry, error) bool) {
		var w piton.Workflow
		origins := k.origins(ctx)
		for _, c := range cs {
			if err := ctx.Err(); err != nil {
				yield(store.Entry{}, &piton.Error{Code: piton.Unavailable, Op: "read the checkpoints", Err: err})
				return
			}
			state, err := k.state(ctx, c)
			if piton.CodeOf(err) == piton.NotFound {
				if !k.there(ctx, c) {
					if gone != nil {
						*gone = append(*gone, c)
					}
					continue
				}
				err = errUnled(c.ID)
			}
			if err == nil && w.ID != c.WorkflowID {
				w, err = k.Store.Workflow(ctx, c.WorkflowID, "")
				if piton.CodeOf(err) == piton.NotFound {
					err = piton.Errorf(piton.Corrupt, "load checkpoint "+c.ID, hintRepair, "the record of its workflow is lost")
				}
			}
			if code := piton.CodeOf(err); code == piton.Corrupt || code == piton.Unavailable && c.Archive != "" && ctx.Err() == nil {
				if err := skip(c, err); err != nil {
					yield(store.Entry{}, err)
					return
				}
				continue
			}
			if err != nil {
				yield(store.Entry{}, err)
				return
			}
			e := store.Entry{Workflow: w, Checkpoint: c, State: state}
			e.Origin = origins[c.Project]
			// Where it lies here means nothing in the file.
			e.Checkpoint.Archive, e.Checkpoint.File, e.Checkpoint.Damaged, e.Checkpoint.ImportedAt = "", "", "", piton.Time{}
			if ids != nil {
				*ids = append(*ids, c.ID)
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// stillListed are those of the checkpoints that a list of all names: their ids
// do not lead to them, and they were not deleted.
func (k Keeper) stillListed(ctx context.Context, gone []piton.Checkpoint) (hidden []piton.Checkpoint, err error) {
	if len(gone) == 0 {
		return nil, nil
	}
	listed := map[string]bool{}
	for c, err := range k.pages(ctx, piton.Query{}) {
		if err != nil {
			return nil, err
		}
		listed[c.ID] = true
	}
	for _, c := range gone {
		if listed[c.ID] {
			hidden = append(hidden, c)
		}
	}
	return hidden, nil
}

// there tells whether a checkpoint that its id does not lead to is in the store
// all the same: an index may be damaged.
func (k Keeper) there(ctx context.Context, c piton.Checkpoint) bool {
	page, err := k.Store.List(ctx, piton.Query{Before: c.Ordinal + 1, Limit: 1})
	return c.Ordinal > 0 && err == nil && len(page.Checkpoints) > 0 && page.Checkpoints[0].ID == c.ID
}

const hintRepair = "'piton repair' makes a new store of what can be read"

// errUnled says that a checkpoint is there and its id does not lead to it.
func errUnled(id string) error {
	return piton.Errorf(piton.Corrupt, "load checkpoint "+id, hintRepair, "an index does not lead to it")
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

// Export returns what fits a query with its states, those in the archive too,
// workflow by workflow, oldest first, and how many there are. What is damaged
// (Corrupt) or out of reach (Unavailable) is told to skip and left out.
func (k Keeper) Export(ctx context.Context, q piton.Query, skip func(piton.Checkpoint, error)) (store.CleanEntries, int, error) {
	q, err := k.resolve(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	var cs []piton.Checkpoint
	for c, err := range k.pages(ctx, q) {
		if err != nil {
			return nil, 0, err
		}
		cs = append(cs, c)
	}
	if s, ok := k.Store.(interface {
		Complete(ctx context.Context, q piton.Query, listed []piton.Checkpoint) error
	}); ok {
		if err := s.Complete(ctx, q, cs); err != nil {
			return nil, 0, err
		}
	}
	byWorkflow(cs)
	return inStore(func(yield func(store.Entry, error) bool) {
		var gone []piton.Checkpoint
		for e, err := range k.entries(ctx, cs, func(c piton.Checkpoint, err error) error { skip(c, err); return nil }, nil, &gone) {
			if !yield(e, err) || err != nil {
				return
			}
		}
		hidden, err := k.stillListed(ctx, gone)
		if err != nil {
			yield(store.Entry{}, err)
		}
		for _, c := range hidden {
			skip(c, errUnled(c.ID))
		}
	}), len(cs), nil
}

// inStore are entries that were read from a store, as clean as they were put
// there; a purge takes out what later rules find.
func inStore(entries store.Entries) store.CleanEntries {
	return func(yield func(redact.Clean[store.Entry], error) bool) {
		for e, err := range entries {
			if !yield(redact.Unchecked(e), err) {
				return
			}
		}
	}
}
