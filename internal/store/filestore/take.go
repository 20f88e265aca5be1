package filestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// lying is what lies in the folder.
type lying struct {
	stamps  map[string]string // by path
	names   int64
	stale   []string // staged files of a transaction that never happened
	store   meta
	pending *journal // counts as applied; never nil
	faults  []string // of the store's own files
}

// list looks at every file. It returns fs.ErrNotExist when one went meanwhile.
func (s *Store) list(m mark) (l lying, err error) {
	l = lying{stamps: map[string]string{}, pending: &journal{}, faults: slices.Clone(m.faults)}
	if len(m.store) > 0 {
		if l.store, err = readMeta(m.store); err != nil {
			l.faults = append(l.faults, storeFile+" is damaged; counters are lost, numbers go on behind the highest that is there")
		}
	}
	if len(m.journal) > 0 {
		j := &journal{}
		switch err := unseal(m.journal, j); {
		case err != nil:
			l.faults = append(l.faults, journalFile+" is damaged: "+err.Error())
		case j.Store.Tx > l.store.Tx:
			l.pending, l.store = j, j.Store
		}
	}
	if err := s.listCheckpoints(&l); err != nil {
		return l, err
	}
	err = s.eachIn(workflows, func(dir *os.Root, name string) error {
		if _, ok := workflowID(name); !ok {
			return nil
		}
		return s.stamp(dir, name, &l, workflows+"/"+name)
	})
	for _, w := range l.pending.Workflows {
		l.stamps[workflowName(w.ID)] = "journal " + w.Sum
	}
	return l, err
}

func (s *Store) listCheckpoints(l *lying) error {
	gone, put := setOf(l.pending.Removes), setOf(l.pending.Puts)
	err := s.eachIn(checkpoints, func(dir *os.Root, name string) error {
		if final, staged := stagedFor(name); staged {
			if !put[final] {
				l.stale = append(l.stale, checkpoints+"/"+name)
			}
			return nil
		}
		if !isCheckpointName(name) {
			return nil
		}
		l.names += nameKey(name)
		if gone[name] || put[name] {
			return nil
		}
		return s.stamp(dir, name, l, checkpoints+"/"+name)
	})
	for name := range put {
		path := checkpoints + "/" + name
		err2 := s.stamp(s.disk.root, stagedName(path), l, path)
		if errors.Is(err2, fs.ErrNotExist) {
			err2 = s.stamp(s.disk.root, path, l, path)
		}
		err = errors.Join(err, err2)
	}
	return err
}

// eachIn calls visit for each name in a folder, in order.
func (s *Store) eachIn(folder string, visit func(dir *os.Root, name string) error) error {
	names, err := s.disk.names(folder)
	if err != nil {
		return err
	}
	dir, err := s.disk.root.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer dir.Close()
	for _, name := range names {
		if err := visit(dir, name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) stamp(dir *os.Root, name string, l *lying, path string) error {
	s.disk.looked()
	info, err := dir.Lstat(name)
	if err == nil {
		l.stamps[path] = stampOf(info)
	}
	return err
}

func setOf(list []string) map[string]bool {
	set := map[string]bool{}
	for _, v := range list {
		set[v] = true
	}
	return set
}

// differences are where the index does not fit the folder.
type differences struct {
	touched map[string]bool // workflows
	fresh   []string        // checkpoint files, by path
	rows    map[string]row
}

// compare finds what has changed. Numbers that stand in no file yet are given anew
// whenever anything has.
func (x snap) compare(ctx context.Context, l lying) (d differences, err error) {
	rows, err := x.rows(ctx, `1 = 1`)
	if err != nil {
		return d, err
	}
	d = differences{touched: map[string]bool{}, rows: make(map[string]row, len(rows))}
	for _, r := range rows {
		d.rows[r.path] = r
		if l.stamps[r.path] != r.stamp {
			d.touched[r.workflow] = true
		}
	}
	for path, stamp := range l.stamps {
		if d.rows[path].stamp == stamp {
			continue
		}
		if name, ok := strings.CutPrefix(path, workflows+"/"); ok {
			id, _ := workflowID(name)
			d.touched[id] = true
		} else {
			d.fresh = append(d.fresh, path)
		}
	}
	for _, r := range rows {
		if r.loose && len(d.touched)+len(d.fresh) > 0 {
			d.touched[r.workflow] = true
		}
	}
	return d, nil
}

// take brings the index to what lies in the folder: what is wrong with it comes back.
// A workflow that has changed is taken anew as a whole.
func (s *Store) take(ctx context.Context, x snap, l lying, all bool) (faults []string, err error) {
	d := differences{touched: map[string]bool{}}
	if !all {
		if d, err = x.compare(ctx, l); err != nil || len(d.touched)+len(d.fresh) == 0 {
			return l.faults, err
		}
	}
	b := &builder{s: s, x: x, l: l, faults: slices.Clone(l.faults), flows: map[string]*workflow{}, ids: map[string]string{}, ordinals: map[int64]string{}}
	if all {
		for path := range l.stamps {
			if name, ok := strings.CutPrefix(path, workflows+"/"); ok {
				id, _ := workflowID(name)
				d.touched[id] = true
			} else {
				d.fresh = append(d.fresh, path)
			}
		}
	}
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
			e, err := b.s.readEntry(b, strings.TrimPrefix(path, checkpoints+"/"), b.l.stamps[path])
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
	for _, id := range slices.Sorted(maps.Keys(d.touched)) {
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
			e.c, e.own, e.alias = piton.Checkpoint{ID: derived(piton.CheckpointPrefix, e.name), WorkflowID: strays, WorkflowType: piton.TypeCustom}, false, ""
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

// strays is the workflow of damaged files of which nothing else is known.
var strays = derived(piton.WorkflowPrefix, "strays")

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
	for _, id := range slices.Sorted(maps.Keys(b.flows)) {
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
		if err := b.x.put(ctx, e.c, row{stamp: e.stamp, alias: e.alias, foreign: e.foreign(), loose: e.loose}); err != nil {
			return err
		}
	}
	return b.x.SetMark(ctx, ordinalMark, b.last)
}

// put notes a checkpoint with its file.
func (x snap) put(ctx context.Context, c piton.Checkpoint, r row) error {
	r.path, _ = fileOf(c)
	r.workflow, r.id, r.ordinal = c.WorkflowID, c.ID, c.Ordinal
	c.File = r.path + "\n" + r.stamp
	if c.Completed && c.CompletedAt.IsZero() {
		c.CompletedAt = timeless
	}
	return errors.Join(x.Put(ctx, c), x.note(ctx, r))
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
	if _, err := b.x.Keep(ctx, w.Workflow, head, branches); err != nil {
		return err
	}
	for id, n := range w.Marks {
		c := piton.Checkpoint{ID: id, Ordinal: 0}
		if n.Waits != "" && b.ids[id] != "" && b.ids[n.Waits] == "" {
			for _, e := range b.entries {
				if e.c.ID == id {
					c = e.c
				}
			}
			if err := b.x.Await(ctx, c, n.Waits); err != nil {
				return err
			}
		}
	}
	return nil
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

// flow reads a workflow's file; nil where there is none that can be read.
func (s *Store) flow(id string, l lying) (*workflow, error) {
	for _, w := range l.pending.Workflows {
		if w.ID == id {
			is := *w
			is.Branches = slices.Clone(w.Branches)
			return &is, nil
		}
	}
	raw, err := s.disk.read(workflowName(id), maxWorkflow)
	if unusable(err) || errors.Is(err, fs.ErrNotExist) && l.stamps[workflowName(id)] == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	w := &workflow{}
	if unseal(raw, w) != nil || w.ID != id {
		return nil, nil
	}
	return w, nil
}
