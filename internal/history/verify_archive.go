package history

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// archived reads each file of the archive once, however many of its checkpoints are
// verified: to find one of them alone, a file is read from its beginning.
type archived struct {
	archive store.Archive
	left    map[string]int               // how many checkpoints of a file are asked for
	sums    map[string]map[string]string // by file that was read: the sums of intact states, by id
}

func (k Keeper) archived(all []piton.Checkpoint) archived {
	a := archived{k.Archive, map[string]int{}, map[string]map[string]string{}}
	for _, c := range all {
		a.left[c.Archive]++
	}
	return a
}

// intact tells whether a checkpoint's file holds it as its record says. Where it does not,
// or where a mark is to be taken away, the checkpoint is looked at alone.
func (a archived) intact(ctx context.Context, c piton.Checkpoint) bool {
	if c.Archive == "" || a.archive == nil || c.BadRecord || c.Damaged != "" {
		return false
	}
	left := a.left[c.Archive]
	a.left[c.Archive]--
	sums, known := a.sums[c.Archive]
	if !known {
		if left < 2 {
			return false
		}
		sums = a.read(ctx, c.Archive)
		a.sums[c.Archive] = sums
	}
	if left == 1 {
		delete(a.sums, c.Archive)
	}
	return c.SHA256 != "" && sums[c.ID] == c.SHA256
}

// read reads a file as far as it is intact.
func (a archived) read(ctx context.Context, file string) map[string]string {
	sums := map[string]string{}
	for e, err := range a.archive.Entries(ctx, file) {
		if err != nil {
			break
		}
		sums[e.Checkpoint.ID] = e.Checkpoint.SHA256
	}
	return sums
}
