package filestore

import (
	"errors"
	"io/fs"
	"time"

	"github.com/piton-project/piton"
)

// outcome is what a transaction means for the files.
type outcome struct {
	journal
	puts  map[string]written // by name
	loose []row              // numbers that become lasting
}

// written is a checkpoint's file that is to be written.
type written struct {
	c     piton.Checkpoint
	alias string
	raw   []byte
	fresh bool
}

// commit makes a transaction durable. After the journal has its name nothing
// can fail any more: what is not applied now, the next writer applies.
func (s *Store) commit(op string, o *outcome) error {
	if err := s.sweep(); err != nil {
		return fail(op, err)
	}
	if err := s.stage(o); err != nil {
		s.unstage(o)
		return fail(op, err)
	}
	_ = s.apply(&o.journal)
	return nil
}

// stage writes all that is new and then the journal. On an error the
// transaction has not happened.
func (s *Store) stage(o *outcome) error {
	if _, err := seal(&o.Store); err != nil {
		return err
	}
	for _, w := range o.Workflows {
		if _, err := sealWithin(w, workflowName(w.ID), maxWorkflow); err != nil {
			return err
		}
	}
	for _, name := range o.Puts {
		err := mayWrite(name, o.puts[name].raw, maxCheckpoint)
		if err == nil {
			err = s.disk.write(stagedName(checkpoints+"/"+name), o.puts[name].raw, 0o600)
		}
		if err != nil {
			return err
		}
	}
	if len(o.Puts) > 0 {
		if err := s.disk.syncDir(checkpoints); err != nil {
			return err
		}
	}
	if err := o.fits(); err != nil {
		return &piton.Error{Code: piton.Invalid, Op: "write to the file store", Err: err}
	}
	raw, err := sealWithin(&o.journal, journalFile, maxJournal)
	if err == nil {
		err = s.disk.replace(journalFile, raw, 0o600)
	}
	if err != nil {
		return err
	}
	if err := s.disk.syncDir("."); err != nil {
		// Whether the name would survive is not known: it is taken back.
		return errors.Join(err, s.disk.remove(journalFile), s.disk.syncDir("."))
	}
	return nil
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
	for _, dir := range []struct {
		name    string
		changes int
	}{{checkpoints, len(j.Puts) + len(j.Removes)}, {workflows, len(j.Workflows)}} {
		if dir.changes > 0 {
			if err := s.disk.syncDir(dir.name); err != nil {
				return err
			}
		}
	}
	err := s.put(storeFile, &j.Store)
	if err == nil {
		err = s.disk.syncDir(".")
	}
	if err != nil {
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
