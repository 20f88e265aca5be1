package filestore

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// index is everything the folder held at one moment, states left out. It is
// never changed once it is shared.
type index struct {
	mark    mark
	store   meta
	faults  []string          // what Check says of files that could not be read
	files   map[string]*entry // as they lie there, by name
	stale   []string          // staged files of a transaction that was never finished
	wfs     map[string]wfFile // as they lie there, by id
	created createds          // nil: not read
	twice   bool              // two files have one id

	// base is the cache, where not all of it was needed yet: then the maps hold
	// only what has changed since, and the lists nothing.
	base    base
	doubted *atomic.Bool // records of the cache do not fit; nil where none was used
	names   names
	private bool // a transaction's

	byID      map[string]*entry
	order     []*entry // by ordinal
	workflows map[string]*workflow
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

// doubt notes that records of the cache do not fit together: nothing that came from
// it counts.
func (x *index) doubt() {
	if x.doubted != nil {
		x.doubted.Store(true)
	}
}

func (x *index) misfit() bool { return x.doubted != nil && x.doubted.Load() }

// build makes the index's lists from what lies in the folder. Workflows that
// have changed take the place of what their files say.
func (x *index) build(changed map[string]*workflow) {
	x.byID, x.workflows, x.order = make(map[string]*entry, len(x.files)), map[string]*workflow{}, make([]*entry, 0, len(x.files))
	x.names = names{}
	maps.Copy(x.workflows, changed)
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
	given := map[string]bool{} // workflows that give a number
	for _, e := range loose {
		w := x.home(e)
		w.Seq++
		x.store.Ordinal++
		e.c.Seq, e.c.Ordinal = w.Seq, x.store.Ordinal
		if !given[w.ID] { // the map may still be that of the file as it was read
			given[w.ID], w.Numbers = true, maps.Clone(w.Numbers)
		}
		if w.Numbers == nil {
			w.Numbers = map[string]number{}
		}
		w.Numbers[e.name] = number{e.c.Seq, e.c.Ordinal}
		x.order = append(x.order, e)
	}
	for _, e := range x.order {
		x.finish(e)
	}
	x.settle("")
}

// placed returns an entry's numbers, if it has any.
func (x *index) placed(e *entry) (number, bool) {
	if e.own && e.c.Seq > 0 && e.c.Ordinal > 0 {
		return number{e.c.Seq, e.c.Ordinal}, true
	}
	for _, id := range []string{e.c.WorkflowID, strays} {
		if w := x.workflows[id]; w != nil {
			if n, ok := w.Numbers[e.name]; ok {
				return n, true
			}
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

// follow takes the closed mark from the head where no file has it: the other
// program knows no workflows, and the workflow's file may be lost.
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
	if w.head == nil || store.Leads(e.c, w.head.c) {
		w.head, w.HeadID = e, e.c.ID
	}
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

// plain reports whether the next process would find the same in the folder as this
// one: nothing is wrong with it, and all numbers that were given are written down.
func (x *index) plain() bool {
	if len(x.faults) > 0 || len(x.mark.journal) > 0 || len(x.mark.store) == 0 || x.twice {
		return false
	}
	for id, w := range x.workflows {
		if x.wfs[id].lacksNumbers(w) {
			return false
		}
	}
	return true
}
