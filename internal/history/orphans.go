package history

import (
	"context"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// Orphan is a file of the archive that this store wrote and that no checkpoint names
// any more: what a stopped prune, deletion or purge has left. Its JSON is a contract
// (docs/json.md).
type Orphan struct {
	File   string       `json:"file"`
	Action piton.Action `json:"action"` // `keep` or `delete`
	Reason string       `json:"reason"`
}

// Bounds of what a pruning does about orphans.
const (
	// orphanAge is how long ago a file was written that may be removed: no step
	// that is to name it takes that long.
	orphanAge = 30 * 24 * time.Hour
	// maxOrphans is how many files one pruning reads.
	maxOrphans = 32
)

// orphans are those that one pruning deals with.
type orphans struct {
	Keeper
	list []Orphan
}

// find lists the orphans and says what to do with each. Several stores may
// use one place, and a store may have been copied or restored. So a file is removed
// only where this store has noted that it wrote it, its name fits its owner, and
// all that it holds is either loaded from elsewhere, or older than what the policy
// keeps. Where anything cannot be read, nothing is removed. A pruning goes on
// without it, or where it has taken most; 0: that is no matter.
func (o *orphans) find(ctx context.Context, policy piton.Retention, all []piton.Kept, most time.Duration) {
	if o.Local == nil || o.Archive == nil || o.OneOff {
		return
	}
	if most > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, most)
		defer cancel()
	}
	files, err := o.unnamedFiles(ctx, all)
	if err != nil || len(files) == 0 {
		o.unread(ctx, err)
		return
	}
	faults, err := o.Store.Upkeep().Check(ctx)
	if err != nil || len(faults) > 0 {
		o.log().WarnContext(ctx, "no orphaned archive files are removed while the store is damaged", "faults", len(faults), "err", err)
		return
	}
	for _, f := range files {
		own, err := o.Archive.Owns(ctx, f.name)
		named := false
		if err == nil && own {
			named, err = isListed(ctx, o.stores(), f.name)
		}
		if code := piton.CodeOf(err); err != nil && code != piton.Corrupt && code != piton.Invalid && code != piton.NotFound {
			o.unread(ctx, err)
			return
		}
		if err == nil && (!own || named) || notFound(err) {
			continue
		}
		x := Orphan{f.name, piton.DeleteForever, "no checkpoint names it"}
		if err != nil {
			x.Action, x.Reason = piton.Keep, "no checkpoint names it, but it cannot be read to its end"
		} else if doubt := o.doubt(ctx, policy, f); doubt != "" {
			x.Action, x.Reason = piton.Keep, "no checkpoint names it, but "+doubt
		}
		o.list = append(o.list, x)
	}
}

func (o *orphans) unread(ctx context.Context, err error) {
	if err != nil {
		o.log().WarnContext(ctx, "orphaned archive files were not looked for", "err", err)
	}
}

// writtenFile is a file of the archive, and when this store wrote it last.
type writtenFile struct {
	name string
	at   time.Time
}

// unnamedFiles are files of the archive that this store wrote long ago and that none
// of the listed checkpoints names.
func (o *orphans) unnamedFiles(ctx context.Context, all []piton.Kept) (list []writtenFile, err error) {
	named := map[string]bool{}
	for _, x := range all {
		if x.Checkpoint.BadRecord {
			return nil, nil // it may name any
		}
		named[x.Checkpoint.Archive] = true
	}
	files, err := o.Archive.Files(ctx)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if named[file] {
			continue
		}
		mark, err := o.Local.Mark(ctx, store.ArchivedMark+file)
		if err != nil {
			return nil, err
		}
		at := time.UnixMilli(max(mark, -mark))
		if mark == 0 || o.now().Sub(at) < orphanAge {
			continue
		}
		if list = append(list, writtenFile{file, at}); len(list) == maxOrphans {
			break
		}
	}
	return list, nil
}

// doubt says why an orphan may hold the last copy of something; "" where it does not.
// Checkpoints that the store does not know were deleted, or a copy of the store from
// before them has taken its place.
func (o *orphans) doubt(ctx context.Context, policy piton.Retention, f writtenFile) string {
	for e, err := range o.Archive.Entries(ctx, f.name) {
		if err != nil {
			return "it cannot be read to its end"
		}
		id := e.Checkpoint.ID
		c, err := o.Store.Checkpoint(ctx, id)
		if notFound(err) {
			if e.Checkpoint.Name != "" || policy.DeleteAt == 0 || o.now().Sub(f.at) < policy.DeleteAt {
				return "it holds " + id + ", which the store does not know and the policy may keep"
			}
			continue
		}
		if err == nil && c.Archive == f.name {
			return "it holds " + id + ", which names it where no list shows it"
		}
		if err == nil {
			_, err = o.findState(ctx, c)
		}
		if err != nil {
			return "it holds " + id + ", whose state cannot be read elsewhere"
		}
	}
	return ""
}

// remove removes what was found. What stays for a reason of its own is looked at
// again when it is that old again.
func (o *orphans) remove(ctx context.Context, over func(context.Context) error) {
	for i := range o.list {
		x := &o.list[i]
		if err := over(ctx); err != nil {
			o.left(i)
			return
		}
		if x.Action == piton.Keep {
			if err := o.setWritten(ctx, x.File, o.now()); err != nil {
				o.log().WarnContext(ctx, "a kept archive file was not noted", "err", err)
			}
			continue
		}
		if why, err := o.removeOne(ctx, x.File); why != "" || err != nil {
			x.Action, x.Reason = piton.Keep, x.Reason+", but "+why
			if err != nil {
				o.log().WarnContext(ctx, "an orphaned archive file was not removed", "err", err)
			}
		}
	}
}

// left says of the orphans from one on that the run ended before them.
func (o *orphans) left(from int) {
	for i := range o.list[from:] {
		if x := &o.list[from+i]; x.Action == piton.DeleteForever {
			x.Action, x.Reason = piton.Keep, x.Reason+", but the run ended before"
		}
	}
}

// removeOne claims a file, so that no other process names it any more, and removes
// it. why is the reason where it stays. Killed in between, the next pruning goes on.
func (o *orphans) removeOne(ctx context.Context, file string) (why string, err error) {
	claimed := false
	err = o.Local.Update(ctx, func(tx store.LocalTx) error {
		mark, err := tx.Mark(ctx, store.ArchivedMark+file)
		claimed = err == nil && mark != 0 && o.now().Sub(time.UnixMilli(max(mark, -mark))) >= orphanAge
		if !claimed || mark < 0 {
			return err
		}
		return tx.SetMark(ctx, store.ArchivedMark+file, -mark)
	})
	if err != nil {
		return "it cannot be removed now", err
	}
	if !claimed {
		return "it was written again meanwhile", nil
	}
	named, err := isListed(ctx, o.stores(), file)
	if err == nil && named {
		return "a checkpoint names it again", o.setWritten(ctx, file, o.now())
	}
	if err == nil {
		err = o.Archive.Remove(ctx, file)
	}
	if err != nil {
		return "it cannot be removed now", err
	}
	o.forgetWritten(ctx, file)
	return "", nil
}
