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
		if err != nil && piton.CodeOf(err) != piton.NotFound { // its row is lost
			return err
		}
		c, err = tx.Checkpoint(ctx, head.ID)
		return err
	})
	return c, err
}

// Removal is the answer to delete.
type Removal struct {
	Rows       []piton.Verdict `json:"rows"`
	Deleted    int             `json:"deleted"`
	FreedBytes int64           `json:"freed_bytes"`
	DryRun     bool            `json:"dry_run,omitempty"` // nothing was deleted: this is what would be
}

// Delete removes one checkpoint, a workflow's or a session's, each only where
// it is older than olderThan, if that is given. Children are re-parented and
// stay loadable. dry: nothing is removed, the answer is the same.
func (k Keeper) Delete(ctx context.Context, s Selector, olderThan time.Duration, dry bool) (Removal, error) {
	list, reason, err := k.doomed(ctx, s)
	if err != nil {
		return Removal{}, err
	}
	before := k.now().Add(-olderThan)
	r := Removal{Rows: []piton.Verdict{}}
	var ids []string
	going := map[string]bool{}
	for _, c := range list {
		if olderThan > 0 && c.CreatedAt.After(before) {
			r.Rows = append(r.Rows, piton.Verdict{ID: c.ID, Action: piton.Keep, Reason: "younger than " + olderThan.String()})
			continue
		}
		r.Rows = append(r.Rows, piton.Verdict{ID: c.ID, Action: piton.DeleteForever, Reason: reason})
		ids, going[c.ID] = append(ids, c.ID), true
	}
	if len(ids) == 0 {
		return r, nil
	}
	r.Deleted = len(ids)
	if dry {
		r.DryRun = true
		list = slices.DeleteFunc(slices.Clone(list), func(c piton.Checkpoint) bool { return !going[c.ID] })
		r.FreedBytes, err = k.Store.Upkeep().WouldFree(ctx, list, nil, "")
		return r, err
	}
	err = k.Store.Save(ctx, func(tx store.Tx) error {
		if r.FreedBytes, err = tx.Delete(ctx, ids); err != nil {
			return err
		}
		for _, c := range list {
			if !going[c.ID] {
				continue
			}
			if err := tx.Log(ctx, redact.Value(store.EventOf(store.CheckpointDeleted, k.now(), c))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Removal{}, err
	}
	return r, k.afterDelete(ctx, slices.DeleteFunc(list, func(c piton.Checkpoint) bool { return !going[c.ID] }), r.FreedBytes)
}

// afterDelete deletes here too what hooks have saved of it, removes files of
// the archive that nothing names any more, and gives the space back.
func (k Keeper) afterDelete(ctx context.Context, gone []piton.Checkpoint, freed int64) error {
	if own, ok := k.own(); ok && !k.OneOff {
		err := own.Save(ctx, func(tx store.Tx) error {
			here, err := there(ctx, tx, gone)
			if err == nil && len(here) > 0 {
				_, err = tx.Delete(ctx, here)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := k.dropFiles(ctx, gone); err != nil {
		return err
	}
	if freed >= reclaimLeast {
		k.reclaim(ctx, 0)
	}
	return nil
}

// reclaimLeast is how much a deletion must set free to give it back at once; the
// next pruning gives back less. In PostgreSQL it costs more with each
// checkpoint that the store holds.
const reclaimLeast = 1 << 20

// doomed lists what a selector means, newest first.
func (k Keeper) doomed(ctx context.Context, s Selector) ([]piton.Checkpoint, string, error) {
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
	return nil, "", piton.Errorf(piton.Invalid, "delete", "give an id, --workflow or --session, one of them", "what to delete is not clear")
}
