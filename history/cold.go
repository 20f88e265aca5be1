package history

import (
	"context"

	"github.com/piton-project/piton"
)

// stateOf reads a checkpoint's state, from the archive where it lies there.
func (k Keeper) stateOf(ctx context.Context, c piton.Checkpoint) ([]byte, error) {
	if c.Archive == "" {
		return k.Store.State(ctx, c.ID)
	}
	op := "load checkpoint " + c.ID
	if k.Archive == nil {
		return nil, piton.Errorf(piton.Unavailable, op, "set checkpoints.archive to the place where "+c.Archive+" lies", "its state lies in the archive, and no archive is set")
	}
	e, err := k.Archive.Entry(ctx, c.Archive, c.ID)
	if piton.CodeOf(err) == piton.NotFound {
		return nil, &piton.Error{Code: piton.Unavailable, Op: op, Hint: "see that checkpoints.archive names the place where " + c.Archive + " lies", Err: err}
	}
	if err != nil {
		return nil, err
	}
	if e.Checkpoint.SHA256 != c.SHA256 {
		return nil, piton.Errorf(piton.Corrupt, op, "", "the archive's file %s holds another state under this id", c.Archive)
	}
	return e.State, nil
}
