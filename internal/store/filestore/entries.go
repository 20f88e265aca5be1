package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

// headBytes is what is read of a checkpoint file to list it. A longer record
// costs reading the whole file.
const headBytes = 8 << 10

// readEntry reads the record of a checkpoint's file, which had a stamp. fs.ErrNotExist
// when it is not there, or is another by now.
func (s *Store) readEntry(x *createds, name, stamp string, pending bool) (*entry, error) {
	e := &entry{name: name, stamp: stamp}
	f, info, err := s.openEntry(name, pending)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	size := int64(0)
	if err == nil {
		defer f.Close()
		if stampOf(info) != stamp {
			return nil, fs.ErrNotExist
		}
		if size = info.Size(); size > maxCheckpoint {
			err = localfs.ErrTooLarge
		}
	}
	if err != nil {
		e.why = cannotRead(err)
		return s.identified(x, e), nil
	}
	head, end := make([]byte, min(headBytes, size)), make([]byte, min(int64(len(tail)), size))
	_, err1 := f.ReadAt(head, 0)
	_, err2 := f.ReadAt(end, size-int64(len(end)))
	if err1 == nil && err2 == nil && string(end) == tail {
		if r, _, ok := decodeHead(head, size); ok {
			e.c, e.own = r.Checkpoint, true
			if !piton.IsWholeID(piton.CheckpointPrefix, e.c.ID) {
				e.alias = e.c.ID
			}
			return s.identified(x, e), nil
		}
	}
	raw, err := localfs.ReadAll(f, size, maxCheckpoint)
	if err != nil {
		e.why = cannotRead(err)
		return s.identified(x, e), nil
	}
	d := decode(raw)
	e.c, e.alias, e.own, e.ours, e.why = d.Checkpoint, d.alias, d.own, d.ours, d.why
	return s.identified(x, e), nil
}

// openEntry opens a checkpoint's file, which may still have its staged name, and with
// pending has it.
func (s *Store) openEntry(name string, pending bool) (f *os.File, info fs.FileInfo, err error) {
	s.disk.looked()
	path := checkpoints + "/" + name
	paths := []string{path, stagedName(path)}
	if pending {
		slices.Reverse(paths)
	}
	for _, path := range paths {
		if f, info, err = localfs.OpenIn(s.disk.root, path); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return f, info, err
}

// identified gives an entry its id: the record's own; for another program's
// file one derived from its name; for a damaged one what the events say of the
// file, else what its beginning says, else one derived from its name.
func (s *Store) identified(x *createds, e *entry) *entry {
	if e.own && (!isNumber(e.c.Seq) || !isNumber(e.c.Ordinal)) {
		e.own, e.why = false, fmt.Sprintf("its numbers cannot be: %d and %d", e.c.Seq, e.c.Ordinal)
	}
	switch {
	case e.own && e.alias == "":
	case e.ours && e.why == "":
		s.placeAgain(x, e)
	case e.why == "" || e.alias != "":
		e.c.ID = derived(piton.CheckpointPrefix, e.name)
	default:
		id := e.c.ID
		e.c = piton.Checkpoint{ID: id, OfState: piton.OfState{SHA256: e.c.SHA256, StateBytes: e.c.StateBytes}, CreatedAt: e.c.CreatedAt, AtStep: piton.AtStep{StepName: e.c.StepName}}
		if made, ok := s.made(x, e.name); ok {
			e.c = made
		}
		if !piton.IsWholeID(piton.CheckpointPrefix, e.c.ID) {
			e.c.ID = derived(piton.CheckpointPrefix, e.name)
		}
	}
	return e
}

// made is what the events say was saved to a file.
func (s *Store) made(x *createds, name string) (piton.Checkpoint, bool) {
	if *x == nil {
		*x = s.createds()
	}
	c, ok := (*x)[name]
	return c, ok
}

// placeAgain gives a file of ours that another program has written again its
// place in its workflow, as the events know it. The file's own values stay.
func (s *Store) placeAgain(x *createds, e *entry) {
	made, ok := s.made(x, e.name)
	if !ok || made.ID != e.c.ID {
		return
	}
	c := &e.c
	c.WorkflowID, c.Project, c.Branch, c.Seq, c.Ordinal, c.ParentID = made.WorkflowID, made.Project, made.Branch, made.Seq, made.Ordinal, made.ParentID
	c.SessionID = made.SessionID
}
