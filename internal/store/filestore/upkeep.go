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

	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Prepare has nothing to do: a state is stored as it is.
func (s *Store) Prepare(_ context.Context, p store.Prepared) (store.Prepared, error) { return p, nil }

// Upkeep is the store itself.
func (s *Store) Upkeep() store.Upkeep { return s }

// MarkDamaged marks a checkpoint as damaged.
func (s *Store) MarkDamaged(ctx context.Context, id string, clean redact.Clean[string]) error {
	why := clean.Get()
	return s.write(ctx, "mark "+id+" as damaged", func(t *tx) error {
		e, err := t.find("mark "+id+" as damaged", id)
		if err != nil {
			return err
		}
		w := t.x.flowOf(e)
		was := w.Marks[e.c.ID].Damaged
		if (was != "") == (why != "") {
			return nil
		}
		t.mark(w, e.c.ID, func(n *note) { n.Damaged = why })
		marked := *e
		if marked.c.Damaged == was { // else the file itself is damaged
			marked.c.Damaged = why
		}
		t.replace(&marked)
		t.log = append(t.log, store.MarkEvent(now(), e.c, why))
		return nil
	})
}

// Check returns one line per fault of the store itself: files that cannot be
// read, records that do not fit together, leftovers.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	s.forget()
	x, err := s.at(ctx)
	if err != nil {
		return nil, err
	}
	faults := append([]string(nil), x.faults...)
	for _, name := range x.stale {
		faults = append(faults, name+" is left over from a save that did not happen; the next save removes it")
	}
	type place struct {
		workflow string
		seq      int64
	}
	seen := map[place]string{}
	ordinals := map[int64]string{}
	for _, e := range x.order {
		if e.why != "" {
			faults = append(faults, fmt.Sprintf("%s (%s): %s", e.c.File, e.c.ID, e.why))
		}
		if p := e.c.ParentID; p != "" && x.byID[p] == nil {
			faults = append(faults, fmt.Sprintf("%s (%s): its parent %s is not there", e.c.File, e.c.ID, p))
		}
		at := place{e.c.WorkflowID, e.c.Seq}
		if other := seen[at]; other != "" {
			faults = append(faults, fmt.Sprintf("%s (%s): %s has the same number %d", e.c.File, e.c.ID, other, e.c.Seq))
		}
		if other := ordinals[e.c.Ordinal]; other != "" {
			faults = append(faults, fmt.Sprintf("%s (%s): %s has the same ordinal %d", e.c.File, e.c.ID, other, e.c.Ordinal))
		}
		seen[at], ordinals[e.c.Ordinal] = e.c.ID, e.c.ID
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
	op := "read what is left of " + id
	x, err := s.at(ctx)
	if err != nil {
		return nil, err
	}
	e, err := x.find(op, id)
	if err != nil {
		return nil, err
	}
	raw, err := s.disk.read(checkpoints+"/"+e.name, maxCheckpoint)
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
		s.suspect()
		x, err := s.refresh(ctx)
		if err != nil {
			return err
		}
		for _, name := range x.stale {
			if info, err := s.disk.root.Lstat(name); err == nil {
				freed += info.Size()
			}
		}
		if err := s.sweep(x); err != nil {
			return fail("reclaim", err)
		}
		return nil
	})
	if progress != nil && err == nil {
		progress(freed, freed)
	}
	return freed, err
}
