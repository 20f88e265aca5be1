package history

import (
	"context"
	"errors"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// Bounds of a file of the archive, so that it does not grow beyond what a load
// wants to read.
const (
	maxArchiveEntries = 32
	maxArchiveBytes   = 32 << 20
)

// present are the ids of those checkpoints that are still there. cs may come
// from another store, which others write to: an id alone does not make it the
// same. fits narrows them down, and may be nil.
func present(ctx context.Context, r store.Reader, cs []piton.Checkpoint, fits func(now, was piton.Checkpoint) bool) (ids []string, err error) {
	for _, c := range cs {
		now, err := r.Checkpoint(ctx, c.ID)
		if err != nil && !notFound(err) {
			return nil, err
		}
		if err == nil && now.WorkflowID == c.WorkflowID && (fits == nil || fits(now, c)) {
			ids = append(ids, c.ID)
		}
	}
	return ids, nil
}

// saveLeft saves what fn does to those that are still there. In a database with
// many writers one may go between fn's look and its deed: then fn looks again.
func (k Keeper) saveLeft(ctx context.Context, fn func(store.Tx) error) error {
	const maxTries = 10
	for try := 1; ; try++ {
		if err := k.Store.Save(ctx, fn); !notFound(err) || try == maxTries {
			return err
		}
	}
}

// archiveBatch is how many of the checkpoints go into one file.
func archiveBatch(cs []piton.Checkpoint) int {
	cs = cs[:min(len(cs), maxArchiveEntries)]
	size := int64(0)
	for n, c := range cs {
		size += c.StateBytes
		if n > 0 && (size > maxArchiveBytes || c.WorkflowID != cs[0].WorkflowID) {
			return n
		}
	}
	return len(cs)
}

// errMoved says that a state was moved or rewritten meanwhile.
var errMoved = errors.New("the state was moved")

// noteArchived lets the store note which of the checkpoints lie in a file of the
// archive, and returns how many and the bytes set free. One that is gone
// meanwhile, or has been moved or rewritten, is no reason to stop; the next
// pruning sees it.
func (k Keeper) noteArchived(ctx context.Context, cs []piton.Checkpoint, file string) (n int, freed int64, err error) {
	same := func(now, was piton.Checkpoint) bool { return now.Archive == was.Archive && now.SHA256 == was.SHA256 }
	err = errMoved
	for try := 0; err == errMoved && try < maxMoves; try++ {
		err = k.saveLeft(ctx, func(tx store.Tx) error {
			ids, err := present(ctx, tx, cs, same)
			n, freed = len(ids), 0
			if err != nil || n == 0 {
				return err
			}
			if freed, err = tx.Archive(ctx, ids, file); err != nil {
				return err
			}
			// The branches are locked only now: what was read before may have
			// been rewritten since.
			for _, c := range cs {
				if now, err := tx.Checkpoint(ctx, c.ID); err == nil && slices.Contains(ids, c.ID) && now.SHA256 != c.SHA256 {
					return errMoved
				}
			}
			return nil
		})
	}
	switch err {
	case nil:
		return n, freed, nil
	case errMoved:
		return 0, 0, nil
	}
	return 0, 0, err
}

// dropFiles removes those files of the archive that no checkpoint names any
// more, here or in the store of this machine: both write the same file of the
// same checkpoints.
func (k Keeper) dropFiles(ctx context.Context, gone []piton.Checkpoint) error {
	if k.Archive == nil {
		return nil
	}
	stores := k.stores()
	seen := map[string]bool{"": true}
	for _, c := range gone {
		if seen[c.Archive] {
			continue
		}
		seen[c.Archive] = true
		named, err := k.isNamed(ctx, stores, c.Archive)
		if err != nil {
			return err
		}
		if named {
			continue
		}
		if err := k.Archive.Remove(ctx, c.Archive); err != nil && piton.CodeOf(err) != piton.Invalid {
			return err // Invalid: what the record names is not an archive's file
		}
		k.forgetWritten(ctx, c.Archive)
	}
	return nil
}

// stores are those whose checkpoints may name a file of the archive.
func (k Keeper) stores() []store.Checkpoints {
	stores := []store.Checkpoints{k.Store}
	if own, ok := k.own(); ok {
		stores = append(stores, own)
	}
	return stores
}

// isNamed reports whether a checkpoint names a file of the archive. A list by
// files comes from an index, which may be damaged: so each checkpoint that the
// file holds is looked up too.
func (k Keeper) isNamed(ctx context.Context, stores []store.Checkpoints, file string) (bool, error) {
	if named, err := isListed(ctx, stores, file); err != nil || named {
		return true, err
	}
	for e, err := range k.Archive.Entries(ctx, file) {
		if err != nil {
			return false, nil // there is nothing to keep that could be read
		}
		for _, s := range stores {
			if c, err := s.Checkpoint(ctx, e.Checkpoint.ID); err == nil && c.Archive == file {
				return true, nil
			}
		}
	}
	return false, nil
}

// isListed reports whether a list by files has a checkpoint that names one.
func isListed(ctx context.Context, stores []store.Checkpoints, file string) (bool, error) {
	for _, s := range stores {
		page, err := s.List(ctx, piton.Query{Archive: file, Limit: 1})
		if err != nil || len(page.Checkpoints) > 0 {
			return true, err
		}
	}
	return false, nil
}
