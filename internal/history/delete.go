package history

import (
	"context"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Complete marks the head of a branch as completed and closes the workflow. It
// takes a checkpoint, whose branch it is, or a workflow. Completing twice
// changes nothing.
func (k Keeper) Complete(ctx context.Context, s Selector) (piton.Checkpoint, error) {
	c, err := k.Find(ctx, s)
	if err != nil {
		return c, err
	}
	if c, err = k.Store.Head(ctx, c.WorkflowID, c.Branch); err != nil {
		return c, err
	}
	if err := k.unneeded(ctx, "complete", c); err != nil {
		return c, err
	}
	k = k.writer(ctx, c.WorkflowID)
	err = k.Store.Save(ctx, func(tx store.Tx) error {
		head, err := tx.Head(ctx, c.WorkflowID, c.Branch)
		if err != nil {
			return err
		}
		if err := tx.Complete(ctx, head.ID, k.now()); err != nil {
			return err
		}
		// A prompt has opened it again behind a head that was completed before.
		w, err := tx.Workflow(ctx, head.WorkflowID, "")
		if err == nil && !w.Closed {
			w.Closed = true
			err = tx.PutWorkflow(ctx, redact.Value(w))
		}
		if err != nil && !notFound(err) { // its row is lost
			return err
		}
		c, err = tx.Checkpoint(ctx, head.ID)
		return err
	})
	return c, err
}

// WouldComplete is the head that Complete would mark, as it is now.
func (k Keeper) WouldComplete(ctx context.Context, s Selector) (piton.Checkpoint, error) {
	c, err := k.Find(ctx, s)
	if err != nil {
		return c, err
	}
	return k.Store.Head(ctx, c.WorkflowID, c.Branch)
}

// Removal is the answer to a deletion.
type Removal struct {
	Rows       []piton.Verdict `json:"rows"`              // one per checkpoint considered
	Deleted    int             `json:"deleted"`           // how many were deleted; with `--dry-run`, would be
	FreedBytes int64           `json:"freed_bytes"`       // freed space; with `--dry-run`, would be freed
	DryRun     bool            `json:"dry_run,omitempty"` // nothing was deleted
}

// Partly tells whether, with an error, the answer says what was done before it:
// something was deleted.
func (r Removal) Partly() bool { return r.Deleted > 0 }

// DeleteOptions limit a deletion.
type DeleteOptions struct {
	OlderThan time.Duration // only what is older; 0: all
	// Spare says why a checkpoint is kept; "": it may be deleted. nil: all may.
	Spare  func(piton.Checkpoint) string
	DryRun bool // nothing is removed, the answer is the same
}

// Delete removes one checkpoint, a workflow's or a session's. Children are
// re-parented and stay loadable. Conflict where an unfinished run continues from
// one of them: nothing is deleted then.
func (k Keeper) Delete(ctx context.Context, s Selector, o DeleteOptions) (Removal, error) {
	list, reason, err := k.selected(ctx, s)
	if err != nil {
		return Removal{}, err
	}
	before := k.now().Add(-o.OlderThan)
	r := Removal{Rows: []piton.Verdict{}, DryRun: o.DryRun}
	var doomed []piton.Checkpoint
	var ids []string
	for _, c := range list {
		if o.OlderThan > 0 && c.CreatedAt.After(before) {
			r.Rows = append(r.Rows, piton.Verdict{ID: c.ID, Action: piton.Keep, Reason: "younger than " + o.OlderThan.String()})
			continue
		}
		if why := o.spared(c); why != "" {
			r.Rows = append(r.Rows, piton.Verdict{ID: c.ID, Action: piton.Keep, Reason: why})
			continue
		}
		r.Rows = append(r.Rows, piton.Verdict{ID: c.ID, Action: piton.DeleteForever, Reason: reason})
		doomed, ids = append(doomed, c), append(ids, c.ID)
	}
	if r.Deleted = len(doomed); r.Deleted == 0 {
		return r, nil
	}
	if err := k.unneeded(ctx, "delete", doomed...); err != nil {
		return Removal{}, err
	}
	if o.DryRun {
		r.FreedBytes, err = k.Store.Upkeep().WouldFree(ctx, doomed, nil, "")
		return r, err
	}
	err = k.Store.Save(ctx, func(tx store.Tx) error {
		r.FreedBytes, err = k.deleteLogged(ctx, tx, doomed, ids, store.CheckpointDeleted)
		return err
	})
	if err != nil {
		return Removal{}, err
	}
	// What hooks have saved of it is deleted here too.
	if own, ok := k.own(); ok && !k.OneOff {
		err := own.Save(ctx, func(tx store.Tx) error {
			here, err := present(ctx, tx, doomed, nil)
			if err == nil && len(here) > 0 {
				_, err = tx.Delete(ctx, here)
			}
			return err
		})
		if err != nil {
			return r, err
		}
	}
	if err := k.dropFiles(ctx, doomed); err != nil {
		return r, err
	}
	if r.FreedBytes >= minReclaim {
		k.reclaim(ctx, 0)
	}
	return r, nil
}

func (o DeleteOptions) spared(c piton.Checkpoint) string {
	if o.Spare == nil {
		return ""
	}
	return o.Spare(c)
}

// selected lists what a selector means, newest first, and says why.
func (k Keeper) selected(ctx context.Context, s Selector) ([]piton.Checkpoint, string, error) {
	switch {
	case s.ID != "" && s.Session == "" && s.Workflow == "":
		c, err := k.checkpoint(ctx, s.ID)
		return []piton.Checkpoint{c}, "asked for by id", err
	case s.Workflow != "" && s.ID == "" && s.Session == "":
		page, err := k.List(ctx, piton.Query{Workflow: s.Workflow, Project: s.Project})
		return page.Checkpoints, "of workflow " + s.Workflow, err
	case s.Session != "" && s.ID == "" && s.Workflow == "":
		page, err := k.List(ctx, piton.Query{Session: s.Session})
		return page.Checkpoints, "of session " + s.Session, err
	}
	return nil, "", piton.Errorf(piton.Invalid, "delete", "give an id, 'workflow' or 'session', one of them", "what to delete is not clear")
}

// deleteLogged removes those of the checkpoints that have these ids, in a transaction,
// and logs why.
func (k Keeper) deleteLogged(ctx context.Context, tx store.Tx, cs []piton.Checkpoint, ids []string, why store.EventKind) (freed int64, err error) {
	if freed, err = tx.Delete(ctx, ids); err != nil {
		return 0, err
	}
	for _, c := range cs {
		if !slices.Contains(ids, c.ID) {
			continue
		}
		e := store.EventOf(why, k.now(), c)
		if by := k.person(); by != "" && why == store.CheckpointDeleted {
			e.Data = map[string]any{"by": by}
		}
		if err := tx.Log(ctx, redact.Value(e)); err != nil {
			return 0, err
		}
	}
	return freed, nil
}

// minReclaim is how much a deletion must set free to give it back at once; the
// next pruning gives back less. In PostgreSQL it costs more with each
// checkpoint that the store holds.
const minReclaim = 1 << 20

// reclaim gives freed space back, for about as long as the rest may take. Where
// it cannot, the checkpoints are where they belong all the same, and the space
// is used for the next saves.
func (k Keeper) reclaim(ctx context.Context, most time.Duration) {
	if most > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, most)
		defer cancel()
	}
	if _, err := k.Store.Upkeep().Reclaim(ctx, nil); err != nil {
		k.log().WarnContext(ctx, "freed space was not given back", "err", err)
	}
}
