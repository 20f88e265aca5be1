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
	err := o.mayBeRead()
	raw, err2 := seal(&o.journal, journalFile, maxJournal)
	if err = errors.Join(err, err2); err != nil {
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

// mayBeRead refuses what could not be read again.
func (o *outcome) mayBeRead() error {
	var errs []error
	for _, name := range o.Puts {
		errs = append(errs, mayWrite(name, o.puts[name].raw, maxCheckpoint))
	}
	for _, w := range o.Workflows {
		_, err := seal(w, workflowName(w.ID), maxWorkflow)
		errs = append(errs, err)
	}
	if err := o.fits(); err != nil {
		errs = append(errs, &piton.Error{Code: piton.Invalid, Op: "write to the file store", Err: err})
	}
	return errors.Join(errs...)
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
		b.put(workflowName(w.ID), w, maxWorkflow)
	}
	b.appendEvents(j.Events)
	b.applySeed(j.Seed)
	if len(j.Puts)+len(j.Removes) > 0 {
		b.syncDir(checkpoints)
	}
	if len(j.Workflows) > 0 {
		b.syncDir(workflows)
	}
	b.put(storeFile, &j.Store, maxMeta)
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
