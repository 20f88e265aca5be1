package history

import (
	"context"
	"errors"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// movesMost bounds how often a state is looked for that is moved meanwhile.
const movesMost = 5

// errMoved says that a state was moved or rewritten meanwhile.
var errMoved = errors.New("the state was moved")

// stateOf reads a checkpoint's state, from the archive where it lies there.
// Pruning and purging move states while others read them. NotFound when it has
// been deleted since it was listed.
func (k Keeper) stateOf(ctx context.Context, c piton.Checkpoint) ([]byte, error) {
	state, err := k.stateAt(ctx, c)
	for range movesMost {
		if code := piton.CodeOf(err); code != piton.NotFound && code != piton.Unavailable {
			break
		}
		now, gone := k.Store.Checkpoint(ctx, c.ID)
		if piton.CodeOf(gone) == piton.NotFound {
			return nil, gone
		}
		if gone != nil || now.Archive == c.Archive {
			break
		}
		c = now
		state, err = k.stateAt(ctx, c)
	}
	return state, err
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
	if piton.CodeOf(err) == piton.NotFound {
		return nil, &piton.Error{Code: piton.Unavailable, Op: op, Hint: "see that checkpoints.archive names the place where " + c.Archive + " lies", Err: err}
	}
	if err != nil {
		return nil, err
	}
	if e.Checkpoint.SHA256 != c.SHA256 {
		return nil, piton.Errorf(piton.Corrupt, op, "", "the archive's file %s holds another state under this id", c.Archive)
	}
	return e.State, nil
}

// moveToCold writes checkpoints to the archive, file by file, and lets the
// store note each file when it is safe.
func (p *pruner) moveToCold(ctx context.Context) error {
	for cold := p.cold; len(cold) > 0; {
		if err := p.over(ctx); err != nil {
			return err
		}
		n, size := 0, int64(0)
		for n < len(cold) && n < archiveStep && (n == 0 || size+cold[n].StateBytes <= archiveSize && cold[n].WorkflowID == cold[0].WorkflowID) {
			size += cold[n].StateBytes
			n++
		}
		batch := cold[:n]
		cold = cold[n:]
		var ids []string
		file, _, err := p.Archive.Write(ctx, inStore(p.entries(ctx, batch, func(c piton.Checkpoint, err error) error {
			// One that is damaged stays where it is, with its mark.
			p.keep(c.ID, "damaged: "+why(err))
			return nil
		}, &ids, nil)))
		if len(ids) == 0 && piton.CodeOf(err) == piton.Invalid {
			p.done(batch)
			continue // all of them are damaged: there is nothing to write
		}
		if err != nil {
			return err
		}
		noted, err := p.noteAll(ctx, batch, ids, file)
		if noted > 0 {
			p.Files = append(p.Files, file)
		}
		if err != nil {
			return err
		}
		if noted == 0 {
			// All of them were deleted, moved or rewritten while the file was written.
			if err := p.dropFiles(ctx, []piton.Checkpoint{{Archive: file}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// noteAll lets the store note a file, some checkpoints at a time, and returns
// how many it has noted.
func (p *pruner) noteAll(ctx context.Context, batch []piton.Checkpoint, ids []string, file string) (noted int, err error) {
	for len(batch) > 0 {
		part := batch[:min(p.pace.size(), len(batch))]
		batch = batch[len(part):]
		n := 0
		err := p.pace.do(func() (err error) {
			n, err = p.noteCold(ctx, part, ids, file)
			return err
		})
		if err != nil {
			return noted, err
		}
		noted += n
		p.Archived += n
		p.done(part)
	}
	return noted, nil
}

// noteCold lets the store note which of a batch, those with these ids, lie in
// a file of the archive, and returns how many. One that is gone meanwhile, or
// has been moved or rewritten, is no reason to stop; the next pruning sees it.
func (p *pruner) noteCold(ctx context.Context, batch []piton.Checkpoint, ids []string, file string) (n int, err error) {
	var freed int64
	err = errMoved
	for tries := 0; err == errMoved && tries < movesMost; tries++ {
		err = p.saveLeft(ctx, func(tx store.Tx) error {
			left, err := unchanged(ctx, tx, batch)
			if err != nil {
				return err
			}
			left = slices.DeleteFunc(left, func(id string) bool { return !slices.Contains(ids, id) })
			if n = len(left); n == 0 {
				return nil
			}
			if freed, err = tx.Archive(ctx, left, file); err != nil {
				return err
			}
			// The branches are locked only now: what was read before may have
			// been rewritten since.
			for _, c := range batch {
				if now, err := tx.Checkpoint(ctx, c.ID); err == nil && slices.Contains(left, c.ID) && now.SHA256 != c.SHA256 {
					return errMoved
				}
			}
			return nil
		})
	}
	if err == errMoved {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	p.FreedBytes += freed
	return n, nil
}

// unchanged are the ids of those checkpoints whose states are where they were
// and what they were.
func unchanged(ctx context.Context, r store.Reader, cs []piton.Checkpoint) ([]string, error) {
	var ids []string
	for _, c := range cs {
		now, err := r.Checkpoint(ctx, c.ID)
		if piton.CodeOf(err) == piton.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		if now.Archive == c.Archive && now.SHA256 == c.SHA256 {
			ids = append(ids, c.ID)
		}
	}
	return ids, nil
}

// holdsNamed tells whether a file of the archive holds a checkpoint whose record
// names it: a list by files comes from an index, which may be damaged.
func (k Keeper) holdsNamed(ctx context.Context, stores []store.Checkpoints, file string) bool {
	for e, err := range k.Archive.Entries(ctx, file) {
		if err != nil {
			return false // there is nothing to keep that could be read
		}
		for _, s := range stores {
			if c, err := s.Checkpoint(ctx, e.Checkpoint.ID); err == nil && c.Archive == file {
				return true
			}
		}
	}
	return false
}

// dropFiles removes those files of the archive that no checkpoint names any
// more, here or in the store of this machine: of the same checkpoints both
// write the same file.
func (k Keeper) dropFiles(ctx context.Context, gone []piton.Checkpoint) error {
	if k.Archive == nil {
		return nil
	}
	stores := []store.Checkpoints{k.Store}
	if own, ok := k.own(); ok {
		stores = append(stores, own)
	}
	seen := map[string]bool{"": true}
	for _, c := range gone {
		if seen[c.Archive] {
			continue
		}
		seen[c.Archive] = true
		named := false
		for _, s := range stores {
			page, err := s.List(ctx, piton.Query{Archive: c.Archive, Limit: 1})
			if err != nil {
				return err
			}
			named = named || len(page.Checkpoints) > 0
		}
		if named || k.holdsNamed(ctx, stores, c.Archive) {
			continue
		}
		if err := k.Archive.Remove(ctx, c.Archive); err != nil && piton.CodeOf(err) != piton.Invalid {
			return err // Invalid: what the record names is no archive's file
		}
	}
	return nil
}
