package filestore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

// headBytes is what is read of a checkpoint file to list it. A longer record
// costs reading the whole file.
const headBytes = 8 << 10

// stampOf shows whether a file has changed: its length, when it was written last, in
// nanoseconds, its number on the disk, and when the system last saw a change, which
// no program can set back.
func stampOf(info fs.FileInfo) string {
	return fmt.Sprintf("%d %d %d %d", info.Size(), info.ModTime().UnixNano(), localfs.Inode(info), localfs.ChangeTime(info))
}

// file reads a checkpoint's file: its record, and its state where that is asked for. It
// fails where the file is not there. What cannot be read is damaged; where the state is
// asked for only what would be so at another time too.
func (s *Store) file(name string, state bool) (*entry, error) {
	s.disk.looked()
	f, info, err := localfs.OpenIn(s.disk.root, checkpoints+"/"+name)
	e := &entry{}
	if err == nil {
		defer f.Close()
		*e, err = read(f, info.Size(), state)
		e.stamp = stampOf(info)
	}
	if errors.Is(err, fs.ErrNotExist) || err != nil && state && !unusable(err) {
		return nil, err
	}
	if err != nil {
		e.why = cannotRead(err)
	}
	e.name = name
	if e.alias != "" || e.why == "" && !e.own && !e.ours {
		e.c.ID = derived(piton.CheckpointPrefix, name)
	}
	return e, nil
}

// read reads an open file of a size. Of one that is written as encode writes it the
// beginning is enough where the state is not asked for.
func read(f io.ReaderAt, size int64, state bool) (entry, error) {
	if !state && size <= maxCheckpoint {
		head, end := make([]byte, min(headBytes, size)), make([]byte, min(int64(len(tail)), size))
		_, err1 := f.ReadAt(head, 0)
		_, err2 := f.ReadAt(end, size-int64(len(end)))
		c, _, ok := decodeHead(head, size)
		if ok && errors.Join(err1, err2) == nil && string(end) == tail {
			return entry{c: c, own: true}.named(), nil
		}
	}
	raw, err := localfs.ReadAll(f, size, maxCheckpoint)
	if err != nil {
		return entry{}, err
	}
	return decode(raw), nil
}

// entry reads the record of a file that had a stamp, and gives it its id: the record's
// own; for another program's file one derived from its name; for a damaged one what the
// events say of the file, else what its beginning says, else one derived from its name.
// fs.ErrNotExist when the file is not there, or is another by now.
func (b *builder) entry(path string) (*entry, error) {
	e, err := b.s.file(strings.TrimPrefix(path, checkpoints+"/"), false)
	if err != nil {
		return nil, err
	}
	if e.stamp != "" && e.stamp != b.stamps[path] {
		return nil, fs.ErrNotExist
	}
	e.stamp = b.stamps[path]
	if e.own && (!isNumber(e.c.Seq) || !isNumber(e.c.Ordinal)) {
		e.own, e.why = false, fmt.Sprintf("its numbers cannot be: %d and %d", e.c.Seq, e.c.Ordinal)
	}
	if e.own || e.alias != "" || e.why == "" && !e.ours {
		return e, nil
	}
	if b.created == nil {
		b.created = b.s.createds()
	}
	made, known := b.created[e.name]
	c := &e.c
	switch {
	case e.why != "" && known:
		*c = made
	case e.why != "":
		*c = piton.Checkpoint{ID: c.ID, OfState: piton.OfState{SHA256: c.SHA256, StateBytes: c.StateBytes}, CreatedAt: c.CreatedAt, AtStep: piton.AtStep{StepName: c.StepName}}
	case known && made.ID == c.ID: // another program has written it again: its place, and the file's own values
		c.WorkflowID, c.Project, c.Branch, c.Seq, c.Ordinal, c.ParentID = made.WorkflowID, made.Project, made.Branch, made.Seq, made.Ordinal, made.ParentID
		c.SessionID = made.SessionID
	}
	if !piton.IsWholeID(piton.CheckpointPrefix, c.ID) {
		c.ID = derived(piton.CheckpointPrefix, e.name)
	}
	return e, nil
}
