package filestore

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

// headBytes is what is read of a checkpoint file to list it. A longer record
// costs reading the whole file.
const headBytes = 8 << 10

// readEntry reads the record of a checkpoint that lies in a folder as file and
// is to be known as name. An error only when the file is not there.
func (s *Store) readEntry(x *index, dir *os.Root, name, file string) (*entry, error) {
	e := &entry{name: name}
	s.disk.looked()
	f, info, err := localfs.OpenIn(dir, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		defer f.Close()
		if e.stamp, e.size = stampOf(info), info.Size(); e.size > maxCheckpoint {
			err = localfs.ErrTooLarge
		}
	}
	if err != nil {
		e.why = cannotRead(err)
		return s.identified(x, e), nil
	}
	head, end := make([]byte, min(headBytes, e.size)), make([]byte, min(int64(len(tail)), e.size))
	_, err1 := f.ReadAt(head, 0)
	_, err2 := f.ReadAt(end, e.size-int64(len(end)))
	if err1 == nil && err2 == nil && string(end) == tail {
		if r, _, ok := decodeHead(head, e.size); ok {
			e.c, e.own = r.Checkpoint, true
			if !piton.IsWholeID(piton.CheckpointPrefix, e.c.ID) {
				e.alias = e.c.ID
			}
			return s.identified(x, e), nil
		}
	}
	raw, err := localfs.ReadAll(f, e.size, maxCheckpoint)
	if err != nil {
		e.why = cannotRead(err)
		return s.identified(x, e), nil
	}
	d := decode(raw)
	e.c, e.alias, e.own, e.ours, e.why = d.Checkpoint, d.alias, d.own, d.ours, d.why
	return s.identified(x, e), nil
}

// identified gives an entry its id: the record's own; for another program's
// file one derived from its name; for a damaged one what the events say of the
// file, else what its beginning says, else one derived from its name.
func (s *Store) identified(x *index, e *entry) *entry {
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
		e.c = piton.Checkpoint{ID: id, SHA256: e.c.SHA256, CreatedAt: e.c.CreatedAt, StepName: e.c.StepName, StateBytes: e.c.StateBytes}
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
func (s *Store) made(x *index, name string) (piton.Checkpoint, bool) {
	if x.created == nil {
		x.created = s.createds()
	}
	c, ok := x.created[name]
	return c, ok
}

// placeAgain gives a file of ours that another program has written again its
// place in its workflow, as the events know it. What it says itself stays.
func (s *Store) placeAgain(x *index, e *entry) {
	made, ok := s.made(x, e.name)
	if !ok || made.ID != e.c.ID {
		return
	}
	c := &e.c
	c.WorkflowID, c.Project, c.Branch, c.Seq, c.Ordinal, c.ParentID = made.WorkflowID, made.Project, made.Branch, made.Seq, made.Ordinal, made.ParentID
	c.SessionID = made.SessionID
}

// fill takes all that is left in the cache into the index. What has changed since
// counts.
func (x *index) fill() {
	if x.base == nil {
		return
	}
	changed, flows := x.byID, x.wfs
	x.files, x.wfs = x.base.all()
	x.base = nil
	for _, e := range changed {
		x.files[e.name] = e
	}
	maps.Copy(x.wfs, flows)
	x.build(x.workflows)
}

// build makes the index's lists from what lies in the folder. Workflows that are
// given take the place of what their files say.
func (x *index) build(given map[string]*workflow) {
	x.byID, x.workflows, x.order = make(map[string]*entry, len(x.files)), map[string]*workflow{}, make([]*entry, 0, len(x.files))
	x.names = names{}
	maps.Copy(x.workflows, given)
	for id, f := range x.wfs {
		if f.w != nil && x.workflows[id] == nil {
			w := *f.w
			w.Branches = slices.Clone(w.Branches)
			x.workflows[id] = &w
		}
	}
	var loose []*entry
	for _, name := range slices.Sorted(maps.Keys(x.files)) {
		e := *x.files[name]
		x.names.add(name)
		if _, taken := x.byID[e.c.ID]; taken {
			x.twice = true
			e.why = "it has the id of another file, " + x.byID[e.c.ID].name
			e.c, e.own, e.alias = piton.Checkpoint{ID: derived(piton.CheckpointPrefix, name)}, false, ""
		}
		e.c.Damaged = e.why
		x.byID[e.c.ID] = &e
		if n, ok := x.placed(&e); ok {
			e.c.Seq, e.c.Ordinal = n.Seq, n.Ordinal
			x.order = append(x.order, &e)
		} else {
			loose = append(loose, &e)
		}
	}
	slices.SortFunc(x.order, byOrdinal)
	for _, e := range x.order {
		x.store.Ordinal = max(x.store.Ordinal, e.c.Ordinal)
		w := x.home(e)
		w.Seq = max(w.Seq, e.c.Seq)
	}
	// Files without a number come behind all others, the oldest first. The next
	// transaction makes these numbers lasting.
	slices.SortFunc(loose, func(a, b *entry) int {
		return cmp.Or(a.c.CreatedAt.Compare(b.c.CreatedAt.Time), strings.Compare(a.name, b.name))
	})
	for _, e := range loose {
		w := x.home(e)
		w.Seq++
		x.store.Ordinal++
		e.c.Seq, e.c.Ordinal = w.Seq, x.store.Ordinal
		w.Numbers = with(w.Numbers, e.name, number{e.c.Seq, e.c.Ordinal})
		x.order = append(x.order, e)
	}
	for _, e := range x.order {
		x.finish(e)
	}
	x.settle("")
}

func byOrdinal(a, b *entry) int {
	return cmp.Or(cmp.Compare(a.c.Ordinal, b.c.Ordinal), strings.Compare(a.name, b.name))
}

// with returns a copy of m that has the key too.
func with[V any](m map[string]V, key string, v V) map[string]V {
	m = maps.Clone(m)
	if m == nil {
		m = map[string]V{}
	}
	m[key] = v
	return m
}

// placed tells an entry's numbers, if it has any.
func (x *index) placed(e *entry) (number, bool) {
	if e.own && e.c.Seq > 0 && e.c.Ordinal > 0 {
		return number{e.c.Seq, e.c.Ordinal}, true
	}
	if w := x.workflows[e.c.WorkflowID]; w != nil {
		if n, ok := w.Numbers[e.name]; ok {
			return n, true
		}
	}
	if w := x.workflows[strays]; w != nil {
		if n, ok := w.Numbers[e.name]; ok {
			return n, true
		}
	}
	return number{e.c.Seq, e.c.Ordinal}, e.c.Seq > 0 && e.c.Ordinal > 0
}

// strays is the workflow of damaged files of which nothing else is known.
var strays = derived(piton.WorkflowPrefix, "strays")

// home finds an entry's workflow, or makes one from what the entry says.
func (x *index) home(e *entry) *workflow {
	if !piton.IsWholeID(piton.WorkflowPrefix, e.c.WorkflowID) {
		e.c.WorkflowID, e.c.WorkflowType = strays, piton.TypeCustom
	}
	w := x.workflows[e.c.WorkflowID]
	if w == nil {
		c := e.c
		w = &workflow{Workflow: piton.Workflow{ID: c.WorkflowID, Name: c.Workflow, Type: c.WorkflowType, Project: c.Project, CreatedAt: c.CreatedAt}}
		w.Foreign = e.alias != "" || !e.own
		w.lost = true
		x.workflows[w.ID] = w
	}
	return w
}

// finish gives an entry what its workflow knows of it.
func (x *index) finish(e *entry) {
	w := x.workflows[e.c.WorkflowID]
	e.c.Workflow, e.c.WorkflowType, e.c.File = w.Name, w.Type, "checkpoints/"+e.name
	if e.c.Project == "" && !e.own {
		e.c.Project = w.Project
	}
	if e.c.Branch == "" {
		e.c.Branch = piton.MainBranch
	}
	if e.c.Trigger == "" {
		e.c.Trigger = piton.TriggerManual
	}
	m, ok := w.Marks[e.c.ID]
	if ok {
		if m.Damaged != "" && e.c.Damaged == "" {
			e.c.Damaged = m.Damaged
		}
		if m.Parent != nil {
			e.c.ParentID = *m.Parent
		}
		if !m.CompletedAt.IsZero() {
			e.c.Completed, e.c.CompletedAt = true, m.CompletedAt
		}
	}
	if e.why != "" && x.byID[e.c.ParentID] == nil {
		e.c.ParentID = ""
	}
}

// settle finds the heads of a workflow's branches again; of all if it is "".
func (x *index) settle(workflow string) {
	for id, w := range x.workflows {
		if workflow != "" && id != workflow {
			continue
		}
		w.head, w.HeadID = nil, ""
		for i := range w.Branches {
			w.Branches[i].head, w.Branches[i].count = nil, 0
		}
	}
	for _, e := range x.order {
		if workflow == "" || e.c.WorkflowID == workflow {
			x.workflows[e.c.WorkflowID].count(e)
		}
	}
	for id, w := range x.workflows {
		if (workflow == "" || id == workflow) && w.head != nil {
			w.follow()
		}
	}
}

// follow reads the closed mark off the head where nobody has written it: the
// other program knows no workflows, and a lost file says nothing.
func (w *workflow) follow() {
	switch {
	case w.ID == strays:
		w.Closed = true
	case w.head.ours && w.head.c.Completed:
		w.Closed = true // the other program completed it
	case w.lost || w.Foreign && (w.head.alias != "" || !w.head.own):
		w.Closed = w.head.c.Finishes() || w.ClosedAt > 0 && w.ClosedAt >= w.head.c.Seq
	}
}

// count adds an entry to its branch.
func (w *workflow) count(e *entry) {
	b := w.branch(e.c.Branch)
	if b == nil {
		w.Branches = append(w.Branches, branch{Name: e.c.Branch, From: e.c.ParentID})
		b = &w.Branches[len(w.Branches)-1]
	}
	b.count++
	if b.head == nil || b.head.c.Seq < e.c.Seq {
		b.head = e
	}
	if w.head == nil || leads(e.c, w.head.c) {
		w.head, w.HeadID = e, e.c.ID
	}
}

// leads tells whether a checkpoint is the head rather than another: what an
// import has set aside comes last.
func leads(c, head piton.Checkpoint) bool {
	if a, b := piton.IsAside(c.Branch), piton.IsAside(head.Branch); a != b {
		return b
	}
	return c.Seq > head.Seq
}

func (w *workflow) branch(name string) *branch {
	for i := range w.Branches {
		if w.Branches[i].Name == name {
			return &w.Branches[i]
		}
	}
	return nil
}

// clone is an index a transaction may change.
func (x *index) clone() *index {
	y := *x
	y.files, y.byID, y.wfs = maps.Clone(x.files), maps.Clone(x.byID), maps.Clone(x.wfs)
	y.order = slices.Clone(x.order)
	y.workflows = make(map[string]*workflow, len(x.workflows))
	for id, w := range x.workflows {
		v := *w
		v.Branches = slices.Clone(w.Branches)
		y.workflows[id] = &v
	}
	y.store.Counters = maps.Clone(x.store.Counters)
	if y.store.Counters == nil {
		y.store.Counters = map[string]int64{}
	}
	return &y
}
