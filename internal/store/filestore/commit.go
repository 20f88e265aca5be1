package filestore

import (
	"errors"
	"io/fs"
	"time"

	"github.com/piton-project/piton"
)

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
	} else if !s.disk.exists(journalFile) { // else it could not be taken back, and needs its files
		for name := range o.puts {
			s.disk.remove(stagedName(checkpoints + "/" + name))
		}
		s.disk.remove(stagedName(journalFile))
	}
	return fail(op, err)
}

// stage writes all that is new and then the journal. On an error the
// transaction has not happened.
func (s *Store) stage(o *outcome) error {
	_, err := seal(&o.Store, storeFile, maxMeta)
	for _, w := range o.Workflows {
		if err == nil {
			_, err = seal(w, workflowName(w.ID), maxWorkflow)
		}
	}
	for _, name := range o.Puts {
		if err == nil {
			err = mayWrite(name, o.puts[name].raw, maxCheckpoint)
		}
		if err == nil {
			err = s.disk.write(stagedName(checkpoints+"/"+name), o.puts[name].raw, 0o600)
		}
	}
	if err == nil && len(o.Puts) > 0 {
		err = s.disk.syncDir(checkpoints)
	}
	if err != nil {
		return err
	}
	if err := o.fits(); err != nil {
		return &piton.Error{Code: piton.Invalid, Op: "write to the file store", Err: err}
	}
	raw, err := seal(&o.journal, journalFile, maxJournal)
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
		if err := s.put(workflowName(w.ID), w, maxWorkflow); err != nil {
			return err
		}
	}
	err := s.appendEvents(j.Events)
	if err == nil {
		err = s.applySeed(j.Seed)
	}
	if err == nil && len(j.Puts)+len(j.Removes) > 0 {
		err = s.disk.syncDir(checkpoints)
	}
	if err == nil && len(j.Workflows) > 0 {
		err = s.disk.syncDir(workflows)
	}
	if err == nil {
		err = s.put(storeFile, &j.Store, maxMeta)
	}
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
func (s *Store) put(name string, v sealable, limit int) error {
	raw, err := seal(v, name, limit)
	if err != nil {
		return err
	}
	return s.disk.replace(name, raw, 0o600)
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
	j := &journal{}
	if err == nil {
		err = unseal(raw, j)
	}
	if err != nil {
		// Nothing of it is done. It is kept for people to look at.
		name := damagedPrefix + time.Now().UTC().Format("20060102T150405.000") + ".json"
		return errors.Join(s.disk.rename(journalFile, name), s.disk.syncDir("."))
	}
	raw, err = s.disk.read(storeFile, maxMeta)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !unusable(err) {
		return err
	}
	if done, _ := readMeta(raw); j.Store.Tx <= done.Tx {
		return s.disk.remove(journalFile)
	}
	// The one who wrote it may have died before its name was durable.
	if err := s.disk.syncDir("."); err != nil {
		return err
	}
	return s.apply(j)
}

// sweep removes staged files of transactions that never happened. It runs under
// the writers' lock.
func (s *Store) sweep(stale []string) error {
	if len(stale) == 0 {
		return nil
	}
	kept, err := s.withIn(".", damagedPrefix)
	if err != nil || len(kept) > 0 {
		return err // a damaged journal's files are for people to look at
	}
	for _, name := range stale {
		if err := s.disk.remove(name); err != nil {
			return err
		}
	}
	return nil
}
