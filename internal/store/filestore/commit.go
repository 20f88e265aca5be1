package filestore

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
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

// commit makes a transaction durable, and removes what earlier ones have left that never
// happened. After the journal has its name nothing can fail any more: what is not applied
// now, the next one applies who takes the lock.
func (d *disk) commit(op string, o *outcome, stale []string) error {
	err := d.sweep(stale)
	if err == nil {
		err = d.stage(o)
	}
	if err == nil {
		_ = d.apply(&o.journal)
		return nil
	}
	if !d.exists(journalFile) { // else it could not be taken back, and needs its files
		b := d.batch()
		for name := range o.puts {
			b.remove(stagedName(checkpoints + "/" + name))
		}
		b.remove(stagedName(journalFile))
	}
	return fail(op, err)
}

// stage writes all that is new and then the journal. On an error the
// transaction has not happened.
func (d *disk) stage(o *outcome) error {
	raw, err := seal(&o.journal)
	if err == nil {
		err = o.mayBeRead(raw)
	}
	if err != nil {
		return err
	}
	b := d.batch()
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
		back := d.batch()
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
func (d *disk) apply(j *journal) error {
	b := d.batch()
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

// put gives a file that carries its own sum its content. The folder is the caller's to
// sync.
func (b *batch) put(name string, v sealable) {
	raw, err := seal(v)
	b.fail(err)
	b.replace(name, raw, 0o600)
}

// recover finishes what an earlier writer left undone. It runs under the
// writers' lock.
func (d *disk) recover() error {
	raw, err := d.read(journalFile, maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil && !unusable(err) {
		return err
	}
	j, b := &journal{}, d.batch()
	if err != nil || unseal(raw, j) != nil {
		// Nothing of it is done. It is kept for people to look at.
		b.rename(journalFile, damagedPrefix+time.Now().UTC().Format("20060102T150405.000")+".json")
		b.syncDir(".")
		return b.err
	}
	raw, err = d.read(storeFile, maxMeta)
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
	return d.apply(j)
}

// sweep removes staged files of transactions that never happened. It runs under
// the writers' lock.
func (d *disk) sweep(stale []string) error {
	b := d.batch()
	if kept, err := d.withIn(".", damagedPrefix); err != nil || len(kept) > 0 {
		return err // a damaged journal's files are for people to look at
	}
	for _, name := range stale {
		b.remove(name)
	}
	return b.err
}

// patience is how long a writer waits for the others.
const patience = 10 * time.Second

// locked runs fn under the writers' lock, with what an earlier writer left
// undone finished.
func (d *disk) locked(ctx context.Context, op string, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return fail(op, err)
	}
	unlock, err := localfs.LockIn(ctx, d.root, lockFile, patience)
	if err != nil {
		return fail(op, err)
	}
	defer unlock()
	for began, wait := time.Now(), time.Millisecond; ; wait *= 2 {
		if err = d.recover(); err == nil {
			err = fn()
		}
		if !errors.Is(err, errUnsettled) || time.Since(began) > time.Second || ctx.Err() != nil {
			return fail(op, err)
		}
		time.Sleep(wait) // another program is writing, which takes no lock
	}
}
