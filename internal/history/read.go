package history

import (
	"context"
	"errors"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
)

// maxMoves bounds how often a state is looked for that is moved meanwhile.
const maxMoves = 5

// maxAncestors bounds the walk from a damaged checkpoint to an intact ancestor.
const maxAncestors = 10_000

// Loaded is a checkpoint with its state.
type Loaded struct {
	Checkpoint    piton.Checkpoint
	State         []byte
	RecoveredFrom string // the damaged checkpoint this one stands in for
	Why           string // what was wrong with it
}

// state reads a state from wherever it lies. A checkpoint that is found to be
// damaged is marked as such.
func (k Keeper) state(ctx context.Context, c piton.Checkpoint) ([]byte, error) {
	state, err := k.findState(ctx, c)
	if piton.CodeOf(err) == piton.Corrupt && (c.Damaged == "" || c.BadRecord) {
		if err2 := k.Store.Upkeep().MarkDamaged(ctx, c.ID, redact.Value(Cause(err))); err2 != nil {
			k.log().WarnContext(ctx, "a damaged checkpoint could not be marked", "checkpoint", c.ID, "err", err2)
		}
	}
	return state, err
}

// findState reads a state, which a pruning or a purge may move meanwhile.
// NotFound when it has been deleted since it was listed.
func (k Keeper) findState(ctx context.Context, c piton.Checkpoint) ([]byte, error) {
	if c.BadRecord { // whom it belongs to is not known for certain
		return nil, piton.Errorf(piton.Corrupt, "load checkpoint "+c.ID, "", "%s", c.Damaged)
	}
	for move := 0; ; move++ {
		state, err := k.stateAt(ctx, c)
		if code := piton.CodeOf(err); move == maxMoves || code != piton.NotFound && code != piton.Unavailable {
			return state, err
		}
		now, gone := k.Store.Checkpoint(ctx, c.ID)
		switch {
		case notFound(gone):
			return nil, gone
		case gone != nil || now.Archive == c.Archive:
			return state, err
		}
		c = now
	}
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
	switch {
	case notFound(err):
		return nil, &piton.Error{Code: piton.Unavailable, Op: op, Hint: "see that checkpoints.archive names the place where " + c.Archive + " lies", Err: err}
	case err != nil:
		return nil, err
	case e.Checkpoint.SHA256 != c.SHA256:
		return nil, piton.Errorf(piton.Corrupt, op, "", "the archive's file %s holds another state under this id", c.Archive)
	}
	return e.State, nil
}

// Cause is what is wrong, without what was tried; other errors than ours as they are.
func Cause(err error) string {
	var e *piton.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// ancestor finds the nearest intact ancestor of a damaged checkpoint, and says
// how many damaged ones lie in between. The walk is bounded, and safe against
// cycles.
func (k Keeper) ancestor(ctx context.Context, c piton.Checkpoint) (good Loaded, tried int, found bool) {
	seen := map[string]bool{c.ID: true}
	for p, ok := k.parent(ctx, c); ok && !seen[p.ID] && tried < maxAncestors; p, ok = k.parent(ctx, p) {
		seen[p.ID] = true
		state, err := k.state(ctx, p)
		switch {
		case err == nil:
			return Loaded{Checkpoint: p, State: state}, tried, true
		case piton.CodeOf(err) != piton.Corrupt:
			return Loaded{}, tried, false // it may be intact: no older one stands in for it
		}
		tried++
	}
	return Loaded{}, tried, false
}

// parent finds a checkpoint's parent. Where damage hides it, the one before it
// on its branch is an ancestor all the same.
func (k Keeper) parent(ctx context.Context, c piton.Checkpoint) (piton.Checkpoint, bool) {
	if c.ParentID == "" && !c.BadRecord {
		return piton.Checkpoint{}, false
	}
	if c.ParentID != "" {
		p, err := k.Store.Checkpoint(ctx, c.ParentID)
		if err == nil && p.ID == c.ParentID {
			return p, true
		}
		if piton.CodeOf(err) == piton.Unavailable {
			return piton.Checkpoint{}, false
		}
	}
	page, err := k.Store.List(ctx, piton.Query{Workflow: c.WorkflowID, Branch: c.Branch, Before: c.Ordinal, Limit: 1})
	placed := c.WorkflowID != "" && c.Branch != "" && c.Ordinal != 0
	if err != nil || !placed || len(page.Checkpoints) == 0 {
		return piton.Checkpoint{}, false
	}
	return page.Checkpoints[0], true
}

const hintRepair = "'repair' makes a new store of what can be read"

// there reports whether a checkpoint that its id does not lead to is in the
// store all the same: an index may be damaged.
func (k Keeper) there(ctx context.Context, c piton.Checkpoint) bool {
	page, err := k.Store.List(ctx, piton.Query{Before: c.Ordinal + 1, Limit: 1})
	return c.Ordinal > 0 && err == nil && len(page.Checkpoints) > 0 && page.Checkpoints[0].ID == c.ID
}

// errNoIndex says that a checkpoint is there and its id does not lead to it.
func errNoIndex(id string) error {
	return piton.Errorf(piton.Corrupt, "load checkpoint "+id, hintRepair, "an index does not lead to it")
}
