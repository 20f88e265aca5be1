package filestore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// MarkDamaged marks a checkpoint as damaged.
func (s *Store) MarkDamaged(ctx context.Context, id string, clean redact.Clean[string]) error {
	why := clean.Get()
	return s.write(ctx, "mark "+id+" as damaged", func(t *tx) error {
		c, err := t.x.find(ctx, id)
		if err != nil {
			return err
		}
		w, err := s.flow(c.WorkflowID, lying{})
		if err != nil {
			return err
		}
		was := ""
		if w != nil {
			was = w.Marks[c.ID].Damaged
		}
		if (was != "") == (why != "") {
			return nil
		}
		t.note(c, func(n *note) { n.Damaged = why })
		t.log = append(t.log, store.MarkEvent(now(), c, why))
		if c.Damaged != was { // the file itself is damaged
			return nil
		}
		c.Damaged = why
		return t.x.Put(ctx, c)
	})
}

// Check returns one line per fault of the store itself: files that cannot be
// read, records that do not fit together, leftovers.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	s.forget()
	page, err := s.List(ctx, piton.Query{})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	faults, stale := slices.Clone(s.faults), s.stale
	s.mu.Unlock()
	for _, name := range stale {
		faults = append(faults, name+" is left over from a save that did not happen; the next save removes it")
	}
	type place struct {
		workflow string
		seq      int64
	}
	seen, there := map[place]string{}, map[string]bool{}
	for _, c := range page.Checkpoints {
		there[c.ID] = true
	}
	for _, c := range slices.Backward(page.Checkpoints) {
		if p := c.ParentID; p != "" && !there[p] {
			faults = append(faults, fmt.Sprintf("%s (%s): its parent %s is not there", c.File, c.ID, p))
		}
		at := place{c.WorkflowID, c.Seq}
		if other := seen[at]; other != "" {
			faults = append(faults, fmt.Sprintf("%s (%s): %s has the same number %d", c.File, c.ID, other, c.Seq))
		}
		seen[at] = c.ID
	}
	raw, err := s.disk.read(seedFile, maxSeed)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		faults = append(faults, seedFile+" cannot be read; it is left alone and does not name the current checkpoint: "+cause(err))
	case !json.Valid(raw):
		faults = append(faults, seedFile+" is no JSON; it is left alone and does not name the current checkpoint")
	}
	list, err := s.disk.names(checkpoints)
	if err != nil {
		return faults, fail("check", err)
	}
	for _, name := range list {
		// What the other program was just writing, or left over, is its own.
		if !isCheckpointName(name) && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".json.tmp") {
			faults = append(faults, checkpoints+"/"+name+" is no checkpoint's file")
		}
	}
	return slices.Concat(faults, s.Warnings(), s.asides(workflows), s.asides(events)), nil
}

// Raw returns what can still be read of a damaged state: what stands behind
// the state's key, or all of a file in which there is none; nil in the place
// of what is lost.
func (s *Store) Raw(ctx context.Context, id string) ([][]byte, error) {
	c, err := s.Checkpoint(ctx, id)
	if err != nil {
		return nil, err
	}
	raw, err := s.disk.read(c.File, maxCheckpoint)
	if err != nil || len(raw) == 0 {
		return [][]byte{nil}, nil
	}
	if d := decode(raw); d.state != nil {
		return [][]byte{d.state}, nil
	}
	at := bytes.Index(raw, []byte(stateLine))
	if at < 0 {
		return [][]byte{raw, nil}, nil
	}
	state := raw[at+len(stateLine):]
	if whole, ok := bytes.CutSuffix(state, []byte(tail)); ok {
		return [][]byte{whole}, nil
	}
	return [][]byte{state, nil}, nil
}

// Reclaim removes what saves that did not happen have left over. All else goes
// back to the file system when it is deleted.
func (s *Store) Reclaim(ctx context.Context, progress func(done, total int64)) (int64, error) {
	var freed int64
	err := s.locked(ctx, "reclaim", func() error {
		if err := s.refresh(ctx, "reclaim"); err != nil {
			return err
		}
		for _, name := range s.stale {
			if info, err := s.disk.root.Lstat(name); err == nil {
				freed += info.Size()
			}
		}
		return fail("reclaim", s.sweep())
	})
	if progress != nil && err == nil {
		progress(freed, freed)
	}
	return freed, err
}

// Repair takes away what a broken-off save has left over. What else could be mended
// is found anew at each reading.
func (s *Store) Repair(ctx context.Context) ([]string, error) {
	freed, err := s.Reclaim(ctx, nil)
	if err != nil || freed == 0 {
		return nil, err
	}
	return []string{"removed what broken-off saves had left over"}, nil
}

// Purge has nothing to clean beside the checkpoints themselves: the store's
// other files hold ids, numbers and names that were cleaned when they came.
func (s *Store) Purge(ctx context.Context, c store.Cleaner, dry bool) (taken int, beyond []string, err error) {
	if !dry { // it may hold texts from before
		s.drop()
	}
	return 0, []string{"names of files in " + s.disk.dir + ", copies and backups of it, and blocks that the file system has set free"}, nil
}
