package filestore

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
)

// outcome is what a transaction means for the files.
type outcome struct {
	journal
	puts map[string]written // by name
}

// written is a checkpoint's file that is to be written.
type written struct {
	c     piton.Checkpoint
	alias string
	raw   []byte
	fresh bool
}

// prepare finds what a transaction means for the files; nil where it means nothing.
// Numbers that were given to another program's files become lasting with it.
func (t *tx) prepare(ctx context.Context, m mark) (*outcome, error) {
	if len(t.files)+len(t.removes)+len(t.flows)+len(t.log)+len(t.counts) == 0 {
		return nil, nil
	}
	o := &outcome{journal: journal{Seed: t.seed, Removes: slices.Sorted(maps.Keys(t.removes))}, puts: map[string]written{}}
	if slices.ContainsFunc(slices.Collect(maps.Values(t.removes)), t.s.moved) {
		return nil, errMoved
	}
	for _, id := range slices.Sorted(maps.Keys(t.files)) {
		if err := t.prepareFile(ctx, o, id); err != nil {
			return nil, err
		}
	}
	o.Puts = slices.Sorted(maps.Keys(o.puts))
	for _, r := range t.x.rows(ctx, `loose = 1`) {
		keep(t.flows, r.workflow)
	}
	for _, id := range slices.Sorted(maps.Keys(t.flows)) {
		w, err := t.flow(ctx, id)
		if err != nil {
			return nil, err
		}
		o.Workflows = append(o.Workflows, w)
	}
	o.Store, _ = readMeta(m.store) // one that is damaged begins anew
	o.Store.Format, o.Store.Tx = 1, o.Store.Tx+1
	o.Store.count(t.counts)
	o.Store.Ordinal = t.x.mark(ctx, ordinalMark)
	var err error
	o.Events, err = t.s.disk.eventLines(t.log)
	return o, err
}

// prepareFile finds the new content of a checkpoint's file; of one that is damaged its
// workflow's file notes what has changed.
func (t *tx) prepareFile(ctx context.Context, o *outcome, id string) error {
	c, err := t.x.Checkpoint(ctx, id)
	if err != nil {
		return err
	}
	p := written{c: given(c), fresh: t.files[id]}
	state := t.of[id]
	if !p.fresh {
		if t.s.moved(c) {
			return errMoved
		}
		e, err := t.s.file(nameOf(c), true)
		if err != nil {
			return fail("change "+id, err)
		}
		if e.why != "" || e.c.ID != id {
			for _, alter := range t.changes[id] {
				t.note(c, alter)
			}
			return nil
		}
		if p.alias = e.alias; state == nil {
			state = e.state
		}
	}
	if c.Archive != "" {
		state = nil
	}
	if p.raw, err = encode(p.c, p.alias, state); err != nil {
		return &piton.Error{Code: piton.Internal, Op: "write " + id, Err: err}
	}
	o.puts[nameOf(c)] = p
	return nil
}

// flow is what is to be written to a workflow's file.
func (t *tx) flow(ctx context.Context, id string) (*workflow, error) {
	w, err := t.s.flow(id)
	if err != nil {
		return nil, err
	}
	if w.lost {
		w.Foreign = len(t.x.rows(ctx, `workflow = $1 AND foreigns = 1 LIMIT 1`, id)) > 0
	}
	if w.Workflow, err = t.x.Workflow(ctx, id, ""); err != nil {
		return nil, err
	}
	switch {
	case t.flows[id] && w.Closed:
		w.ClosedAt = w.Seq
	case t.flows[id]:
		w.ClosedAt = 0
	}
	branches, err := t.x.Branches(ctx, id)
	w.Branches = nil
	for _, b := range branches {
		is := branch{Name: b.Name, From: b.FromID}
		if b.Count == 0 {
			is.Base = b.HeadID
		}
		w.Branches = append(w.Branches, is)
	}
	for _, r := range t.x.rows(ctx, `loose = 1 AND workflow = $1`, id) {
		if c, err := t.x.Checkpoint(ctx, r.id); err == nil { // else it goes
			w.number(strings.TrimPrefix(r.path, checkpoints+"/"), number{c.Seq, c.Ordinal})
		}
	}
	t.noteIn(w)
	return w, err
}

// noteIn gives a workflow's file its marks, and takes away what is gone.
func (t *tx) noteIn(w *workflow) {
	for id, n := range w.Marks {
		if t.files[n.Waits] {
			w.mark(id, func(n *note) { n.Waits = "" })
		}
	}
	for _, note := range t.notes[w.ID] {
		note(w)
	}
	for name, c := range t.removes {
		delete(w.Marks, c.ID)
		delete(w.Numbers, name)
	}
}

// publish brings the index to what was written, so that the next call need not look at
// the folder again. It runs under the writers' lock.
func (t *tx) publish(ctx context.Context, o *outcome) error {
	x, names := t.x, t.x.mark(ctx, namesMark)
	x.exec(ctx, `UPDATE files SET loose = 0 WHERE loose = 1`)
	stamp := func(path string) string {
		info, err := t.s.disk.stat(path)
		if x.must(err); err != nil {
			return ""
		}
		return stampOf(info)
	}
	for name, p := range o.puts {
		if p.fresh {
			names += nameKey(name)
		}
		x.put(ctx, p.c, row{stamp: stamp(checkpoints + "/" + name), alias: p.alias, foreign: p.alias != ""})
	}
	for _, name := range o.Removes {
		names -= nameKey(name)
		x.exec(ctx, `DELETE FROM files WHERE path = $1`, checkpoints+"/"+name)
	}
	for _, w := range o.Workflows {
		path := workflowName(w.ID)
		x.note(ctx, row{path: path, stamp: stamp(path), workflow: w.ID})
	}
	m, err := t.s.look()
	x.setMarks(ctx, m.key, names)
	return err
}

// commit makes a transaction durable, and removes what earlier ones have left that never
// happened. After the journal has its name nothing can fail any more: what is not applied
// now, the next one applies who takes the lock.
func (s *Store) commit(op string, o *outcome, stale []string) error {
	err := s.sweep(stale)
	if err == nil {
		err = s.stage(o)
	}
	if err == nil {
		_ = s.apply(&o.journal)
		return nil
	}
	if !s.disk.exists(journalFile) { // else it could not be taken back, and needs its files
		b := s.disk.batch()
		for name := range o.puts {
			b.remove(stagedName(checkpoints + "/" + name))
		}
		b.remove(stagedName(journalFile))
	}
	return fail(op, err)
}

// stage writes all that is new and then the journal. On an error the
// transaction has not happened.
func (s *Store) stage(o *outcome) error {
	raw, err := seal(&o.journal)
	if err == nil {
		err = o.mayBeRead(raw)
	}
	if err != nil {
		return err
	}
	b := s.disk.batch()
	for _, name := range o.Puts {
		b.write(stagedName(checkpoints+"/"+name), o.puts[name].raw, 0o600)
	}
	if len(o.Puts) > 0 {
		b.syncDir(checkpoints)
	}
	b.replace(journalFile, raw, 0o600)
	if b.err != nil {
		return b.err
	}
	if b.syncDir("."); b.err != nil {
		// Whether the name would survive is not known: it is taken back.
		back := s.disk.batch()
		back.remove(journalFile)
		back.syncDir(".")
		return errors.Join(b.err, back.err)
	}
	return nil
}

// mayBeRead refuses what could not be read again, raw among it: the journal.
func (o *outcome) mayBeRead(raw []byte) error {
	if err := o.fits(); err != nil {
		return &piton.Error{Code: piton.Invalid, Op: "write to the file store", Err: err}
	}
	size := len(raw)
	for _, p := range o.puts {
		size = max(size, len(p.raw))
	}
	if size > maxJournal {
		return piton.Errorf(piton.Invalid, "write to the file store", "do it in smaller parts", "%d bytes are more than a file of the store may have", size)
	}
	return nil
}

// apply does what a journal says, durably, then notes in store.json that it is
// done, and removes it.
func (s *Store) apply(j *journal) error {
	b := s.disk.batch()
	for _, name := range j.Puts {
		if final := checkpoints + "/" + name; b.exists(stagedName(final)) {
			b.rename(stagedName(final), final)
		}
	}
	for _, name := range j.Removes {
		b.remove(checkpoints + "/" + name)
	}
	for _, w := range j.Workflows {
		b.put(workflowName(w.ID), w)
	}
	b.appendEvents(j.Events)
	b.applySeed(j.Seed)
	if len(j.Puts)+len(j.Removes) > 0 {
		b.syncDir(checkpoints)
	}
	if len(j.Workflows) > 0 {
		b.syncDir(workflows)
	}
	b.put(storeFile, &j.Store)
	b.syncDir(".")
	b.remove(journalFile) // not synced: should it come back, store.json says that it is done
	return b.err
}

// damagedPrefix begins the names of journals that were set aside.
const damagedPrefix = "journal-damaged-"

// recover finishes what an earlier writer left undone. It runs under the
// writers' lock.
func (s *Store) recover() error {
	raw, err := s.disk.read(journalFile, maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil && !unusable(err) {
		return err
	}
	j, b := &journal{}, s.disk.batch()
	if err != nil || unseal(raw, j) != nil {
		// Nothing of it is done. It is kept for people to look at.
		b.rename(journalFile, damagedPrefix+time.Now().UTC().Format("20060102T150405.000")+".json")
		b.syncDir(".")
		return b.err
	}
	raw, err = s.disk.read(storeFile, maxMeta)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !unusable(err) {
		return err
	}
	if done, _ := readMeta(raw); j.Store.Tx <= done.Tx {
		b.remove(journalFile)
		return b.err
	}
	b.syncDir(".") // the one who wrote it may have died before its name was durable
	if b.err != nil {
		return b.err
	}
	return s.apply(j)
}

// sweep removes staged files of transactions that never happened. It runs under
// the writers' lock.
func (s *Store) sweep(stale []string) error {
	b := s.disk.batch()
	if kept, err := s.withIn(".", damagedPrefix); err != nil || len(kept) > 0 {
		return err // a damaged journal's files are for people to look at
	}
	for _, name := range stale {
		b.remove(name)
	}
	return b.err
}
