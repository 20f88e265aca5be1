package filestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
)

// reader answers questions, inside a transaction or outside.
type reader struct {
	s *Store
	// read runs fn on an index that fits, and returns its answer. whole: every file
	// was compared.
	read func(ctx context.Context, op string, whole bool, fn func(snap) ([]piton.Checkpoint, error)) ([]piton.Checkpoint, error)
	// again reads every file anew, because a file is not what the index says.
	again func(ctx context.Context, op string) error
	of    map[string][]byte // states that a transaction is to write, by checkpoint
}

// none is the answer of a question that is not about checkpoints.
var none []piton.Checkpoint

// one asks for one checkpoint.
func (r reader) one(ctx context.Context, op string, whole bool, ask func(snap) (piton.Checkpoint, error)) (piton.Checkpoint, error) {
	list, err := r.read(ctx, op, whole, func(x snap) ([]piton.Checkpoint, error) {
		c, err := ask(x)
		return []piton.Checkpoint{c}, err
	})
	if err != nil {
		return piton.Checkpoint{}, err
	}
	return list[0], nil
}

// Workflow finds a workflow by id, prefix or name, or by another program's session.
func (r reader) Workflow(ctx context.Context, ref, project string) (w piton.Workflow, err error) {
	_, err = r.read(ctx, "find workflow "+ref, false, func(x snap) (head []piton.Checkpoint, err error) {
		if w, err = x.Workflow(ctx, ref, project); err != nil && ref != "" {
			if session, err2 := x.Workflow(ctx, derived(piton.WorkflowPrefix, ref), ""); err2 == nil {
				w, err = session, nil
			}
		}
		if err != nil || w.HeadID == "" {
			return nil, err
		}
		c, err := x.Checkpoint(ctx, w.HeadID)
		return []piton.Checkpoint{c}, err
	})
	return w, err
}

// Checkpoint finds a checkpoint by id, by what another program calls it, or by an id's
// beginning.
func (r reader) Checkpoint(ctx context.Context, ref string) (piton.Checkpoint, error) {
	return r.one(ctx, "find checkpoint "+ref, false, func(x snap) (piton.Checkpoint, error) { return x.find(ctx, ref) })
}

// Head is the newest checkpoint of a branch, or of all branches.
func (r reader) Head(ctx context.Context, workflow, branch string) (piton.Checkpoint, error) {
	return r.one(ctx, "find the head of "+workflow, false, func(x snap) (piton.Checkpoint, error) { return x.Head(ctx, workflow, branch) })
}

// List returns what fits the query, newest first.
func (r reader) List(ctx context.Context, q piton.Query) (page piton.Page, err error) {
	whole := !q.Open && q.Workflow == "" // what does not fit any more is left out by the rest
	page.Checkpoints, err = r.read(ctx, "list checkpoints", whole, func(x snap) ([]piton.Checkpoint, error) {
		found, err := x.List(ctx, q)
		page.Next = found.Next
		return found.Checkpoints, err
	})
	return page, err
}

// CountOpen is how many heads of open workflows a project has, by session.
func (r reader) CountOpen(ctx context.Context, project string) (count map[string]int, err error) {
	_, err = r.read(ctx, "count the open workflows", true, func(x snap) ([]piton.Checkpoint, error) {
		count, err = x.CountOpen(ctx, project)
		return none, err
	})
	return count, err
}

// Children are the checkpoints whose parent this is, oldest first.
func (r reader) Children(ctx context.Context, id string) ([]piton.Checkpoint, error) {
	return r.read(ctx, "find the children of "+id, false, func(x snap) ([]piton.Checkpoint, error) { return x.Children(ctx, id) })
}

// Branches of a workflow, in the order they began.
func (r reader) Branches(ctx context.Context, workflow string) (list []store.Branch, err error) {
	_, err = r.read(ctx, "list the branches of "+workflow, false, func(x snap) ([]piton.Checkpoint, error) {
		list, err = x.Branches(ctx, workflow)
		return none, err
	})
	return list, err
}

// State returns a checkpoint's compact state. Where its file is not what the index knows,
// every file is compared, then every file is read.
func (r reader) State(ctx context.Context, id string) ([]byte, error) {
	op := "load checkpoint " + id
	for try := 0; ; try++ {
		c, err := r.one(ctx, op, try == 1, func(x snap) (piton.Checkpoint, error) { return x.Checkpoint(ctx, id) })
		switch {
		case err != nil:
			return nil, err
		case c.ID != id:
			return nil, store.NoCheckpoint(op)
		case c.Archive != "":
			return nil, piton.Errorf(piton.NotFound, op, "its state lies in the archive's file "+c.Archive, "the state is archived")
		case r.of[id] != nil:
			return slices.Clone(r.of[id]), nil
		}
		name := nameOf(c)
		e, err := r.s.file(name, true)
		if err == nil && e.state != nil && e.c.ID == id && e.c.SHA256 == c.SHA256 {
			return e.state, nil
		}
		hint := "'load " + id + " nearest' takes the nearest intact ancestor"
		switch {
		case err == nil && e.why != "":
			return nil, piton.Errorf(piton.Corrupt, op, hint, "the file %s: %s", name, e.why)
		case try == 0: // deleted, archived or written again just now?
		case try == 1:
			if err := r.again(ctx, op); err != nil {
				return nil, err
			}
		case errors.Is(err, fs.ErrNotExist):
			return nil, piton.Errorf(piton.Corrupt, op, hint, "its file %s is gone", name)
		case err != nil:
			return nil, fail(op, err)
		default:
			return nil, piton.Errorf(piton.Corrupt, op, hint, "the file %s holds another checkpoint", name)
		}
	}
}

// Search returns the checkpoints that hold every one of the words and fit the query,
// newest first. The first search of an index reads every state. Invalid when there is
// no word, or too many.
func (s *Store) Search(ctx context.Context, query string, q piton.Query, text func(piton.Checkpoint, []byte) string) (page piton.Page, err error) {
	err = s.retry(ctx, "search", func(int) (bool, error) {
		_, err := s.read(ctx, "search", true, func(snap) ([]piton.Checkpoint, error) { return none, nil })
		if err != nil {
			return true, err
		}
		db, err := s.opened(ctx)
		if err == nil {
			page, err = db.Search(ctx, query, q, func(c piton.Checkpoint, state []byte) string { return text(given(c), state) })
		}
		return true, err
	})
	for i, c := range page.Checkpoints {
		page.Checkpoints[i] = given(c)
	}
	return page, err
}

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
