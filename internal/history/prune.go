package history

import (
	"context"
	"errors"
	"time"

	"github.com/piton-project/piton"
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
	Left       int             `json:"left,omitempty"`    // to be archived or deleted, not done yet
	Stopped    string          `json:"stopped,omitempty"` // why: interrupted, time, error
}

// Why a pruning stopped before its end.
const (
	StoppedInterrupted = "interrupted"
	StoppedTime        = "time"
	StoppedError       = "error"
)

// PruneOptions say how to prune.
type PruneOptions struct {
	Policy   piton.Retention
	Project  string // only its checkpoints; empty: all
	Session  string // only its checkpoints; empty: all
	DryRun   bool
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
	now := k.now()
	kept, err := k.kept(ctx, o)
	if err != nil {
		return Pruning{}, err
	}
	byID := map[string]piton.Checkpoint{}
	for _, x := range kept {
		byID[x.Checkpoint.ID] = x.Checkpoint
	}
	p := newPruner(k, o)
	for _, v := range o.Policy.Plan(now.Time, kept) {
		c := byID[v.ID]
		if o.Session != "" && c.SessionID != o.Session {
			continue
		}
		if v.Action == piton.MoveToCold && k.Archive == nil {
			v.Action, v.Reason = piton.Keep, v.Reason+", but no archive is set"
		}
		p.add(v, c)
	}
	if o.DryRun {
		p.Deleted, p.Archived = len(p.doomed), len(p.cold)
		p.FreedBytes, err = k.Store.Upkeep().WouldFree(ctx, p.doomed, p.cold, dryFile)
		return p.Pruning, err
	}
	err = p.run(ctx)
	p.stop(ctx, err)
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err != nil || o.Session != "" {
		return p.Pruning, err // what a session's checkpoints leave is room for its next ones
	}
	if o.Project == "" {
		k.expire(ctx, now)
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

// expireAfter is how long events, decisions and delivered letters are kept
// (docs/spec.md, "Metrics").
const expireAfter = 30 * 24 * time.Hour

// expire deletes events, decisions and letters that are no longer kept.
func (k Keeper) expire(ctx context.Context, now piton.Time) {
	if k.Local == nil {
		return
	}
	if err := k.Local.Expire(ctx, piton.At(now.Add(-expireAfter))); err != nil {
		k.log().WarnContext(ctx, "old events and decisions were not deleted", "err", err)
	}
}

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
