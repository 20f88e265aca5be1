package history

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/piton-project/piton"
)

// Bounds of one step of pruning, so that no saver waits long for it and no
// archive file grows beyond what a load wants to read.
const (
	deleteStep  = 16
	archiveStep = 32
	archiveSize = 32 << 20
)

// Pruning is what a policy does to the store. Its JSON is a contract
// (docs/json.md).
type Pruning struct {
	Rows       []piton.Verdict `json:"rows"`
	Deleted    int             `json:"deleted"`
	Archived   int             `json:"archived"`
	FreedBytes int64           `json:"freed_bytes"`
	Files      []string        `json:"files,omitempty"` // of the archive, written
	DryRun     bool            `json:"dry_run,omitempty"`
}

// PruneOptions say how to prune.
type PruneOptions struct {
	Policy   piton.Retention
	Project  string // only its checkpoints; empty: all
	Session  string // only its checkpoints; empty: all
	DryRun   bool
	Progress func(done, total int64) // may be nil
}

// Prune applies a policy: what it says to archive is written to the archive,
// what it says to delete is deleted, and the space is given back. A dry run
// says the same and does nothing. It may be stopped at any moment: what is
// archived is in both places until the store has noted it.
func (k Keeper) Prune(ctx context.Context, o PruneOptions) (Pruning, error) {
	now := k.now()
	kept, err := k.kept(ctx, piton.Query{Project: o.Project})
	if err != nil {
		return Pruning{}, err
	}
	byID := map[string]piton.Checkpoint{}
	for _, x := range kept {
		byID[x.Checkpoint.ID] = x.Checkpoint
	}
	p := Pruning{Rows: []piton.Verdict{}, DryRun: o.DryRun}
	for _, v := range o.Policy.Plan(now.Time, kept) {
		if o.Session == "" || byID[v.ID].SessionID == o.Session {
			p.Rows = append(p.Rows, v)
		}
	}
	var doomed, cold []piton.Checkpoint
	for i, v := range p.Rows {
		switch v.Action {
		case piton.DeleteForever:
			doomed = append(doomed, byID[v.ID])
		case piton.MoveToCold:
			if k.Archive == nil {
				p.Rows[i] = piton.Verdict{ID: v.ID, Action: piton.Keep, Reason: v.Reason + ", but no archive is set"}
				continue
			}
			cold = append(cold, byID[v.ID])
		}
	}
	if !o.DryRun && o.Project == "" && o.Session == "" {
		k.expire(ctx, now)
	}
	if o.DryRun {
		p.Deleted, p.Archived = len(doomed), len(cold)
		p.FreedBytes, err = k.wouldFree(ctx, doomed, cold)
		return p, err
	}
	step := steps(o.Progress, len(doomed)+len(cold))
	if err := k.moveToCold(ctx, cold, &p, step); err != nil {
		return p, err
	}
	if err := k.drop(ctx, doomed, &p, step); err != nil {
		return p, err
	}
	if err := k.dropFiles(ctx, doomed); err != nil {
		return p, err
	}
	if p.Deleted+p.Archived > 0 {
		if _, err := k.Store.Reclaim(ctx, nil); err != nil {
			// The checkpoints are where they belong; the space is still used for
			// the next saves.
			k.log().WarnContext(ctx, "freed space was not given back", "err", err)
		}
	}
	return p, nil
}

// expireAfter is how long events, decisions and delivered letters are kept
// (docs/spec.md, "Metrics").
const expireAfter = 30 * 24 * time.Hour

// expire deletes events, decisions and letters that are no longer kept.
func (k Keeper) expire(ctx context.Context, now piton.Time) {
	if k.Local == nil {
		return
	}
	err := k.Local.Update(ctx, func(tx piton.LocalTx) error {
		return tx.Expire(ctx, piton.At(now.Add(-expireAfter)))
	})
	if err != nil {
		k.log().WarnContext(ctx, "old events and decisions were not deleted", "err", err)
	}
}

// steps counts what is done towards a total.
func steps(progress func(done, total int64), total int) func(n int) {
	var done int64
	return func(n int) {
		if done += int64(n); progress != nil {
			progress(done, int64(total))
		}
	}
}

// kept lists checkpoints as a policy sees them.
func (k Keeper) kept(ctx context.Context, q piton.Query) ([]piton.Kept, error) {
	workflows := map[string]piton.Workflow{}
	var all []piton.Kept
	for c, err := range k.pages(ctx, q) {
		if err != nil {
			return nil, err
		}
		w, known := workflows[c.WorkflowID]
		if !known {
			if w, err = k.Store.Workflow(ctx, c.WorkflowID, ""); err != nil && piton.CodeOf(err) != piton.NotFound {
				return nil, err
			}
			workflows[c.WorkflowID] = w
		}
		all = append(all, piton.Kept{Checkpoint: c, Head: c.ID == w.HeadID, Open: !w.Closed})
	}
	return all, nil
}

// pageSize is how many records are read at a time.
const pageSize = 500

// pages goes through all that fits a query, newest first.
func (k Keeper) pages(ctx context.Context, q piton.Query) iter.Seq2[piton.Checkpoint, error] {
	q.Limit = pageSize
	return func(yield func(piton.Checkpoint, error) bool) {
		for {
			page, err := k.Store.List(ctx, q)
			if err != nil {
				yield(piton.Checkpoint{}, err)
				return
			}
			for _, c := range page.Checkpoints {
				if !yield(c, nil) {
					return
				}
			}
			if q.Before = page.Next; q.Before == 0 {
				return
			}
		}
	}
}

// byWorkflow sorts checkpoints by workflow, oldest first, and the workflows by
// their newest: an import hands ordinals out in this order, and the newest work
// here is then the newest there.
func byWorkflow(cs []piton.Checkpoint) {
	newest := map[string]int64{}
	for _, c := range cs {
		newest[c.WorkflowID] = max(newest[c.WorkflowID], c.Ordinal)
	}
	slices.SortFunc(cs, func(a, b piton.Checkpoint) int {
		return cmp.Or(cmp.Compare(newest[a.WorkflowID], newest[b.WorkflowID]), cmp.Compare(a.WorkflowID, b.WorkflowID), cmp.Compare(a.Seq, b.Seq))
	})
}

// drop deletes checkpoints, some at a time. One that is gone meanwhile is no
// reason to stop.
func (k Keeper) drop(ctx context.Context, doomed []piton.Checkpoint, p *Pruning, step func(int)) error {
	byWorkflow(doomed)
	for batch := range slices.Chunk(doomed, deleteStep) {
		var ids []string
		var freed int64
		err := k.saveLeft(ctx, func(tx piton.CheckpointTx) (err error) {
			freed = 0
			if ids, err = there(ctx, tx, batch); err != nil || len(ids) == 0 {
				return err
			}
			if freed, err = tx.Delete(ctx, ids); err != nil {
				return err
			}
			for _, c := range batch {
				if err := tx.Log(ctx, piton.LogEvent{At: k.now(), Kind: "checkpoint_pruned", Session: c.SessionID, Project: c.Project, Workflow: c.WorkflowID, Checkpoint: c.ID}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		p.FreedBytes += freed
		p.Deleted += len(ids)
		step(len(batch))
	}
	return nil
}

// saveLeft saves what fn does to those that are still there. In a database with
// many writers one may go between fn's look and its deed: then fn looks again.
func (k Keeper) saveLeft(ctx context.Context, fn func(piton.CheckpointTx) error) error {
	const tries = 10
	for try := 1; ; try++ {
		err := k.Store.Save(ctx, fn)
		if piton.CodeOf(err) != piton.NotFound || try == tries {
			return err
		}
	}
}

// there are the ids of those checkpoints that are still there.
func there(ctx context.Context, r piton.Reader, cs []piton.Checkpoint) ([]string, error) {
	var ids []string
	for _, c := range cs {
		_, err := r.Checkpoint(ctx, c.ID)
		if piton.CodeOf(err) == piton.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, c.ID)
	}
	return ids, nil
}

// dryFile is as long as the names of the archive's files, which the stores
// note in each checkpoint.
const dryFile = "piton-00000000-0000000000000000.jsonl.zst"

// wouldFree asks the store what deleting and archiving would set free, and
// takes it back.
func (k Keeper) wouldFree(ctx context.Context, doomed, cold []piton.Checkpoint) (freed int64, err error) {
	if len(doomed)+len(cold) == 0 {
		return 0, nil
	}
	err = k.saveLeft(ctx, func(tx piton.CheckpointTx) error {
		ids, err := there(ctx, tx, cold)
		if err != nil {
			return err
		}
		n, err := tx.Archive(ctx, ids, dryFile)
		if err != nil {
			return err
		}
		if ids, err = there(ctx, tx, doomed); err != nil {
			return err
		}
		m, err := tx.Delete(ctx, ids)
		freed = n + m
		if err != nil {
			return err
		}
		return errDry
	})
	if err == errDry {
		err = nil
	}
	return freed, err
}
