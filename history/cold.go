package history

import (
	"context"
	"errors"

	"github.com/piton-project/piton"
)

// movesMost bounds how often a state is looked for that is moved meanwhile.
const movesMost = 5

// errMoved says that a state was moved or rewritten meanwhile.
var errMoved = errors.New("the state was moved")

// stateOf reads a checkpoint's state, from the archive where it lies there.
// Pruning and purging move states while others read them. NotFound when it has
// been deleted since it was listed.
func (k Keeper) stateOf(ctx context.Context, c piton.Checkpoint) ([]byte, error) {
	state, err := k.stateAt(ctx, c)
	for range movesMost {
		if code := piton.CodeOf(err); code != piton.NotFound && code != piton.Unavailable {
			break
		}
		now, gone := k.Store.Checkpoint(ctx, c.ID)
		if piton.CodeOf(gone) == piton.NotFound {
			return nil, gone
		}
		if gone != nil || now.Archive == c.Archive {
			break
		}
		c = now
		state, err = k.stateAt(ctx, c)
	}
	return state, err
}

// stateAt reads a checkpoint's state from where its record says.
func (k Keeper) stateAt(ctx context.Context, c piton.Checkpoint) ([]byte, error) {
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
