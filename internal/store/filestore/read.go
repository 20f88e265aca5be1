package filestore

import (
	"context"
	"errors"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// all is an index that holds everything.
func (r reader) all(ctx context.Context) (*index, error) {
	x, err := r.at(ctx)
	if err != nil || x.base == nil {
		return x, err
	}
	if r.inside {
		x.fill()
		return x, nil
	}
	if x = r.s.filled(x); x.misfit() {
		r.s.distrust()
		return r.at(ctx)
	}
	return x, nil
}

// whole is an index that is known to be that of every file as it lies there.
func (r reader) whole(ctx context.Context) (*index, error) {
	if !r.inside {
		if _, err := r.s.surely(ctx); err != nil {
			return nil, err
		}
	}
	return r.all(ctx)
}

// answer asks an index. What it answers is compared with the files: where one
// has changed, all are looked at and the question is asked again.
func (r reader) answer(ctx context.Context, at func(context.Context) (*index, error), ask func(*index) ([]*entry, error)) ([]*entry, error) {
	for try := 1; ; try++ {
		x, err := at(ctx)
		if err != nil {
			return nil, err
		}
		list, err := ask(x)
		if !r.inside && x.misfit() {
			r.s.distrust()
			continue
		}
		if errors.Is(err, errPart) {
			at = r.all
			continue
		}
		if err != nil || r.inside || try == moves || r.s.stands(x, list) {
			return list, err
		}
		r.s.suspect()
	}
}

// one asks for one checkpoint.
func (r reader) one(ctx context.Context, ask func(*index) (*entry, error)) (piton.Checkpoint, error) {
	list, err := r.answer(ctx, r.at, func(x *index) ([]*entry, error) {
		e, err := ask(x)
		return []*entry{e}, err
	})
	if err != nil {
		return piton.Checkpoint{}, err
	}
	return list[0].given(), nil
}

// Workflow finds a workflow by id, prefix or name.
func (r reader) Workflow(ctx context.Context, ref, project string) (w piton.Workflow, err error) {
	_, err = r.answer(ctx, r.at, func(x *index) ([]*entry, error) {
		found, err := x.findFlow("find workflow "+ref, ref, project)
		if err != nil {
			return nil, err
		}
		if w = found.Workflow; found.head == nil {
			return nil, nil
		}
		return []*entry{found.head}, nil
	})
	return w, err
}

// Checkpoint finds a checkpoint by id or prefix.
func (r reader) Checkpoint(ctx context.Context, ref string) (piton.Checkpoint, error) {
	return r.one(ctx, func(x *index) (*entry, error) { return x.find("find checkpoint "+ref, ref) })
}

// Head is the newest checkpoint of a branch, or of all branches.
func (r reader) Head(ctx context.Context, workflow, branch string) (piton.Checkpoint, error) {
	return r.one(ctx, func(x *index) (*entry, error) {
		id := ""
		if w := x.flow(workflow); w != nil {
			id = w.HeadID
			if branch != "" {
				id = w.branchHead(branch)
			}
		}
		if e := x.entry(id); e != nil {
			return e, nil
		}
		return nil, store.NoCheckpoint("find the head of " + workflow)
	})
}

// List returns what fits the query, newest first.
func (r reader) List(ctx context.Context, q piton.Query) (page piton.Page, err error) {
	if !q.Open && q.Workflow == "" { // what does not fit any more is left out by the rest
		if _, err := r.whole(ctx); err != nil {
			return page, err
		}
	}
	at := r.all
	if q.Open && q.Before == 0 {
		at = r.at
	}
	list, err := r.answer(ctx, at, func(x *index) (list []*entry, err error) {
		list, page.Next = x.list(q, func(*entry) bool { return true })
		return list, nil
	})
	page.Checkpoints = given(list)
	return page, err
}

// CountOpen is how many heads of open workflows a project has, by session.
func (r reader) CountOpen(ctx context.Context, project string) (map[string]int, error) {
	heads, err := r.answer(ctx, r.all, func(x *index) (heads []*entry, err error) {
		for _, w := range x.workflows {
			if w.Project == project && !w.Closed && w.head != nil {
				heads = append(heads, w.head)
			}
		}
		return heads, nil
	})
	count := map[string]int{}
	for _, e := range heads {
		count[e.c.SessionID]++
	}
	return count, err
}

// Children are the checkpoints whose parent this is, oldest first.
func (r reader) Children(ctx context.Context, id string) ([]piton.Checkpoint, error) {
	if id == "" {
		return nil, nil
	}
	list, err := r.answer(ctx, r.all, func(x *index) (list []*entry, err error) {
		for _, e := range x.order {
			if e.c.ParentID == id {
				list = append(list, e)
			}
		}
		return list, nil
	})
	return given(list), err
}

// Branches of a workflow, in the order they began.
func (r reader) Branches(ctx context.Context, workflow string) ([]store.Branch, error) {
	var list []store.Branch
	_, err := r.answer(ctx, r.at, func(x *index) ([]*entry, error) {
		w := x.flow(workflow)
		if w == nil {
			return nil, store.NoWorkflow("list the branches of " + workflow)
		}
		list = nil
		for _, b := range w.Branches {
			list = append(list, store.Branch{Name: b.Name, HeadID: w.branchHead(b.Name), FromID: b.From, Count: b.count})
		}
		return nil, nil
	})
	return list, err
}
