package history

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Export returns what fits a query with its states, those in the archive too,
// workflow by workflow, oldest first, and how many there are; with a limit the newest
// so many. What is damaged (Corrupt) or out of reach (Unavailable) is told to skip,
// which may be nil, and left out.
func (k Keeper) Export(ctx context.Context, q piton.Query, skip func(piton.Checkpoint, error)) (store.CleanEntries, int, error) {
	q, err := k.resolve(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	cs, err := k.upTo(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	if s, ok := k.Store.(interface {
		Complete(ctx context.Context, q piton.Query, listed []piton.Checkpoint) error
	}); ok && q.Limit == 0 {
		if err := s.Complete(ctx, q, cs); err != nil {
			return nil, 0, err
		}
	}
	byWorkflow(cs)
	if skip == nil {
		skip = func(piton.Checkpoint, error) {}
	}
	return unchecked(func(yield func(store.Entry, error) bool) {
		gone := map[string]bool{}
		for e, err := range k.entries(ctx, cs, func(c piton.Checkpoint, err error) error {
			if notFound(err) {
				gone[c.ID] = true
			} else {
				skip(c, err)
			}
			return nil
		}) {
			if !yield(e, err) || err != nil {
				return
			}
		}
		if len(gone) == 0 {
			return
		}
		// Those that a list of all still names were not deleted: their ids do not
		// lead to them.
		for c, err := range k.pages(ctx, piton.Query{}) {
			if err != nil {
				yield(store.Entry{}, err)
				return
			}
			if gone[c.ID] {
				skip(c, errNoIndex(c.ID))
			}
		}
	}), len(cs), nil
}

// upTo lists what fits a query with ids, newest first: as many as its limit, or all.
func (k Keeper) upTo(ctx context.Context, q piton.Query) ([]piton.Checkpoint, error) {
	if q.Limit == 0 {
		return k.all(ctx, q)
	}
	page, err := k.Store.List(ctx, q)
	return page.Checkpoints, err
}

// unchecked are entries that were read from a store, as clean as they were put
// there; a purge takes out what later rules find.
func unchecked(entries store.Entries) store.CleanEntries {
	return func(yield func(redact.Clean[store.Entry], error) bool) {
		for e, err := range entries {
			if !yield(redact.Unchecked(e), err) {
				return
			}
		}
	}
}
