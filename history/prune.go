package history

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/piton-project/piton"
)

// Bounds of one step of pruning, so that no saver waits long for it and no
// archive file grows beyond what a load wants to read.
const (
	deleteStep  = 32
	archiveStep = 64
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

// moveToCold writes checkpoints to the archive, file by file, and lets the
// store note each file when it is safe.
func (k Keeper) moveToCold(ctx context.Context, cold []piton.Checkpoint, p *Pruning, step func(int)) error {
	byWorkflow(cold)
	for len(cold) > 0 {
		n, size := 0, int64(0)
		for n < len(cold) && n < archiveStep && (n == 0 || size+cold[n].StateBytes <= archiveSize && cold[n].WorkflowID == cold[0].WorkflowID) {
			size += cold[n].StateBytes
			n++
		}
		batch := cold[:n]
		cold = cold[n:]
		var ids []string
		file, _, err := k.Archive.Write(ctx, k.entries(ctx, batch, func(c piton.Checkpoint, err error) error {
			// One that is damaged stays where it is, with its mark.
			p.keep(c.ID, "damaged: "+why(err))
			return nil
		}, &ids))
		step(n)
		if len(ids) == 0 && piton.CodeOf(err) == piton.Invalid {
			continue // all of them are damaged: there is nothing to write
		}
		if err != nil {
			return err
		}
		n, err = k.noteCold(ctx, batch, ids, file, p)
		if err != nil {
			return err
		}
		if n == 0 {
			// All of them were deleted while the file was written.
			if err := k.dropFiles(ctx, []piton.Checkpoint{{Archive: file}}); err != nil {
				return err
			}
			continue
		}
		p.Archived += n
		p.Files = append(p.Files, file)
	}
	return nil
}

// noteCold lets the store note which of a batch, those with these ids, lie in
// a file of the archive, and returns how many. One that is gone meanwhile is no
// reason to stop.
func (k Keeper) noteCold(ctx context.Context, batch []piton.Checkpoint, ids []string, file string, p *Pruning) (n int, err error) {
	var freed int64
	err = k.Store.Save(ctx, func(tx piton.CheckpointTx) error {
		left, err := there(ctx, tx, batch)
		if err != nil {
			return err
		}
		left = slices.DeleteFunc(left, func(id string) bool { return !slices.Contains(ids, id) })
		if n = len(left); n == 0 {
			return nil
		}
		freed, err = tx.Archive(ctx, left, file)
		return err
	})
	if err != nil {
		return 0, err
	}
	p.FreedBytes += freed
	return n, nil
}

// keep changes the verdict on a checkpoint.
func (p *Pruning) keep(id, reason string) {
	for i := range p.Rows {
		if p.Rows[i].ID == id {
			p.Rows[i].Action, p.Rows[i].Reason = piton.Keep, reason
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
		err := k.Store.Save(ctx, func(tx piton.CheckpointTx) (err error) {
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

// dropFiles removes those files of the archive that no checkpoint names any
// more.
func (k Keeper) dropFiles(ctx context.Context, gone []piton.Checkpoint) error {
	if k.Archive == nil {
		return nil
	}
	seen := map[string]bool{"": true}
	for _, c := range gone {
		if seen[c.Archive] {
			continue
		}
		seen[c.Archive] = true
		page, err := k.Store.List(ctx, piton.Query{Archive: c.Archive, Limit: 1})
		if err != nil {
			return err
		}
		if len(page.Checkpoints) == 0 {
			if err := k.Archive.Remove(ctx, c.Archive); err != nil {
				return err
			}
		}
	}
	return nil
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
	err = k.Store.Save(ctx, func(tx piton.CheckpointTx) error {
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
