package filestore

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// candidatesShown bounds what an ambiguous prefix lists.
const candidatesShown = 5

// reader answers questions, inside a transaction or outside.
type reader struct {
	at     func(context.Context) (*index, error)
	s      *Store
	inside bool // a transaction
}

// errPart is the answer of an index that does not hold enough to know.
var errPart = errors.New("only a part of the index was read")

// all is an index that holds everything.
func (r reader) all(ctx context.Context) (*index, error) {
	x, err := r.listed(ctx)
	if err != nil || x.base == nil {
		return x, err
	}
	if r.inside {
		x.fill()
		return x, nil
	}
	return r.s.filled(x), nil
}

// listed is an index that knows of every file.
func (r reader) listed(ctx context.Context) (*index, error) {
	if r.inside {
		return r.at(ctx)
	}
	return r.s.listed(ctx)
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

// given are copies of records.
func given(list []*entry) (records []piton.Checkpoint) {
	for _, e := range list {
		records = append(records, e.given())
	}
	return records
}

const listHint = "'list' shows what there is"

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

func (x *index) findFlow(op, ref, project string) (*workflow, error) {
	// Another program's session is a workflow.
	if w := x.flow(derived(piton.WorkflowPrefix, ref)); w != nil && ref != "" && x.named(ref, project) == nil {
		return w, nil
	}
	if piton.IsID(piton.WorkflowPrefix, ref) {
		if w := x.flow(ref); w != nil {
			return w, nil
		}
		if x.base != nil && !piton.IsWholeID(piton.WorkflowPrefix, ref) {
			return nil, errPart
		}
		id, err := resolve(op, piton.WorkflowPrefix, ref, x.workflows)
		return x.workflows[id], err
	}
	if w := x.named(ref, project); w != nil {
		return w, nil
	}
	return nil, piton.Errorf(piton.NotFound, op, listHint, "no such workflow")
}

// resolve turns an id's unambiguous beginning into the id.
func resolve[V any](op, prefix, ref string, all map[string]V) (string, error) {
	if !piton.IsID(prefix, ref) {
		return "", piton.Errorf(piton.Invalid, op, "an id looks like "+prefix+"0123456789abcdef, and its beginning will do", "%q is not an id", ref)
	}
	if _, ok := all[ref]; ok {
		return ref, nil
	}
	var ids []string
	for id := range all {
		if strings.HasPrefix(id, ref) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	switch len(ids) {
	case 0:
		return "", piton.Errorf(piton.NotFound, op, listHint, "nothing has this id")
	case 1:
		return ids[0], nil
	}
	more := ""
	if len(ids) > candidatesShown {
		ids, more = ids[:candidatesShown], " and more"
	}
	return "", piton.Errorf(piton.Invalid, op, "give more characters of the one you mean", "ambiguous: %s%s", strings.Join(ids, ", "), more)
}

// Checkpoint finds a checkpoint by id or prefix.
func (r reader) Checkpoint(ctx context.Context, ref string) (piton.Checkpoint, error) {
	return r.one(ctx, func(x *index) (*entry, error) { return x.find("find checkpoint "+ref, ref) })
}

// find finds a checkpoint by id, by what another program calls it, or by an id's
// beginning.
func (x *index) find(op, ref string) (*entry, error) {
	if e := x.entry(ref); e != nil {
		return e, nil
	}
	if x.base != nil && !piton.IsWholeID(piton.CheckpointPrefix, ref) {
		return nil, errPart
	}
	if ref != "" {
		for _, e := range slices.Backward(x.order) {
			if e.alias == ref {
				return e, nil
			}
		}
	}
	id, err := resolve(op, piton.CheckpointPrefix, ref, x.byID)
	if err != nil {
		return nil, err
	}
	return x.byID[id], nil
}

// given is a copy of the record that the caller may change.
func (e *entry) given() piton.Checkpoint {
	c := e.c
	c.Tags = slices.Clone(c.Tags)
	if c.StepNumber != nil {
		n := *c.StepNumber
		c.StepNumber = &n
	}
	if c.Progress != nil {
		n := *c.Progress
		c.Progress = &n
	}
	if c.TokenUsage != nil {
		u := *c.TokenUsage
		c.TokenUsage = &u
	}
	return c
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
		return nil, piton.Errorf(piton.NotFound, "find the head of "+workflow, listHint, "no such checkpoint")
	})
}

// branchHead is the id of a branch's head: its newest checkpoint, or once it is
// empty the ancestor it goes on from.
func (w *workflow) branchHead(name string) string {
	switch b := w.branch(name); {
	case b == nil:
		return ""
	case b.head != nil:
		return b.head.c.ID
	default:
		return b.Base
	}
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
		at = r.listed
	}
	list, err := r.answer(ctx, at, func(x *index) (list []*entry, err error) {
		list, page.Next = x.list(q, func(*entry) bool { return true })
		return list, nil
	})
	page.Checkpoints = given(list)
	return page, err
}

// list finds what fits, newest first, and the cursor of the next part.
func (x *index) list(q piton.Query, also func(*entry) bool) (list []*entry, next int64) {
	order := x.order
	if x.base != nil { // of the cache only what is open is asked for
		order = x.openHeads(q)
		slices.Reverse(order)
	}
	for _, e := range slices.Backward(order) {
		if !x.fits(e, q) || !also(e) {
			continue
		}
		if n := len(list); q.Limit > 0 && n == q.Limit {
			return list, list[n-1].c.Ordinal
		}
		list = append(list, e)
	}
	return list, 0
}

// fits tells whether a checkpoint is one the query asks for.
func (x *index) fits(e *entry, q piton.Query) bool {
	w := x.flow(e.c.WorkflowID)
	return (!q.Open || !w.Closed && w.HeadID == e.c.ID) && w.holds(e, q)
}

// holds tells it of a checkpoint of a workflow, but for whether it is open.
func (w *workflow) holds(e *entry, q piton.Query) bool {
	c, project := &e.c, e.c.Project
	if q.Open {
		project = w.Project
	}
	return (q.Workflow == "" || q.Workflow == c.WorkflowID) &&
		(q.Session == "" || q.Session == c.SessionID) &&
		(len(q.Sessions) == 0 || c.SessionID != "" && slices.Contains(q.Sessions, c.SessionID)) &&
		(q.Project == "" || q.Project == project || q.Shared && project == "") &&
		(q.Branch == "" || q.Branch == c.Branch) &&
		(q.Type == "" || q.Type == w.Type) &&
		(q.NotType == "" || q.NotType != w.Type) &&
		(q.Trigger == "" || q.Trigger == c.Trigger) &&
		(q.Name == "" || q.Name == c.Name) &&
		(q.Tag == "" || slices.Contains(c.Tags, q.Tag)) &&
		(q.Archive == "" || c.Archive == q.Archive) &&
		(q.Completed == nil || *q.Completed == c.Completed) &&
		(q.Since.IsZero() || c.CreatedAt.Millis() >= q.Since.Millis()) &&
		(q.Before <= 0 || c.Ordinal < q.Before)
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
	x, err := r.at(ctx)
	if err != nil {
		return nil, err
	}
	w := x.flow(workflow)
	if w == nil {
		return nil, piton.Errorf(piton.NotFound, "list the branches of "+workflow, listHint, "no such workflow")
	}
	var list []store.Branch
	for _, b := range w.Branches {
		list = append(list, store.Branch{Name: b.Name, HeadID: w.branchHead(b.Name), FromID: b.From, Count: b.count})
	}
	return list, nil
}
