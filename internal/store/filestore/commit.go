package filestore

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/piton-project/piton"
)

// commit makes a transaction durable. After the journal has its name nothing
// can fail any more: what is not applied now, the next writer applies.
func (s *Store) commit(op string, t *tx) error {
	if !t.changed() {
		return nil
	}
	if err := s.sweep(t.x); err != nil {
		return fail(op, err)
	}
	j, err := s.stage(t)
	if err != nil {
		s.unstage(t)
		return fail(op, err)
	}
	if err := s.apply(j); err == nil {
		s.publish(t)
	} else {
		s.mu.Lock()
		s.index = nil
		s.mu.Unlock()
	}
	return nil
}

// stage writes all that is new and then the journal. On an error the
// transaction has not happened.
func (s *Store) stage(t *tx) (*journal, error) {
	t.x.store.Format = 1
	t.x.store.Tx++
	j := &journal{Store: t.x.store, Puts: slices.Sorted(maps.Keys(t.puts)), Removes: slices.Sorted(maps.Keys(t.removes)), Seed: t.seed.orNil()}
	if _, err := seal(&j.Store); err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(t.dirty)) {
		w := t.x.workflows[id]
		if _, err := sealWithin(w, workflowName(id), maxWorkflow); err != nil {
			return nil, err
		}
		j.Workflows = append(j.Workflows, w)
	}
	var err error
	if j.Events, err = s.eventLines(t.log); err != nil {
		return nil, err
	}
	for _, name := range j.Puts {
		if err := mayWrite(name, t.puts[name], maxCheckpoint); err != nil {
			return nil, err
		}
		if err := s.disk.write(stagedName(checkpoints+"/"+name), t.puts[name], 0o600); err != nil {
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
func (s *Store) unstage(t *tx) {
	if s.disk.exists(journalFile) {
		return // it could not be taken back, and needs its files
	}
	for name := range t.puts {
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

// sweep removes the staged files of transactions that never happened.
func (s *Store) sweep(x *index) error {
	if len(x.stale) == 0 {
		return nil
	}
	if kept, err := s.damagedJournals(); err != nil || len(kept) > 0 {
		return err // a damaged journal's files are for people to look at
	}
	for _, name := range x.stale {
		if err := s.disk.remove(name); err != nil {
			return err
		}
	}
	return nil
}

// publish makes a transaction's index the store's own, and the cache's, so that
// the next call need not scan the folder again. It runs under the writers' lock.
func (s *Store) publish(t *tx) {
	x := t.x
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index = nil
	var files []*entry
	for name := range t.puts {
		info, err := s.disk.stat(checkpoints + "/" + name)
		if err != nil {
			return
		}
		e := *x.files[name]
		e.stamp, e.size, e.state = stampOf(info), info.Size(), nil
		t.replace(&e)
		files = append(files, &e)
	}
	for id := range t.dirty {
		info, err := s.disk.stat(workflowName(id))
		if err != nil {
			return
		}
		w := *x.workflows[id]
		w.Branches = append([]branch(nil), w.Branches...)
		w.Marks, w.Numbers = maps.Clone(w.Marks), maps.Clone(w.Numbers)
		x.wfs[id] = wfFile{stamp: stampOf(info), w: &w}
	}
	m, err := s.look()
	if err != nil || len(m.journal) > 0 {
		return
	}
	// What another program did meanwhile shows in no time of the folder, only in
	// its names.
	s.rested, s.sure = false, false
	x.mark, x.stale, x.faults = m, nil, nil
	if x.private = false; t.erases || len(t.removes) > 0 || !s.cache.keepMore(s.disk.root, x, files, t.dirty) {
		if x.fill(); x.misfit() {
			s.cache.drop()
			return
		}
		s.cache.keepAll(s.disk.root, x)
	}
	s.index = x
}
