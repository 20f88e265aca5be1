package filestore

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// reader answers questions, inside a transaction or outside.
type reader struct {
	d *disk
	// read runs fn on an index that fits, and returns its answer. whole: every file
	// was compared.
	read func(ctx context.Context, op string, whole bool, fn func(snap) ([]piton.Checkpoint, error)) ([]piton.Checkpoint, error)
	// again reads every file anew, because a file is not what the index says.
	again func(ctx context.Context, op string) error
	of    map[string][]byte // states that a transaction is to write, by checkpoint
}

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
		if w, err = x.Workflow(ctx, ref, project); piton.CodeOf(err) == piton.NotFound && ref != "" {
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
		return nil, err
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
		return nil, err
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
		e, err := r.d.file(name, true)
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

// WouldFree counts the files of doomed, and the states of cold that are here.
func (r reader) WouldFree(_ context.Context, doomed, cold []piton.Checkpoint, _ string) (freed int64, err error) {
	size := func(c piton.Checkpoint) int64 {
		info, err := r.d.stat(given(c).File)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	for _, c := range doomed {
		freed += size(c)
	}
	for _, c := range cold {
		if c.Damaged == "" && c.Archive == "" {
			freed += min(c.StateBytes, size(c))
		}
	}
	return freed, nil
}
