package history

import (
	"context"

	"github.com/piton-project/piton"
)

// Pair is two checkpoints with their states.
type Pair struct {
	From, To         piton.Checkpoint
	FromState, State []byte
}

// Comparison is two checkpoints and what changed from the one to the other.
type Comparison struct {
	Pair
	Patch []byte // RFC 6902
}

// Compare reads two checkpoints as Pair does, and what changed from the one to
// the other. Internal without Keeper.Diff: what nobody compared is not the same.
func (k Keeper) Compare(ctx context.Context, from, to string) (Comparison, error) {
	p, err := k.Pair(ctx, from, to)
	if err != nil {
		return Comparison{Pair: p}, err
	}
	if k.Diff == nil {
		return Comparison{Pair: p}, piton.Errorf(piton.Internal, "compare "+p.From.ID+" with "+p.To.ID, "set Keeper.Diff", "nothing is set to compare states with")
	}
	patch, err := k.Diff(p.FromState, p.State)
	return Comparison{p, patch}, err
}

// Pair reads two checkpoints, given by id or its beginning. One alone is paired
// with its parent; Invalid when it has none. Corrupt or NotFound where a state
// cannot be loaded, as Load says it.
func (k Keeper) Pair(ctx context.Context, from, to string) (Pair, error) {
	var x Pair
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
	x.FromState, x.State = before.State, after.State
	return x, err
}
