package filestore

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
)

// State returns a checkpoint's compact state.
func (r reader) State(ctx context.Context, id string) ([]byte, error) {
	op := "load checkpoint " + id
	for try := 0; ; try++ {
		c, err := r.one(ctx, op, func(x snap) (piton.Checkpoint, error) { return x.Checkpoint(ctx, id) })
		switch {
		case err == nil && c.ID != id:
			return nil, store.NoCheckpoint(op)
		case err != nil:
			return nil, err
		case c.Archive != "":
			return nil, piton.Errorf(piton.NotFound, op, "its state lies in the archive's file "+c.Archive, "the state is archived")
		case r.of[id] != nil:
			return slices.Clone(r.of[id]), nil
		}
		name := strings.TrimPrefix(c.File, checkpoints+"/")
		d, err := r.s.load(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && try < 3:
			r.s.suspect()
			continue // deleted or archived just now
		case errors.Is(err, fs.ErrNotExist):
			return nil, piton.Errorf(piton.Corrupt, op, nearest(id), "its file %s is gone", name)
		case err != nil:
			return nil, fail(op, err)
		case d.state == nil && d.Archive != "" && try < 3:
			r.s.forget()
			continue
		case d.state == nil:
			return nil, piton.Errorf(piton.Corrupt, op, nearest(id), "the file %s: %s", name, d.why)
		case d.SHA256 != c.SHA256 || d.id(name) != id:
			// Whole in itself, but not what the index knows by this name.
			if r.s.forget(); try < 1 {
				continue
			}
			return nil, piton.Errorf(piton.Corrupt, op, nearest(id), "the file %s holds another checkpoint", name)
		}
		return d.state, nil
	}
}

// id is what a file's checkpoint is called, if the file is whole.
func (d decoded) id(name string) string {
	if d.ours || d.own && d.alias == "" {
		return d.ID
	}
	return derived(piton.CheckpointPrefix, name)
}

// nearest is the hint of a checkpoint that is damaged.
func nearest(id string) string { return "'load " + id + " nearest' takes the nearest intact ancestor" }

// load reads a checkpoint file as a whole.
func (s *Store) load(name string) (decoded, error) {
	f, info, err := s.openEntry(name, false)
	var raw []byte
	if err == nil {
		defer f.Close()
		raw, err = localfs.ReadAll(f, info.Size(), maxCheckpoint)
	}
	if unusable(err) {
		return decoded{why: cannotRead(err)}, nil
	}
	if err != nil {
		return decoded{}, err
	}
	return decode(raw), nil
}
