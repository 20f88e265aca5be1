package filestore

import (
	"errors"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// entry finds a checkpoint by its whole id; or nil if there is none.
func (x *index) entry(id string) *entry {
	if e := x.byID[id]; e != nil {
		return e
	}
	return x.base.entry(byID, keyOf(id), func(e *entry) bool { return e.c.ID == id })
}

// numbered finds a checkpoint by its number in its workflow.
func (x *index) numbered(workflow string, seq int64) *entry {
	fits := func(e *entry) bool { return e.c.WorkflowID == workflow && e.c.Seq == seq }
	for _, e := range x.byID {
		if fits(e) {
			return e
		}
	}
	return x.base.entry(byNumber, numberKey(workflow, seq), fits)
}

// flow finds a workflow by its whole id; or nil if there is none.
func (x *index) flow(id string) *workflow {
	if w := x.workflows[id]; w != nil {
		return w
	}
	return x.with(x.base.flow(byFlow, keyOf(id), func(w *workflow) bool { return w.ID == id }))
}

// flowOf finds the workflow of a checkpoint. There is one unless the cache does not
// fit; then the answer is an empty one, and is not used.
func (x *index) flowOf(e *entry) *workflow {
	if w := x.flow(e.c.WorkflowID); w != nil {
		return w
	}
	x.doubt()
	return &workflow{Workflow: piton.Workflow{ID: e.c.WorkflowID}}
}

// with gives a workflow of the cache its heads. In a transaction it stays in the
// index, for what is done to it counts.
func (x *index) with(f *flowRecord) *workflow {
	if f == nil {
		return nil
	}
	w := f.w
	head := func(id string) *entry {
		e := x.entry(id)
		if id != "" && (e == nil || e.c.WorkflowID != w.ID) {
			x.doubt()
			return nil
		}
		return e
	}
	w.head = head(w.HeadID)
	for i := range w.Branches {
		b := &w.Branches[i]
		b.head = head(b.headID)
	}
	if x.private {
		x.workflows[w.ID] = w
		if f.file.w != nil {
			x.wfs[w.ID] = f.file
		}
	}
	return w
}

// named finds a workflow by its name in a project.
func (x *index) named(name, project string) *workflow {
	if name == "" {
		return nil
	}
	fits := func(w *workflow) bool { return w.Name == name && w.Project == project }
	for _, w := range x.workflows {
		if fits(w) {
			return w
		}
	}
	return x.with(x.base.flow(byName, keyOf(name, project), fits))
}

// openHeads are the heads of open workflows that a query asks for, the newest
// first, one more than its limit where there are so many.
func (x *index) openHeads(q piton.Query) (list []*entry) {
	add := func(w *workflow) {
		if e := w.head; e != nil && !w.Closed && w.holds(e, q) {
			list = append(list, e)
		}
	}
	for _, w := range x.workflows {
		add(w)
	}
	block, from := -1, 0
	x.base.open(func(i int, f *flowRecord) bool {
		if i != block {
			block, from = i, len(list)
		}
		if x.workflows[f.w.ID] == nil {
			add(x.with(f))
		}
		return q.Limit == 0 || len(list)-from <= q.Limit
	})
	slices.SortFunc(list, func(a, b *entry) int { return byOrdinal(b, a) })
	return list
}

// errPart is the answer of an index that does not hold enough to know.
var errPart = errors.New("only a part of the index was read")

// given are copies of records.
func given(list []*entry) (records []piton.Checkpoint) {
	for _, e := range list {
		records = append(records, e.given())
	}
	return records
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
	return nil, store.NoWorkflow(op)
}

// resolve turns an id's unambiguous beginning into the id.
func resolve[V any](op, prefix, ref string, all map[string]V) (string, error) {
	if err := store.CheckID(op, prefix, ref); err != nil {
		return "", err
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
	return store.ResolveID(op, prefix, ref, ids)
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
	c.StepNumber, c.Progress, c.TokenUsage = copied(c.StepNumber), copied(c.Progress), copied(c.TokenUsage)
	return c
}

func copied[V any](p *V) *V {
	if p == nil {
		return nil
	}
	v := *p
	return &v
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

// fits reports whether a checkpoint is one the query asks for.
func (x *index) fits(e *entry, q piton.Query) bool {
	w := x.flowOf(e)
	return (!q.Open || !w.Closed && w.HeadID == e.c.ID) && w.holds(e, q)
}

// holds is fits without the question whether the checkpoint is open.
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
		(q.Agent == "" || q.Agent == c.Origin.Agent) &&
		(q.Name == "" || q.Name == c.Name) &&
		(q.Tag == "" || slices.Contains(c.Tags, q.Tag)) &&
		(q.Archive == "" || c.Archive == q.Archive) &&
		(q.Completed == nil || *q.Completed == c.Completed) &&
		(q.Since.IsZero() || c.CreatedAt.Millis() >= q.Since.Millis()) &&
		(q.Before <= 0 || c.Ordinal < q.Before)
}
