package history

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// Pruning is what a policy does to the store. Its JSON is a contract
// (docs/json.md).
type Pruning struct {
	Rows       []piton.Verdict `json:"rows"`              // one per checkpoint, newest first
	Deleted    int             `json:"deleted"`           // how many were; with `--dry-run`, would be
	Archived   int             `json:"archived"`          // likewise
	FreedBytes int64           `json:"freed_bytes"`       // freed in the store; with `--dry-run`, would be freed
	Files      []string        `json:"files,omitempty"`   // the archive files that were written; absent: none was
	Orphans    []Orphan        `json:"orphans,omitempty"` // archive files that this store wrote long ago and that no checkpoint names; absent: there are none, or with `--project` or `--session`
	Marks      int             `json:"marks,omitempty"`   // marks of files that were deleted; with `--dry-run`, would be
	DryRun     bool            `json:"dry_run,omitempty"` // nothing was done
	Left       int             `json:"left,omitempty"`    // how many are still to be archived or deleted; the next prune does it; absent: nothing is left
	Stopped    string          `json:"stopped,omitempty"` // why it stopped early: `interrupted`, `time` or `error`; absent: it finished
}

// Partly tells whether, with an error, the answer says what was done before it:
// it was stopped.
func (p Pruning) Partly() bool { return p.Stopped != "" }

// PruneOptions say how to prune.
type PruneOptions struct {
	Policy  piton.Retention
	Project string // only its checkpoints; empty: all
	Session string // only its checkpoints; empty: all
	DryRun  bool
	// Orphans: archive files that this store wrote and that no checkpoint names any
	// more are removed, where all checkpoints are pruned. Only for a store that is
	// not older than what was acknowledged.
	Orphans  bool
	MaxTime  time.Duration           // when to stop archiving and deleting; 0: at the end
	Progress func(done, total int64) // may be nil
}

// Prune applies a policy: what it says to archive is written to the archive,
// what it says to delete is deleted, and the space is given back. A dry run
// says the same, takes no lock and does nothing. It may be stopped at any
// moment: what is archived is in both places until the store has noted it.
// What was done stays done, and the next pruning goes on from there. On an
// error too the answer says what was done.
func (k Keeper) Prune(ctx context.Context, o PruneOptions) (Pruning, error) {
	p, err := k.planned(ctx, o)
	if err != nil {
		return Pruning{}, err
	}
	if o.DryRun {
		p.Deleted, p.Archived = len(p.doomed), len(p.cold)
		p.FreedBytes, err = k.Store.Upkeep().WouldFree(ctx, p.doomed, p.cold, dryFile)
		return p.Pruning, err
	}
	if err := p.run(ctx); err != nil || o.Session != "" {
		p.orphans.left(0)
		return p.Pruning, err // what a session's checkpoints leave is room for its next ones
	}
	p.orphans.remove(ctx, p.over)
	if o.Project == "" {
		k.expire(ctx)
	}
	k.reclaim(ctx, o.MaxTime)
	if ctx.Err() != nil {
		p.Stopped = StoppedInterrupted
	}
	return p.Pruning, ctx.Err()
}

// dryFile is as long as the names of the archive's files, which the stores
// note in each checkpoint.
const dryFile = "piton-00000000-0000000000000000.jsonl.zst"

// expire deletes what is no longer kept of what happened, on this machine and in the
// store.
func (k Keeper) expire(ctx context.Context) {
	if k.Local != nil {
		if err := k.Local.Expire(ctx, piton.At(k.now().Add(-store.EventsFor))); err != nil {
			k.log().WarnContext(ctx, "old events and decisions were not deleted", "err", err)
		}
	}
	if k.oneFile() {
		return
	}
	if err := k.Store.Upkeep().ExpireMetrics(ctx, piton.At(k.now().Add(-store.MetricsFor))); err != nil {
		k.log().WarnContext(ctx, "old counters were not deleted", "err", err)
	}
}

// pruner carries out what a policy says, in short transactions.
type pruner struct {
	Keeper
	Pruning
	doomed, cold []piton.Checkpoint
	orphans      orphans
	row          map[string]int  // of a checkpoint in Rows
	left         map[string]bool // ids of what is still to be done
	end          piton.Time      // when to stop; zero: never
	pace         pace
	count        func(n int)
}

// planned asks the policy what is to be done.
func (k Keeper) planned(ctx context.Context, o PruneOptions) (*pruner, error) {
	if err := k.ready("prune"); err != nil {
		return nil, err
	}
	now, l := k.now(), newKeptList(k)
	var err error
	if o.Session == "" {
		err = l.add(ctx, piton.Query{Project: o.Project})
	} else {
		err = l.addSession(ctx, o.Session, o.Project, o.Policy)
	}
	if err != nil {
		return nil, err
	}
	byID := make(map[string]piton.Checkpoint, len(l.all))
	for _, x := range l.all {
		byID[x.Checkpoint.ID] = x.Checkpoint
	}
	p := &pruner{Keeper: k, Pruning: Pruning{Rows: []piton.Verdict{}, DryRun: o.DryRun}, orphans: orphans{Keeper: k}, row: map[string]int{}, left: map[string]bool{}}
	if o.MaxTime > 0 {
		p.end = piton.At(k.now().Add(o.MaxTime))
	}
	for _, v := range o.Policy.Plan(now.Time, l.all) {
		c := byID[v.ID]
		if o.Session != "" && c.SessionID != o.Session {
			continue
		}
		if v.Action == piton.MoveToCold && k.Archive == nil {
			v.Action, v.Reason = piton.Keep, v.Reason+", but no archive is set"
		}
		p.row[v.ID] = len(p.Rows)
		p.Rows = append(p.Rows, v)
		switch v.Action {
		case piton.DeleteForever:
			p.doomed = append(p.doomed, c)
		case piton.MoveToCold:
			p.cold = append(p.cold, c)
		}
	}
	if o.Orphans && o.Project == "" && o.Session == "" {
		p.orphans.find(ctx, o.Policy, l.all, o.MaxTime/4)
		p.Orphans = p.orphans.list // the same rows
	}
	p.count = counter(o.Progress, len(p.doomed)+len(p.cold))
	return p, nil
}

// errEnough ends a pruning that has taken its time.
var errEnough = errors.New("the time is over")

// run archives and deletes, the oldest work first. Where it ends before that is
// all done, the answer says what was not.
func (p *pruner) run(ctx context.Context) error {
	for _, list := range [][]piton.Checkpoint{p.cold, p.doomed} {
		byWorkflow(list)
		for _, c := range list {
			p.left[c.ID] = true
		}
	}
	err := p.archive(ctx)
	if err == nil {
		err = p.drop(ctx)
	}
	if err == nil {
		return nil
	}
	p.Stopped, p.Left = stopped(ctx), len(p.left)
	for id := range p.left {
		p.keep(id, p.Rows[p.row[id]].Reason+", but the run ended before")
	}
	if errors.Is(err, errEnough) {
		if err = nil; ctx.Err() == nil {
			p.Stopped = StoppedTime
		}
	}
	return err
}

// over says why to stop between two steps.
func (p *pruner) over(ctx context.Context) error {
	if !p.end.IsZero() && !p.now().Before(p.end.Time) {
		return errEnough
	}
	return ctx.Err()
}

// done counts a step.
func (p *pruner) done(cs []piton.Checkpoint) {
	for _, c := range cs {
		delete(p.left, c.ID)
	}
	p.count(len(cs))
}

// keep changes the verdict on a checkpoint.
func (p *pruner) keep(id, reason string) {
	row := &p.Rows[p.row[id]]
	row.Action, row.Reason = piton.Keep, reason
}

// archive writes checkpoints to the archive, file by file, and lets the store
// note each file when it is safe.
func (p *pruner) archive(ctx context.Context) error {
	for cold := p.cold; len(cold) > 0; {
		if err := p.over(ctx); err != nil {
			return err
		}
		n := archiveBatch(cold)
		batch, unread := cold[:n], map[string]bool{}
		cold = cold[n:]
		file, _, err := p.Archive.Write(ctx, unchecked(p.entries(ctx, batch, func(c piton.Checkpoint, err error) error {
			// One that is damaged stays where it is, with its mark.
			if unread[c.ID] = true; !notFound(err) {
				p.keep(c.ID, "damaged: "+Cause(err))
			}
			return nil
		})))
		if len(unread) == n && piton.CodeOf(err) == piton.Invalid {
			p.done(batch)
			continue // all of them are damaged: there is nothing to write
		}
		if err != nil {
			return err
		}
		if ok, err := p.noteWritten(ctx, file); err != nil {
			return err
		} else if !ok {
			for _, c := range batch {
				p.keep(c.ID, "its archive file is being removed; the next prune writes it again")
			}
			p.done(batch)
			continue
		}
		noted, err := p.note(ctx, batch, unread, file)
		if noted > 0 {
			p.Files = append(p.Files, file)
		}
		if err != nil {
			return err
		}
		if noted == 0 {
			// All of them were deleted, moved or rewritten while the file was written.
			if err := p.dropFiles(ctx, []piton.Checkpoint{{InStore: piton.InStore{Archive: file}}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// note lets the store note a file, some checkpoints at a time, and returns how
// many it has noted.
func (p *pruner) note(ctx context.Context, batch []piton.Checkpoint, unread map[string]bool, file string) (noted int, err error) {
	for part := range p.pace.batches(batch) {
		written := slices.DeleteFunc(slices.Clone(part), func(c piton.Checkpoint) bool { return unread[c.ID] })
		var n int
		var freed int64
		err := p.pace.do(func() (err error) {
			n, freed, err = p.noteArchived(ctx, written, file)
			return err
		})
		if err != nil {
			return noted, err
		}
		noted += n
		p.Archived, p.FreedBytes = p.Archived+n, p.FreedBytes+freed
		p.done(part)
	}
	return noted, nil
}

// drop deletes checkpoints, some at a time, and the files of the archive that
// nothing names any more. A checkpoint that is gone meanwhile is no reason to
// stop.
func (p *pruner) drop(ctx context.Context) error {
	for batch := range p.pace.batches(p.doomed) {
		if err := p.over(ctx); err != nil {
			return err
		}
		var ids []string
		var freed int64
		err := p.pace.do(func() error {
			return p.saveLeft(ctx, func(tx store.Tx) (err error) {
				freed = 0
				if ids, err = present(ctx, tx, batch, nil); err != nil || len(ids) == 0 {
					return err
				}
				freed, err = p.deleteLogged(ctx, tx, batch, ids, store.CheckpointPruned)
				return err
			})
		})
		if err != nil {
			return err
		}
		p.FreedBytes += freed
		p.Deleted += len(ids)
		p.done(batch)
		// Whatever comes now, no state that was deleted stays in the archive.
		if err := p.dropFiles(context.WithoutCancel(ctx), batch); err != nil {
			return err
		}
	}
	return nil
}
