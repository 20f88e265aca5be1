package filestore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
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
		w, err := s.flow(c.WorkflowID)
		if err != nil {
			return err
		}
		was := w.Marks[c.ID].Damaged
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
	faults, err := s.reread(ctx, "check")
	if err != nil {
		return nil, err
	}
	page, err := s.List(ctx, piton.Query{})
	if err != nil {
		return nil, err
	}
	names, err := s.disk.names(checkpoints)
	if err != nil {
		return nil, fail("check", err)
	}
	slices.Sort(names)
	for _, name := range names {
		switch {
		case isStaged(name):
			faults = append(faults, checkpoints+"/"+name+" is left over from a save that did not happen; the next save removes it")
		case !isCheckpointName(name) && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".json.tmp"):
			// What the other program was just writing, or left over, is its own.
			faults = append(faults, checkpoints+"/"+name+" is no checkpoint's file")
		}
	}
	raw, err := s.disk.read(seedFile, maxSeed)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		faults = append(faults, seedFile+" cannot be read; it is left alone and does not name the current checkpoint: "+cause(err))
	case err == nil && !json.Valid(raw):
		faults = append(faults, seedFile+" is no JSON; it is left alone and does not name the current checkpoint")
	}
	return slices.Concat(faults, unfit(page.Checkpoints), s.Warnings(), s.asides(workflows), s.asides(events)), nil
}

// unfit says which records do not fit together.
func unfit(list []piton.Checkpoint) (faults []string) {
	seen, there := map[string]string{}, map[string]bool{"": true}
	for _, c := range list {
		there[c.ID] = true
	}
	for _, c := range slices.Backward(list) {
		if !there[c.ParentID] {
			faults = append(faults, fmt.Sprintf("%s (%s): its parent %s is not there", c.File, c.ID, c.ParentID))
		}
		place := fmt.Sprint(c.WorkflowID, c.Seq)
		if other := seen[place]; other != "" {
			faults = append(faults, fmt.Sprintf("%s (%s): %s has the same number %d", c.File, c.ID, other, c.Seq))
		}
		seen[place] = c.ID
	}
	return faults
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
	if e := decode(raw); e.state != nil {
		return [][]byte{e.state}, nil
	}
	_, state, found := bytes.Cut(raw, []byte(stateLine))
	if !found {
		return [][]byte{raw, nil}, nil
	}
	if whole, ok := bytes.CutSuffix(state, []byte(tail)); ok {
		return [][]byte{whole}, nil
	}
	return [][]byte{state, nil}, nil
}

// Reclaim removes what saves that did not happen have left over. All else goes
// back to the file system when it is deleted.
func (s *Store) Reclaim(ctx context.Context, progress func(done, total int64)) (freed int64, err error) {
	err = s.locked(ctx, "reclaim", func() error {
		var m mark
		if err := m.readNames(&s.disk); err != nil {
			return fail("reclaim", err)
		}
		for _, name := range m.stale {
			if info, err := s.disk.stat(name); err == nil {
				freed += info.Size()
			}
		}
		return fail("reclaim", s.sweep(m.stale))
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
		s.drop(false)
	}
	return 0, []string{"names of files in " + s.disk.dir + ", copies and backups of it, and blocks that the file system has set free"}, nil
}

// Warnings says what was found in the folder that the store cannot have
// written, and was set aside. It stays until somebody has looked at it and
// moved it away. Check finds more.
func (s *Store) Warnings() (list []string) {
	kept, _ := s.withIn(".", damagedPrefix)
	for _, name := range kept {
		list = append(list, name+" is a transaction that does not fit the store; nothing of it was done: look at it, then move it away")
	}
	return append(list, s.asides(".")...)
}

// asides lists what was found where files of one folder belong, and set aside.
func (s *Store) asides(dir string) (list []string) {
	names, _ := s.withIn(dir, asideMark)
	for _, name := range names {
		file, _, _ := strings.Cut(name, asideMark)
		list = append(list, path.Join(dir, name)+" was found in the place of "+path.Join(dir, file)+": look at it, then move it away")
	}
	return list
}
