package filestore

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// State returns a checkpoint's compact state.
func (r reader) State(ctx context.Context, id string) ([]byte, error) {
	op := "load checkpoint " + id
	for try := 0; ; try++ {
		x, err := r.at(ctx)
		if err != nil {
			return nil, err
		}
		e := x.entry(id)
		switch {
		case !r.inside && x.misfit():
			r.s.distrust()
			continue
		case e == nil:
			return nil, store.NoCheckpoint(op)
		case e.c.Archive != "":
			return nil, piton.Errorf(piton.NotFound, op, "its state lies in the archive's file "+e.c.Archive, "the state is archived")
		case e.state != nil:
			return slices.Clone(e.state), nil
		}
		d, err := r.s.read(e.name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && try < 3:
			continue // deleted or archived just now
		case errors.Is(err, fs.ErrNotExist):
			return nil, piton.Errorf(piton.Corrupt, op, nearest(id), "its file %s is gone", e.name)
		case err != nil:
			return nil, fail(op, err)
		case e.why != "" && d.state == nil:
			return nil, piton.Errorf(piton.Corrupt, op, nearest(id), "the file %s: %s", e.name, e.why)
		case d.state == nil && d.Archive != "" && try < 3:
			r.s.forget()
			continue
		case d.state == nil:
			return nil, piton.Errorf(piton.Corrupt, op, nearest(id), "the file %s: %s", e.name, d.why)
		case e.why != "" || d.SHA256 != e.c.SHA256 || d.alias != e.alias || d.alias == "" && d.ID != id:
			// Whole in itself, but not what the index knows by this name.
			if r.s.forget(); try < 3 {
				continue
			}
			return nil, piton.Errorf(piton.Corrupt, op, nearest(id), "the file %s holds another checkpoint", e.name)
		}
		return d.state, nil
	}
}

// nearest is the hint of a checkpoint that is damaged.
func nearest(id string) string { return "'load " + id + " nearest' takes the nearest intact ancestor" }

// read reads a checkpoint file as a whole.
func (s *Store) read(name string) (decoded, error) {
	raw, err := s.disk.read(checkpoints+"/"+name, maxCheckpoint)
	if errors.Is(err, fs.ErrNotExist) {
		raw, err = s.disk.read(stagedName(checkpoints+"/"+name), maxCheckpoint)
	}
	if unusable(err) {
		return decoded{why: cannotRead(err)}, nil
	}
	if err != nil {
		return decoded{}, err
	}
	return decode(raw), nil
}
