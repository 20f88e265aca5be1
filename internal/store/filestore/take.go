package filestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// differences are where the index does not fit the folder.
type differences struct {
	touched map[string]bool // workflows
	fresh   []string        // checkpoint files, by path
	rows    map[string]row
}

func (d differences) none() bool { return len(d.touched)+len(d.fresh) == 0 }

// compare finds what has changed. Whenever anything has, numbers that stand in no file
// yet are given anew, and files with the id of another are looked at again.
func compare(rows []row, stamps map[string]string) (d differences) {
	d = differences{touched: map[string]bool{}, rows: make(map[string]row, len(rows))}
	for _, r := range rows {
		d.rows[r.path] = r
		if stamps[r.path] != r.stamp {
			d.touched[r.workflow] = true
		}
	}
	for path, stamp := range stamps {
		if d.rows[path].stamp == stamp {
			continue
		}
		if name, ok := strings.CutPrefix(path, workflows+"/"); ok {
			d.touched[workflowID(name)] = true
		} else {
			d.fresh = append(d.fresh, path)
		}
	}
	for _, r := range rows {
		if (r.loose || r.workflow == strays) && !d.none() {
			d.touched[r.workflow] = true
		}
	}
	return d
}

// take brings the index to what lies in the folder: what is wrong with it comes back.
// A workflow that has changed is taken anew as a whole.
func take(ctx context.Context, d *disk, x snap, l listing) (faults []string, err error) {
	b := &builder{d: d, x: x, listing: l, differences: compare(x.rows(ctx, `1 = 1`), l.stamps), flows: map[string]*workflow{}, ids: map[string]string{}, ordinals: map[int64]string{}}
	if b.none() {
		return l.faults, nil
	}
	if err := errors.Join(b.readEntries(), b.readFlows()); err != nil {
		return nil, err
	}
	if !b.identify() { // another file came first
		x.clear(ctx)
		return take(ctx, d, x, l)
	}
	b.number()
	b.keep(ctx)
	return b.faults, *x.bad
}

// builder makes the index of some workflows anew from their files.
type builder struct {
	d *disk
	x snap
	listing
	differences
	entries  []*entry
	flows    map[string]*workflow
	ids      map[string]string // of all checkpoints, the files' paths
	ordinals map[int64]string
	last     int64                       // ordinal
	created  map[string]piton.Checkpoint // what the events say; nil until that is asked for
}

// readEntries reads the files that are new, and all those of the workflows that are
// touched.
func (b *builder) readEntries() error {
	done := map[string]bool{}
	more := b.fresh
	for first := true; first || len(more) > 0; first = false {
		for _, path := range more {
			e, err := b.entry(path)
			if err != nil {
				return err
			}
			if !isSum(e.c.SHA256) {
				e.c.SHA256 = ""
			}
			if !piton.IsWholeID(piton.WorkflowPrefix, e.c.WorkflowID) {
				e.c.WorkflowID, e.c.WorkflowType = strays, piton.TypeCustom
			}
			done[path], b.touched[e.c.WorkflowID] = true, true
			b.entries = append(b.entries, e)
		}
		more = nil
		for path, r := range b.rows {
			if b.touched[r.workflow] && r.id != "" && b.stamps[path] != "" && !done[path] {
				more = append(more, path)
			}
		}
	}
	slices.SortFunc(b.entries, func(a, b *entry) int { return strings.Compare(a.name, b.name) })
	return nil
}

// entry reads the record of a file that had a stamp, and gives it its id: the record's
// own; for another program's file one derived from its name; for a damaged one what the
// events say of the file, else what its beginning says, else one derived from its name.
// fs.ErrNotExist when the file is not there, or is another by now.
func (b *builder) entry(path string) (*entry, error) {
	e, err := b.d.file(strings.TrimPrefix(path, checkpoints+"/"), false)
	if err != nil {
		return nil, err
	}
	if e.stamp != "" && e.stamp != b.stamps[path] {
		return nil, fs.ErrNotExist
	}
	e.stamp = b.stamps[path]
	switch {
	case !e.own:
	case !isNumber(e.c.Seq) || !isNumber(e.c.Ordinal):
		e.own, e.why = false, fmt.Sprintf("its numbers cannot be: %d and %d", e.c.Seq, e.c.Ordinal)
	case !isSum(e.c.SHA256):
		e.own, e.why = false, fmt.Sprintf("its sum cannot be: %.100q", e.c.SHA256)
	}
	if e.own || e.alias != "" || e.why == "" && !e.ours {
		return e, nil
	}
	if b.created == nil {
		b.created = b.d.createds()
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

// readFlows reads the files of the workflows that are touched.
func (b *builder) readFlows() error {
	for _, id := range slices.Sorted(maps.Keys(b.touched)) {
		w, err := b.d.flow(id)
		if err != nil {
			return err
		}
		if w.damaged {
			b.faults = append(slices.Clip(b.faults), workflowName(id)+" is damaged; what can be known of it is read off its checkpoints")
		}
		if !w.lost {
			b.flows[id] = w
		}
	}
	return nil
}

// identify sees to it that each id is that of one file: of several the first by name.
// It fails where a file that stays in the index as it is would come second, or the
// workflow of strays does.
func (b *builder) identify() bool {
	for path, r := range b.rows {
		if !b.touched[r.workflow] && r.id != "" {
			b.ids[r.id], b.ordinals[r.ordinal] = path, path
		}
	}
	whole := len(b.rows) == 0
	for _, e := range b.entries {
		path := checkpoints + "/" + e.name
		if first, taken := b.ids[e.c.ID]; taken {
			if !whole && (first > path || !b.touched[strays]) {
				return false
			}
			b.touched[strays] = true
			e.why = "it has the id of another file, " + strings.TrimPrefix(first, checkpoints+"/")
			e.c, e.own, e.alias = piton.Checkpoint{ID: derived(piton.CheckpointPrefix, e.name), InWorkflow: piton.InWorkflow{WorkflowID: strays, WorkflowType: piton.TypeCustom}}, false, ""
		}
		b.ids[e.c.ID] = path
	}
	return true
}

// number puts the entries in order and gives each its numbers. Files without one come
// behind all others, the oldest first. The next transaction makes these numbers
// lasting.
func (b *builder) number() {
	b.last = b.store.Ordinal
	for n := range b.ordinals {
		b.last = max(b.last, n)
	}
	for _, e := range b.entries {
		n := b.placed(e)
		if e.loose = n == (number{}); e.loose {
			continue
		}
		e.c.Seq, e.c.Ordinal = n.Seq, n.Ordinal
		b.ordinals[n.Ordinal], b.last = checkpoints+"/"+e.name, max(b.last, n.Ordinal)
	}
	order := func(e *entry) int64 {
		if e.loose {
			return math.MaxInt64
		}
		return e.c.Ordinal
	}
	slices.SortStableFunc(b.entries, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), a.c.CreatedAt.Compare(b.c.CreatedAt.Time))
	})
	for _, e := range b.entries {
		w := b.home(e)
		if e.loose {
			b.last++
			e.c.Seq, e.c.Ordinal = w.Seq+1, b.last
		}
		w.Seq = max(w.Seq, e.c.Seq)
	}
}

// placed returns the numbers of an entry that no other has: of our own its file's before
// those that its workflow noted of it. None where it has none.
func (b *builder) placed(e *entry) number {
	list := []number{{e.c.Seq, e.c.Ordinal}}
	for _, id := range []string{e.c.WorkflowID, strays} {
		if w := b.flows[id]; w != nil {
			list = append(list, w.Numbers[e.name])
		}
	}
	if !e.own {
		list = append(list[1:], list[0])
	}
	for _, n := range list {
		if n.Seq <= 0 || n.Ordinal <= 0 {
			continue
		}
		other := b.ordinals[n.Ordinal]
		if other == "" {
			return n
		}
		b.faults = append(b.faults, fmt.Sprintf("%s/%s (%s): %s has the same ordinal %d", checkpoints, e.name, e.c.ID, other, n.Ordinal))
	}
	return number{}
}

// home finds an entry's workflow, or makes one from what the entry says.
func (b *builder) home(e *entry) *workflow {
	c := e.c
	if b.flows[c.WorkflowID] == nil {
		b.flows[c.WorkflowID] = &workflow{Foreign: e.foreign(), lost: true,
			Workflow: piton.Workflow{ID: c.WorkflowID, Name: c.Workflow, Type: c.WorkflowType, Project: c.Project, CreatedAt: c.CreatedAt}}
	}
	return b.flows[c.WorkflowID]
}

// keep puts all into the index, in the place of what was there.
func (b *builder) keep(ctx context.Context) {
	x := b.x
	x.must(x.DropSearch(ctx)) // a word of a text that has changed may be in it
	for id := range b.touched {
		x.must(x.Forget(ctx, id))
		x.ExecContext(ctx, `DELETE FROM files WHERE workflow = $1`, id)
	}
	for _, e := range b.entries {
		b.finish(e)
		b.flows[e.c.WorkflowID].count(e)
	}
	for _, id := range slices.Sorted(maps.Keys(b.touched)) {
		path := workflowName(id)
		if stamp := b.stamps[path]; stamp != "" {
			x.note(ctx, row{path: path, stamp: stamp, workflow: id})
		}
		if w := b.flows[id]; w != nil {
			_, err := x.Keep(ctx, w.Workflow, w.leader(), w.branches())
			x.must(err)
		}
	}
	for _, e := range b.entries {
		x.put(ctx, e.c, row{stamp: e.stamp, alias: e.alias, foreign: e.foreign(), loose: e.loose})
		if parent := b.flows[e.c.WorkflowID].Marks[e.c.ID].Waits; parent != "" && b.ids[parent] == "" {
			x.must(x.Await(ctx, e.c, parent))
		}
	}
	x.must(x.SetMark(ctx, ordinalMark, b.last))
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

// leader is the workflow's head, if it has one, from which it takes its closed mark.
func (w *workflow) leader() (c piton.Checkpoint) {
	if w.head == nil {
		return c
	}
	w.follow()
	return w.head.c
}

// branches are the workflow's, with their heads.
func (w *workflow) branches() (list []store.Branch) {
	for _, b := range w.Branches {
		is := store.Branch{Name: b.Name, HeadID: b.Base, FromID: b.From}
		if b.head != nil {
			is.HeadID = b.head.c.ID
		}
		list = append(list, is)
	}
	return list
}

// follow takes the closed mark from the head where no file has it: the other
// program knows no workflows, and the workflow's file may be lost.
func (w *workflow) follow() {
	switch {
	case w.ID == strays, w.head.ours && w.head.c.Completed: // the other program completed it
		w.Closed = true
	case w.lost || w.Foreign && w.head.foreign():
		w.Closed = w.head.c.Finishes() || w.ClosedAt > 0 && w.ClosedAt >= w.head.c.Seq
	}
}

// count adds an entry to its branch.
func (w *workflow) count(e *entry) {
	i := slices.IndexFunc(w.Branches, func(b branch) bool { return b.Name == e.c.Branch })
	if i < 0 {
		i, w.Branches = len(w.Branches), append(w.Branches, branch{Name: e.c.Branch, From: e.c.ParentID})
	}
	if b := &w.Branches[i]; b.head == nil || b.head.c.Seq < e.c.Seq {
		b.head = e
	}
	if w.head == nil || store.Leads(e.c, w.head.c) {
		w.head = e
	}
}
