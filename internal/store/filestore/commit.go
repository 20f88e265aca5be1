package filestore

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
)

// outcome is what a transaction means for the files.
type outcome struct {
	store   meta
	puts    map[string]written // by name
	removes []string
	flows   []*workflow
	log     []store.LogEvent
	seed    *seedChange
	loose   []row // numbers that become lasting
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
	if len(t.ids)+len(t.removes)+len(t.flows)+len(t.log)+len(t.counts) == 0 {
		return nil, nil
	}
	o := &outcome{puts: map[string]written{}, log: t.log, seed: t.seed.orNil(), removes: sorted(t.removes)}
	for _, c := range t.removes {
		if !t.s.asRead(c) {
			return nil, errMoved
		}
	}
	for _, id := range sorted(t.ids) {
		if err := t.prepareFile(ctx, o, id); err != nil {
			return nil, err
		}
	}
	var err error
	if o.loose, err = t.x.rows(ctx, `loose = 1`); err != nil {
		return nil, err
	}
	for _, r := range o.loose {
		t.flows[r.workflow] = t.flows[r.workflow]
	}
	for _, id := range sorted(t.flows) {
		w, err := t.flow(ctx, id, o.loose)
		if err != nil {
			return nil, err
		}
		o.flows = append(o.flows, w)
	}
	o.store, _ = readMeta(m.store) // one that is damaged begins anew
	o.store.Format, o.store.Tx = 1, o.store.Tx+1
	o.store.count(t.counts)
	o.store.Ordinal, err = t.x.Mark(ctx, ordinalMark)
	return o, err
}

// prepareFile finds the new content of a checkpoint's file; of one that is damaged its
// workflow's file notes what has changed.
func (t *tx) prepareFile(ctx context.Context, o *outcome, id string) error {
	c, err := t.x.Checkpoint(ctx, id)
	if err != nil {
		return err
	}
	file, _ := fileOf(c)
	name := strings.TrimPrefix(file, checkpoints+"/")
	p := written{c: given(c), fresh: t.added[id]}
	state := t.of[id]
	if !p.fresh {
		if !t.s.asRead(c) {
			return errMoved
		}
		d, err := t.s.load(name)
		if err != nil {
			return fail("change "+id, err)
		}
		if d.why != "" || d.id(name) != id {
			t.note(c, t.marks[id]...)
			return nil
		}
		if p.alias = d.alias; state == nil {
			state = d.state
		}
	}
	if c.Archive != "" {
		state = nil
	}
	if p.raw, err = encode(p.c, p.alias, state); err != nil {
		return &piton.Error{Code: piton.Internal, Op: "write " + id, Err: err}
	}
	o.puts[name] = p
	return nil
}

// flow is what is to be written to a workflow's file.
func (t *tx) flow(ctx context.Context, id string, loose []row) (*workflow, error) {
	w, err := t.s.flow(id, lying{pending: &journal{}})
	if err != nil {
		return nil, err
	}
	rows, err := t.x.rows(ctx, `workflow = $1 AND id <> ''`, id)
	if err != nil {
		return nil, err
	}
	if w == nil {
		w = &workflow{Foreign: slices.ContainsFunc(rows, func(r row) bool { return r.foreign })}
	}
	if w.Workflow, err = t.x.Workflow(ctx, id, ""); err != nil {
		return nil, err
	}
	if t.flows[id] {
		if w.ClosedAt = 0; w.Closed {
			w.ClosedAt = w.Seq
		}
	}
	branches, err := t.x.Branches(ctx, id)
	if err != nil {
		return nil, err
	}
	w.Branches = nil
	for _, b := range branches {
		is := branch{Name: b.Name, From: b.FromID}
		if b.Count == 0 {
			is.Base = b.HeadID
		}
		w.Branches = append(w.Branches, is)
	}
	return w, t.noteIn(ctx, w, loose)
}

// noteIn gives a workflow's file its marks and numbers.
func (t *tx) noteIn(ctx context.Context, w *workflow, loose []row) error {
	for id, n := range w.Marks {
		if n.Waits != "" && t.added[n.Waits] {
			t.note(piton.Checkpoint{ID: id, WorkflowID: w.ID}, func(n *note) { n.Waits = "" })
		}
	}
	for id, marks := range t.notes[w.ID] {
		n := w.Marks[id]
		for _, mark := range marks {
			mark(&n)
		}
		if w.Marks == nil {
			w.Marks = map[string]note{}
		}
		if w.Marks[id] = n; n == (note{}) {
			delete(w.Marks, id)
		}
	}
	for _, r := range loose {
		if r.workflow != w.ID {
			continue
		}
		c, err := t.x.Checkpoint(ctx, r.id)
		if piton.CodeOf(err) == piton.NotFound {
			continue // it goes
		}
		if err != nil {
			return err
		}
		if w.Numbers == nil {
			w.Numbers = map[string]number{}
		}
		w.Numbers[strings.TrimPrefix(r.path, checkpoints+"/")] = number{c.Seq, c.Ordinal}
	}
	for name, c := range t.removes {
		delete(w.Marks, c.ID)
		delete(w.Numbers, name)
	}
	return nil
}

// commit makes a transaction durable. After the journal has its name nothing
// can fail any more: what is not applied now, the next writer applies.
func (s *Store) commit(op string, o *outcome) error {
	if err := s.sweep(); err != nil {
		return fail(op, err)
	}
	j, err := s.stage(o)
	if err != nil {
		s.unstage(o)
		return fail(op, err)
	}
	_ = s.apply(j)
	return nil
}

// stage writes all that is new and then the journal. On an error the
// transaction has not happened.
func (s *Store) stage(o *outcome) (*journal, error) {
	j := &journal{Store: o.store, Puts: sorted(o.puts), Removes: o.removes, Seed: o.seed, Workflows: o.flows}
	if _, err := seal(&j.Store); err != nil {
		return nil, err
	}
	for _, w := range o.flows {
		if _, err := sealWithin(w, workflowName(w.ID), maxWorkflow); err != nil {
			return nil, err
		}
	}
	var err error
	if j.Events, err = s.eventLines(o.log); err != nil {
		return nil, err
	}
	for _, name := range j.Puts {
		if err := mayWrite(name, o.puts[name].raw, maxCheckpoint); err != nil {
			return nil, err
		}
		if err := s.disk.write(stagedName(checkpoints+"/"+name), o.puts[name].raw, 0o600); err != nil {
			return nil, err
		}
	}
	if len(j.Puts) > 0 {
		if err := s.disk.syncDir(checkpoints); err != nil {
			return nil, err
		}
	}
	if err := j.fits(); err != nil {
		return nil, &piton.Error{Code: piton.Invalid, Op: "write to the file store", Err: err}
	}
	raw, err := sealWithin(j, journalFile, maxJournal)
	if err != nil {
		return nil, err
	}
	if err := s.disk.replace(journalFile, raw, 0o600); err != nil {
		return nil, err
	}
	if err := s.disk.syncDir("."); err != nil {
		// Whether the name would survive is not known: it is taken back.
		return nil, errors.Join(err, s.disk.remove(journalFile), s.disk.syncDir("."))
	}
	return j, nil
}

// sealWithin seals what is to be written to a file of at most limit bytes.
func sealWithin(v sealable, name string, limit int) ([]byte, error) {
	raw, err := seal(v)
	if err == nil {
		err = mayWrite(name, raw, limit)
	}
	return raw, err
}

// mayWrite refuses a file that is too long to be read again.
func mayWrite(name string, raw []byte, limit int) error {
	if len(raw) <= limit {
		return nil
	}
	return piton.Errorf(piton.Invalid, "write "+name, "do it in smaller parts", "%d bytes are more than a file of the store may have", len(raw))
}

// unstage removes what a failed transaction has written. What it cannot remove
// the next writer does.
func (s *Store) unstage(o *outcome) {
	if s.disk.exists(journalFile) {
		return // it could not be taken back, and needs its files
	}
	for name := range o.puts {
		s.disk.remove(stagedName(checkpoints + "/" + name))
	}
	s.disk.remove(stagedName(journalFile))
}

// apply does what a journal says, durably, then notes in store.json that it is
// done, and removes it.
func (s *Store) apply(j *journal) error {
	for _, name := range j.Puts {
		final := checkpoints + "/" + name
		if staged := stagedName(final); s.disk.exists(staged) {
			if err := s.disk.rename(staged, final); err != nil {
				return err
			}
		}
	}
	for _, name := range j.Removes {
		if err := s.disk.remove(checkpoints + "/" + name); err != nil {
			return err
		}
	}
	for _, w := range j.Workflows {
		if err := s.put(workflowName(w.ID), w); err != nil {
			return err
		}
	}
	if err := s.appendEvents(j.Events); err != nil {
		return err
	}
	if err := s.applySeed(j.Seed); err != nil {
		return err
	}
	if len(j.Puts)+len(j.Removes) > 0 {
		if err := s.disk.syncDir(checkpoints); err != nil {
			return err
		}
	}
	if len(j.Workflows) > 0 {
		if err := s.disk.syncDir(workflows); err != nil {
			return err
		}
	}
	if err := s.put(storeFile, &j.Store); err != nil {
		return err
	}
	if err := s.disk.syncDir("."); err != nil {
		return err
	}
	// Not synced: should it come back, store.json says that it is done.
	return s.disk.remove(journalFile)
}

// put writes a file that carries its own sum. The folder is the caller's to sync.
func (s *Store) put(name string, v sealable) error {
	raw, err := seal(v)
	if err != nil {
		return err
	}
	return s.disk.replace(name, raw, 0o600)
}

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
	j := &journal{}
	if err == nil {
		err = unseal(raw, j)
	}
	if err != nil {
		// Nothing of it is done. It is kept for people to look at.
		name := damagedPrefix + time.Now().UTC().Format("20060102T150405.000") + ".json"
		return errors.Join(s.disk.rename(journalFile, name), s.disk.syncDir("."))
	}
	var done meta
	if raw, err := s.disk.read(storeFile, maxMeta); err == nil {
		done, _ = readMeta(raw)
	} else if !errors.Is(err, fs.ErrNotExist) && !unusable(err) {
		return err
	}
	if j.Store.Tx <= done.Tx {
		return s.disk.remove(journalFile)
	}
	// The one who wrote it may have died before its name was durable.
	if err := s.disk.syncDir("."); err != nil {
		return err
	}
	return s.apply(j)
}

// sweep removes the staged files of transactions that never happened. It runs under
// the writers' lock.
func (s *Store) sweep() error {
	s.mu.Lock()
	stale := s.stale
	s.stale = nil
	s.mu.Unlock()
	if len(stale) == 0 {
		return nil
	}
	if kept, err := s.damagedJournals(); err != nil || len(kept) > 0 {
		return err // a damaged journal's files are for people to look at
	}
	for _, name := range stale {
		if err := s.disk.remove(name); err != nil {
			return err
		}
	}
	return nil
}

// publish brings the index to what was written, so that the next call need not look at
// the folder again. It runs under the writers' lock.
func (t *tx) publish(ctx context.Context, o *outcome) error {
	x, s := t.x, t.s
	names, err := x.Mark(ctx, namesMark)
	if err == nil && len(o.loose) > 0 {
		err = x.exec(ctx, `UPDATE files SET loose = 0 WHERE loose = 1`)
	}
	for name, p := range o.puts {
		if err != nil {
			return err
		}
		info, err2 := s.disk.stat(checkpoints + "/" + name)
		if err2 != nil {
			return err2
		}
		if p.fresh {
			names += nameKey(name)
		}
		err = x.put(ctx, p.c, row{stamp: stampOf(info), alias: p.alias, foreign: p.alias != ""})
	}
	for _, name := range o.removes {
		names -= nameKey(name)
		err = errors.Join(err, x.exec(ctx, `DELETE FROM files WHERE path = $1`, checkpoints+"/"+name))
	}
	for _, w := range o.flows {
		info, err2 := s.disk.stat(workflowName(w.ID))
		if err = errors.Join(err, err2); err == nil {
			err = x.note(ctx, row{path: workflowName(w.ID), stamp: stampOf(info), workflow: w.ID})
		}
	}
	m, err2 := s.look()
	if err = errors.Join(err, err2); err != nil || len(m.journal) > 0 {
		return errors.Join(err, errPending)
	}
	return errors.Join(x.SetMark(ctx, folderMark, m.key), x.SetMark(ctx, namesMark, names), x.SetMark(ctx, restedMark, 0))
}

// errPending says that a transaction could not be applied; the next writer does it.
var errPending = errors.New("a transaction is not applied yet")

// locked runs fn under the writers' lock, with what an earlier writer left
// undone finished.
func (s *Store) locked(ctx context.Context, op string, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return fail(op, err)
	}
	unlock, err := localfs.LockIn(ctx, s.disk.root, lockFile, s.wait)
	if err != nil {
		return fail(op, err)
	}
	defer unlock()
	if err := s.recover(); err != nil {
		return fail(op, err)
	}
	return fn()
}
