package filestore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// take brings the index to what lies in the folder: what is wrong with it comes back.
// A workflow that has changed is taken anew as a whole.
func (s *Store) take(ctx context.Context, x snap, l lying, all bool) (faults []string, err error) {
	var rows []row
	if !all {
		if rows, err = x.rows(ctx, `1 = 1`); err != nil {
			return nil, err
		}
	}
	d := compare(rows, l)
	if d.none() && !all {
		return l.faults, nil
	}
	b := &builder{s: s, x: x, l: l, faults: slices.Clone(l.faults), flows: map[string]*workflow{}, ids: map[string]string{}, ordinals: map[int64]string{}}
	if err := b.read(&d); err != nil {
		return nil, err
	}
	for path, r := range d.rows {
		if !d.touched[r.workflow] && r.id != "" {
			b.ids[r.id], b.ordinals[r.ordinal] = path, path
		}
	}
	slices.SortFunc(b.entries, func(a, b *entry) int { return strings.Compare(a.name, b.name) })
	if !b.identify(all || d.touched[strays]) { // another file came first
		return s.take(ctx, x, l, true)
	}
	if err := b.forget(ctx, d, all); err != nil {
		return nil, err
	}
	b.number()
	return b.faults, b.keep(ctx)
}

// builder makes the index of some workflows anew from their files.
type builder struct {
	s        *Store
	x        snap
	l        lying
	faults   []string
	entries  []*entry
	flows    map[string]*workflow
	ids      map[string]string // of all checkpoints, the files' paths
	ordinals map[int64]string
	last     int64 // ordinal
	created  createds
}

// read reads the files that are new, and all those of the workflows that are touched.
func (b *builder) read(d *differences) error {
	done := map[string]bool{}
	for more := slices.Sorted(slices.Values(d.fresh)); ; {
		for _, path := range more {
			e, err := b.entry(path)
			if err != nil {
				return err
			}
			if !piton.IsWholeID(piton.WorkflowPrefix, e.c.WorkflowID) {
				e.c.WorkflowID, e.c.WorkflowType = strays, piton.TypeCustom
			}
			done[path], d.touched[e.c.WorkflowID] = true, true
			b.entries = append(b.entries, e)
		}
		more = nil
		for path, r := range d.rows {
			if d.touched[r.workflow] && r.id != "" && b.l.stamps[path] != "" && !done[path] {
				more = append(more, path)
			}
		}
		if len(more) == 0 {
			break
		}
	}
	for _, id := range sorted(d.touched) {
		w, err := b.s.flow(id, b.l)
		if err != nil {
			return err
		}
		if b.flows[id] = w; w == nil && b.l.stamps[workflowName(id)] != "" {
			b.faults = append(b.faults, workflowName(id)+" is damaged; what can be known of it is read off its checkpoints")
		}
	}
	return nil
}

func (b *builder) entry(path string) (*entry, error) {
	name := strings.TrimPrefix(path, checkpoints+"/")
	return b.s.readEntry(&b.created, name, b.l.stamps[path], slices.Contains(b.l.pending.Puts, name))
}

// identify sees to it that each id is that of one file: of several the first by name.
// It fails where a file that stays in the index as it is would come second, or the
// workflow of strays does.
func (b *builder) identify(withStrays bool) bool {
	for _, e := range b.entries {
		path := checkpoints + "/" + e.name
		if first, taken := b.ids[e.c.ID]; taken {
			if first > path || !withStrays {
				return false
			}
			e.why = "it has the id of another file, " + strings.TrimPrefix(first, checkpoints+"/")
			e.c, e.own, e.alias = piton.Checkpoint{ID: derived(piton.CheckpointPrefix, e.name), InWorkflow: piton.InWorkflow{WorkflowID: strays, WorkflowType: piton.TypeCustom}}, false, ""
		}
		b.ids[e.c.ID] = path
	}
	return true
}

// forget drops from the index what is taken anew.
func (b *builder) forget(ctx context.Context, d differences, all bool) error {
	if all {
		for _, table := range []string{"files", "checkpoints", "branches", "workflows"} {
			if err := b.x.exec(ctx, `DELETE FROM `+table); err != nil {
				return err
			}
		}
		return b.x.DropSearch(ctx)
	}
	had := false
	for id := range d.touched {
		if err := b.x.Forget(ctx, id); err != nil {
			return err
		}
	}
	for path, r := range d.rows {
		if d.touched[r.workflow] {
			if err := b.x.exec(ctx, `DELETE FROM files WHERE path = $1`, path); err != nil {
				return err
			}
			had = had || r.id != ""
		}
	}
	if had { // a word of a text that has changed may be in it
		return b.x.DropSearch(ctx)
	}
	return nil
}

// number puts the entries in order and gives each its numbers. Files without one come
// behind all others, the oldest first. The next transaction makes these numbers
// lasting.
func (b *builder) number() {
	b.last = b.l.store.Ordinal
	for n := range b.ordinals {
		b.last = max(b.last, n)
	}
	var placed, loose []*entry
	for _, e := range b.entries {
		n, ok := b.placed(e)
		if other := b.ordinals[n.Ordinal]; ok && other != "" {
			b.faults = append(b.faults, fmt.Sprintf("%s/%s (%s): %s has the same ordinal %d", checkpoints, e.name, e.c.ID, other, n.Ordinal))
			ok = false
		}
		if !ok {
			loose = append(loose, e)
			continue
		}
		e.c.Seq, e.c.Ordinal = n.Seq, n.Ordinal
		b.ordinals[n.Ordinal], b.last = checkpoints+"/"+e.name, max(b.last, n.Ordinal)
		placed = append(placed, e)
	}
	slices.SortFunc(placed, func(a, b *entry) int { return cmp.Compare(a.c.Ordinal, b.c.Ordinal) })
	for _, e := range placed {
		w := b.home(e)
		w.Seq = max(w.Seq, e.c.Seq)
	}
	slices.SortFunc(loose, func(a, b *entry) int {
		return cmp.Or(a.c.CreatedAt.Compare(b.c.CreatedAt.Time), strings.Compare(a.name, b.name))
	})
	for _, e := range loose {
		w := b.home(e)
		w.Seq++
		b.last++
		e.c.Seq, e.c.Ordinal, e.loose = w.Seq, b.last, true
	}
	b.entries = append(placed, loose...)
}

// placed returns an entry's numbers, if it has any.
func (b *builder) placed(e *entry) (number, bool) {
	own := number{e.c.Seq, e.c.Ordinal}
	ok := own.Seq > 0 && own.Ordinal > 0
	if e.own && ok {
		return own, true
	}
	for _, id := range []string{e.c.WorkflowID, strays} {
		if w := b.flows[id]; w != nil {
			if n, ok := w.Numbers[e.name]; ok {
				return n, true
			}
		}
	}
	return own, ok
}

// home finds an entry's workflow, or makes one from what the entry says.
func (b *builder) home(e *entry) *workflow {
	w := b.flows[e.c.WorkflowID]
	if w == nil {
		c := e.c
		w = &workflow{Workflow: piton.Workflow{ID: c.WorkflowID, Name: c.Workflow, Type: c.WorkflowType, Project: c.Project, CreatedAt: c.CreatedAt}}
		w.Foreign, w.lost = e.foreign(), true
		b.flows[w.ID] = w
	}
	return w
}

// keep puts all into the index.
func (b *builder) keep(ctx context.Context) error {
	for _, e := range b.entries {
		b.finish(e)
		b.flows[e.c.WorkflowID].count(e)
	}
	for _, id := range sorted(b.flows) {
		path := workflowName(id)
		w := b.flows[id]
		if w != nil {
			if err := b.keepFlow(ctx, w); err != nil {
				return err
			}
		}
		if stamp := b.l.stamps[path]; stamp != "" {
			if err := b.x.note(ctx, row{path: path, stamp: stamp, workflow: id}); err != nil {
				return err
			}
		}
	}
	for _, e := range b.entries {
		err := b.x.put(ctx, e.c, row{stamp: e.stamp, alias: e.alias, foreign: e.foreign(), loose: e.loose})
		if parent := b.flows[e.c.WorkflowID].Marks[e.c.ID].Waits; err == nil && parent != "" && b.ids[parent] == "" {
			err = b.x.Await(ctx, e.c, parent)
		}
		if err != nil {
			return err
		}
	}
	return b.x.SetMark(ctx, ordinalMark, b.last)
}

func (b *builder) keepFlow(ctx context.Context, w *workflow) error {
	var head piton.Checkpoint
	w.HeadID = ""
	if w.head != nil {
		head, w.HeadID = w.head.c, w.head.c.ID
		w.follow()
	}
	var branches []store.Branch
	for _, x := range w.Branches {
		is := store.Branch{Name: x.Name, HeadID: x.Base, FromID: x.From}
		if x.head != nil {
			is.HeadID = x.head.c.ID
		}
		branches = append(branches, is)
	}
	_, err := b.x.Keep(ctx, w.Workflow, head, branches)
	return err
}

// finish gives an entry what its workflow knows of it.
func (b *builder) finish(e *entry) {
	w, c := b.flows[e.c.WorkflowID], &e.c
	if c.Damaged, c.File = e.why, checkpoints+"/"+e.name; e.why != "" {
		b.faults = append(b.faults, fmt.Sprintf("%s (%s): %s", c.File, c.ID, e.why))
	}
	if c.Project == "" && !e.own {
		c.Project = w.Project
	}
	c.Branch, c.Trigger = cmp.Or(c.Branch, piton.MainBranch), cmp.Or(c.Trigger, piton.TriggerManual)
	m := w.Marks[c.ID]
	c.Damaged = cmp.Or(c.Damaged, m.Damaged)
	if m.Parent != nil {
		c.ParentID = *m.Parent
	}
	if !m.CompletedAt.IsZero() {
		c.Completed, c.CompletedAt = true, m.CompletedAt
	}
	if e.why != "" && b.ids[c.ParentID] == "" {
		c.ParentID = ""
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
	case w.lost || w.Foreign && w.head.foreign():
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
	if b.head == nil || b.head.c.Seq < e.c.Seq {
		b.head = e
	}
	if w.head == nil || store.Leads(e.c, w.head.c) {
		w.head = e
	}
}
