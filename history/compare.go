package history

import (
	"context"

	"github.com/piton-project/piton"
)

// Comparison is two checkpoints side by side.
type Comparison struct {
	From, To         piton.Checkpoint
	FromState, State []byte
	Patch            []byte // RFC 6902, from the one to the other; nil without Keeper.Diff
}

// Compare reads two checkpoints, given by id or its beginning, and what changed
// from the one to the other. With one only it is compared with its parent;
// Invalid when it has none. Corrupt or NotFound where a state cannot be loaded,
// as Load says it.
func (k Keeper) Compare(ctx context.Context, from, to string) (Comparison, error) {
	var x Comparison
	var err error
	if to == "" {
		from, to = "", from
	}
	if x.To, err = k.Find(ctx, Selector{ID: to}); err != nil {
		return x, err
	}
	if from == "" {
		if from = x.To.ParentID; from == "" {
			return x, piton.Errorf(piton.Invalid, "compare "+x.To.ID+" with its parent", "give two ids", "it has no parent")
		}
	}
	if x.From, err = k.Find(ctx, Selector{ID: from}); err != nil {
		return x, err
	}
	before, err := k.load(ctx, x.From, false)
	if err != nil {
		return x, err
	}
	after, err := k.load(ctx, x.To, false)
	if err != nil {
		return x, err
	}
	x.FromState, x.State = before.State, after.State
	if k.Diff != nil {
		x.Patch, err = k.Diff(x.FromState, x.State)
	}
	return x, err
}
