package filestore

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// one asks for one checkpoint.
func (r reader) one(ctx context.Context, op string, ask func(snap) (piton.Checkpoint, error)) (piton.Checkpoint, error) {
	list, err := r.read(ctx, op, false, func(x snap) ([]piton.Checkpoint, error) {
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
	return r.one(ctx, "find checkpoint "+ref, func(x snap) (piton.Checkpoint, error) { return x.find(ctx, ref) })
}

// Head is the newest checkpoint of a branch, or of all branches.
func (r reader) Head(ctx context.Context, workflow, branch string) (piton.Checkpoint, error) {
	return r.one(ctx, "find the head of "+workflow, func(x snap) (piton.Checkpoint, error) { return x.Head(ctx, workflow, branch) })
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
	_, err = r.read(ctx, "count the open workflows", true, func(x snap) (none []piton.Checkpoint, err error) {
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
	_, err = r.read(ctx, "list the branches of "+workflow, false, func(x snap) (none []piton.Checkpoint, err error) {
		list, err = x.Branches(ctx, workflow)
		return nil, err
	})
	return list, err
}

// Search returns the checkpoints that hold every one of the words and fit the query,
// newest first. The first search of an index reads every state. Invalid when there is
// no word, or too many.
func (s *Store) Search(ctx context.Context, query string, q piton.Query, text func(piton.Checkpoint, []byte) string) (page piton.Page, err error) {
	err = s.retry(ctx, "search", func(int) (bool, error) {
		if _, err := s.read(ctx, "search", true, func(snap) ([]piton.Checkpoint, error) { return nil, nil }); err != nil {
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

// WouldFree is what Archive of cold and Delete of doomed would set free.
func (s *Store) WouldFree(ctx context.Context, doomed, cold []piton.Checkpoint, file string) (freed int64, err error) {
	_, err = s.read(ctx, "count what would be set free", true, func(x snap) (none []piton.Checkpoint, err error) {
		freed, err = s.wouldFree(ctx, x, doomed, cold, file)
		return nil, err
	})
	return freed, err
}

func (s *Store) wouldFree(ctx context.Context, x snap, doomed, cold []piton.Checkpoint, file string) (freed int64, err error) {
	heirs := store.PlanDelete(doomed)
	for _, c := range doomed {
		freed += s.size(c)
		children, err := x.Children(ctx, c.ID)
		if err != nil {
			return 0, err
		}
		for _, child := range children {
			if _, gone := heirs[child.ID]; !gone && child.Damaged == "" {
				freed += parentBytes(c.ID) - parentBytes(heirs[c.ID])
			}
		}
	}
	for _, c := range cold {
		if c.Damaged != "" || c.Archive == file {
			continue // it stays as it is
		}
		size := s.size(c)
		c = given(c)
		c.Archive = file
		raw, err := encode(c, "", nil)
		if err != nil {
			return 0, err
		}
		freed += max(0, size-int64(len(raw)))
	}
	return freed, nil
}

// parentBytes is how long a file's line about the parent is.
func parentBytes(id string) int64 {
	if id == "" {
		return 0
	}
	return int64(len(",\n  \"parent_id\": \"\"") + len(id))
}

// size is the length of a checkpoint's file; 0 where it is not there.
func (s *Store) size(c piton.Checkpoint) int64 {
	info, err := s.disk.stat(checkpoints + "/" + nameOf(c))
	if err != nil {
		return 0
	}
	return info.Size()
}
