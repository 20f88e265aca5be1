package history

import (
	"context"

	"github.com/piton-project/piton"
)

// Remains are what can still be read of a checkpoint's state. Its JSON is a
// contract (docs/json.md), written by the doors.
type Remains struct {
	Checkpoint piton.Checkpoint
	// Fragments of the state's bytes in order, nil for each gap; of an intact
	// state the whole of it.
	Fragments [][]byte
}

// Raw returns what can still be read of a damaged state, for a person to mend
// by hand; nothing of it is checked. Of an intact one it returns the state.
// Corrupt, with the file in the hint, when the damage lies in the archive.
func (k Keeper) Raw(ctx context.Context, id string) (Remains, error) {
	c, err := k.checkpoint(ctx, id)
	if err != nil {
		return Remains{}, err
	}
	r := Remains{Checkpoint: c}
	state, err := k.state(ctx, c)
	if err == nil {
		r.Fragments = [][]byte{state}
		return r, nil
	}
	if piton.CodeOf(err) != piton.Corrupt {
		return Remains{}, err
	}
	if c.Archive != "" {
		return Remains{}, &piton.Error{
			Code: piton.Corrupt, Op: "read what is left of checkpoint " + c.ID, Err: err,
			Hint: "its state lies in the archive's file " + c.Archive + "; 'zstd -dc FILE' shows what can still be read of that",
		}
	}
	if c.Damaged == "" {
		r.Checkpoint.Damaged = why(err)
	}
	r.Fragments, err = k.Store.Upkeep().Raw(ctx, c.ID)
	return r, err
}
