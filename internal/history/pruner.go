package history

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Bounds of a file of the archive, so that it does not grow beyond what a load
// wants to read.
const (
	archiveStep = 32
	archiveSize = 32 << 20
)

// pruner carries out what a policy says, in short transactions.
type pruner struct {
	Keeper
	Pruning
	doomed, cold []piton.Checkpoint
	row          map[string]int // of a checkpoint in Rows
	left         map[string]bool
	end          piton.Time // when to stop; zero: never
	pace         pace
	step         func(n int)
}

func newPruner(k Keeper, o PruneOptions) *pruner {
	p := &pruner{Keeper: k, Pruning: Pruning{Rows: []piton.Verdict{}, DryRun: o.DryRun}, row: map[string]int{}, left: map[string]bool{}, pace: newPace(time.Now)}
	if o.MaxTime > 0 {
		p.end = piton.At(k.now().Add(o.MaxTime))
	}
	p.step = func(n int) {
		if total := int64(len(p.doomed) + len(p.cold)); o.Progress != nil {
			o.Progress(total-int64(len(p.left)), total)
		}
	}
	return p
}

// add takes a verdict on a checkpoint.
func (p *pruner) add(v piton.Verdict, c piton.Checkpoint) {
	p.row[v.ID] = len(p.Rows)
	p.Rows = append(p.Rows, v)
	switch v.Action {
	case piton.DeleteForever:
		p.doomed = append(p.doomed, c)
	case piton.MoveToCold:
		p.cold = append(p.cold, c)
	}
}

// errEnough ends a pruning that has taken its time.
var errEnough = errors.New("the time is over")

// run archives and deletes; the oldest work first.
func (p *pruner) run(ctx context.Context) error {
	for _, list := range [][]piton.Checkpoint{p.cold, p.doomed} {
		byWorkflow(list)
		for _, c := range list {
			p.left[c.ID] = true
		}
	}
	if err := p.moveToCold(ctx); err != nil {
		return err
	}
	return p.drop(ctx)
}

// over tells why to stop between two steps.
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
	p.step(len(cs))
}

// stop says what of the plan was not done, if the run ended before.
func (p *pruner) stop(ctx context.Context, err error) {
	switch {
	case err == nil:
		return
	case ctx.Err() != nil:
		p.Stopped = StoppedInterrupted
	case errors.Is(err, errEnough):
		p.Stopped = StoppedTime
	default:
		p.Stopped = StoppedError
	}
	p.Left = len(p.left)
	for id := range p.left {
		p.keep(id, p.Rows[p.row[id]].Reason+", but the run ended before")
	}
}

// keep changes the verdict on a checkpoint.
func (p *pruner) keep(id, reason string) {
	if i, ok := p.row[id]; ok {
		p.Rows[i].Action, p.Rows[i].Reason = piton.Keep, reason
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

// drop deletes checkpoints, some at a time, and the files of the archive that
// nothing names any more. A checkpoint that is gone meanwhile is no reason to
// stop.
func (p *pruner) drop(ctx context.Context) error {
	for rest := p.doomed; len(rest) > 0; {
		if err := p.over(ctx); err != nil {
			return err
		}
		batch := rest[:min(p.pace.size(), len(rest))]
		rest = rest[len(batch):]
		var ids []string
		var freed int64
		err := p.pace.do(func() error {
			return p.saveLeft(ctx, func(tx store.Tx) (err error) {
				freed = 0
				if ids, err = there(ctx, tx, batch); err != nil || len(ids) == 0 {
					return err
				}
				if freed, err = tx.Delete(ctx, ids); err != nil {
					return err
				}
				for _, c := range batch {
					if err := tx.Log(ctx, redact.Value(store.EventOf(store.CheckpointPruned, p.now(), c))); err != nil {
						return err
					}
				}
				return nil
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

// steps counts what is done towards a total.
func steps(progress func(done, total int64), total int) func(n int) {
	var done int64
	return func(n int) {
		if done += int64(n); progress != nil {
			progress(done, int64(total))
		}
	}
}

// saveLeft saves what fn does to those that are still there. In a database with
// many writers one may go between fn's look and its deed: then fn looks again.
func (k Keeper) saveLeft(ctx context.Context, fn func(store.Tx) error) error {
	const tries = 10
	for try := 1; ; try++ {
		err := k.Store.Save(ctx, fn)
		if piton.CodeOf(err) != piton.NotFound || try == tries {
			return err
		}
	}
}

// there are the ids of those checkpoints that are still there. cs may come from
// another store, which others write to: an id alone does not make it the same.
func there(ctx context.Context, r store.Reader, cs []piton.Checkpoint) ([]string, error) {
	var ids []string
	for _, c := range cs {
		here, err := r.Checkpoint(ctx, c.ID)
		if piton.CodeOf(err) == piton.NotFound || err == nil && here.WorkflowID != c.WorkflowID {
			continue
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, c.ID)
	}
	return ids, nil
}
