package history

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// noteWritten notes that this store has written a file of the archive, before
// anything names it. The note is when that was, and negative once a pruning has
// claimed the file to remove it. false: it is being removed, or gone, and nothing
// may name it.
func (k Keeper) noteWritten(ctx context.Context, file string) (bool, error) {
	if k.Local == nil {
		return true, nil
	}
	claimed := false
	err := k.Local.Update(ctx, func(tx store.LocalTx) error {
		mark, err := tx.Mark(ctx, store.ArchivedMark+file)
		if claimed = mark < 0; err != nil || claimed {
			return err
		}
		return tx.SetMark(ctx, store.ArchivedMark+file, k.now().Millis())
	})
	if err != nil || claimed {
		return false, err
	}
	// It may have been there before, and removed before it was noted.
	r, err := k.Archive.Open(ctx, file)
	if notFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, r.Close()
}

// setWritten notes when a file counts as written, whatever was noted before.
func (k Keeper) setWritten(ctx context.Context, file string, at piton.Time) error {
	return k.Local.Update(ctx, func(tx store.LocalTx) error { return tx.SetMark(ctx, store.ArchivedMark+file, at.Millis()) })
}

// forgetWritten takes away the note on a file that is gone.
func (k Keeper) forgetWritten(ctx context.Context, file string) {
	if k.Local == nil {
		return
	}
	mark, err := k.Local.Mark(ctx, store.ArchivedMark+file)
	if err == nil && mark != 0 {
		err = k.Local.Update(ctx, func(tx store.LocalTx) error { return tx.ClearMark(ctx, store.ArchivedMark+file) })
	}
	if err != nil {
		k.log().WarnContext(ctx, "the note on an archive file that is gone was not removed", "err", err)
	}
}
