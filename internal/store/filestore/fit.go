package filestore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// mark reports whether the folder has changed since it was read.
type mark struct {
	key     int64 // of store.json, the folder and the times of its folders; even
	store   []byte
	fault   string    // why store.json cannot be read
	changed time.Time // when a folder was changed last

	// Of the names in the checkpoints' folder, where they were read:
	names int64    // the sum of their keys
	stale []string // staged files, which no transaction names
	rests bool     // the next process need not read them
}

// grain is more than the grain of any local file system's clock in memory: a
// change so soon after another need not show in the folder's time.
const grain = 50 * time.Millisecond

// atRest reports whether every change of the folder from now on gives it another
// mark.
func (m mark) atRest() bool { return time.Since(m.changed) > grain }

// errUnsettled says that the folder changes, or that a transaction is not applied yet.
// Under the writers' lock it is.
var errUnsettled = errors.New("the folder is being written")

// look reads the mark: five small operations. It fails where a journal is there.
func (s *Store) look() (m mark, err error) {
	var parts []string
	for _, dir := range []string{".", checkpoints, workflows} {
		info, err := s.disk.stat(dir)
		if err != nil {
			return m, err
		}
		parts = append(parts, strconv.FormatInt(localfs.Inode(info), 10))
		if dir == "." {
			continue
		}
		parts = append(parts, stampOf(info))
		if at := info.ModTime(); at.After(m.changed) {
			m.changed = at
		}
	}
	m.store, err = s.disk.read(storeFile, maxMeta)
	switch {
	case unusable(err):
		m.fault = storeFile + " is damaged: " + cause(err)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return m, err
	}
	if s.disk.looked(); s.disk.exists(journalFile) {
		return m, errUnsettled
	}
	m.key = keyOf(append(parts, string(m.store))...)
	return m, nil
}

// keyOf is a number that stands for some texts.
func keyOf(parts ...string) int64 {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return int64(binary.BigEndian.Uint64(sum[:]) &^ unrested)
}

// readNames reads the names in the checkpoints' folder.
func (m *mark) readNames(d *disk) error {
	list, err := d.names(checkpoints)
	m.names, m.stale = 0, nil
	for _, name := range list {
		if isCheckpointName(name) {
			m.names += nameKey(name)
		} else if isStaged(name) {
			m.stale = append(m.stale, checkpoints+"/"+name)
		}
	}
	return err
}

// fits reports whether the index is that of what the folder holds now. Where the
// folder has not changed no file is opened or looked at, however many there are; with
// whole every file is.
//
// The folder's time alone does not say so. Another program may have added a file in
// the moment in which we changed that time, or while a transaction ran that then noted
// it. So the names are compared too, once, when the folder is at rest.
func (s *Store) fits(ctx context.Context, x snap, whole bool) (m mark, ok bool, err error) {
	if m, err = s.look(); err != nil {
		return m, false, err
	}
	have := x.mark(ctx, folderMark)
	if have|unrested != m.key|unrested {
		return m, false, *x.bad
	}
	if whole {
		l, err := s.list(m)
		return m, err == nil && compare(x.rows(ctx, `1 = 1`), l.stamps).none(), err
	}
	if have == m.key {
		return m, true, nil
	}
	atRest := m.atRest() // before the names are read: what comes in the meantime may not show
	err = m.readNames(&s.disk)
	ok = m.names == x.mark(ctx, namesMark)
	m.rests = ok && atRest && len(m.stale) == 0
	return m, ok, err
}

// read runs fn on an index that fits, as it is at one moment. What fn answers is
// compared with the files it came from; where one has changed, fn runs again. whole:
// every file was compared.
func (s *Store) read(ctx context.Context, op string, whole bool, fn func(snap) ([]piton.Checkpoint, error)) (list []piton.Checkpoint, err error) {
	err = s.settled(ctx, op, func() error {
		return s.retry(ctx, op, func(try int) (done bool, err error) {
			list, done, err = s.readOnce(ctx, whole, fn)
			done = done && (whole || try >= moves || !slices.ContainsFunc(list, s.moved))
			return done, err
		})
	})
	for i, c := range list {
		list[i] = given(c)
	}
	return list, fail(op, err)
}

// unrested is added to a mark's key where the names are still to be compared.
const unrested = 1

// moves is how often a question is asked, or a transaction tried, while another program
// changes the files.
const moves = 5

// patience is how long a writer waits for the others.
const patience = 10 * time.Second

// settled runs fn, and again under the writers' lock where the folder is being written.
func (s *Store) settled(ctx context.Context, op string, fn func() error) error {
	err := fn()
	if errors.Is(err, errUnsettled) {
		return s.locked(ctx, op, fn)
	}
	return err
}

// retry does what asks an index until that fits: it brings the index to what the folder
// holds, and makes it again where it is damaged.
func (s *Store) retry(ctx context.Context, op string, do func(try int) (done bool, err error)) error {
	for try := 0; ; try++ {
		if err := ctx.Err(); err != nil {
			return fail(op, err)
		}
		done, err := do(try)
		if err == nil && !done {
			_, err = s.refresh(ctx, op, try == moves-1)
		}
		switch {
		case errors.Is(err, sqlite.ErrIndex) && ctx.Err() == nil && try < 2*moves:
			s.drop(try >= 2)
		case err != nil || done:
			return err
		case try == 2*moves:
			return errUnsettled
		}
	}
}

func (s *Store) readOnce(ctx context.Context, whole bool, fn func(snap) ([]piton.Checkpoint, error)) (list []piton.Checkpoint, done bool, err error) {
	var m mark
	done, err = s.fitting(ctx, false, nil, whole, func(x snap, is mark) error {
		m = is
		list, err = fn(x)
		return err
	})
	if err == nil && slices.ContainsFunc(list, func(c piton.Checkpoint) bool { return c.BadRecord }) {
		err = sqlite.ErrIndex
	}
	if db, err := s.opened(ctx); err == nil && m.rests { // it does not wait for another's transaction
		ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		_ = over(ctx, db, true, nil, func(x snap) error { return x.SetMark(ctx, folderMark, m.key) })
	}
	return list, done, err
}

// fitting runs fn in a transaction over an index that fits; done is false where it does
// not.
func (s *Store) fitting(ctx context.Context, write bool, noted func(store.LogEvent), whole bool, fn func(snap, mark) error) (done bool, err error) {
	db, err := s.opened(ctx)
	if err != nil {
		return false, err
	}
	err = over(ctx, db, write, noted, func(x snap) error {
		m, ok, err := s.fits(ctx, x, whole)
		if err != nil || !ok {
			return err
		}
		done = true
		return fn(x, m)
	})
	return done, err
}

// moved reports whether a checkpoint's file is not the one that was read.
func (s *Store) moved(c piton.Checkpoint) bool {
	file, was := fileOf(c)
	if was == "" {
		return false // it is not there yet, or could not be read
	}
	info, err := s.disk.stat(file)
	return err != nil || stampOf(info) != was
}

// refresh brings the index to what the folder holds now, and returns what is wrong with
// that: it looks at every file, and reads those that have changed, or all. It fails with
// errUnsettled where the folder changes meanwhile.
func (s *Store) refresh(ctx context.Context, op string, all bool) (faults []string, err error) {
	db, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	err = over(ctx, db, true, nil, func(x snap) error {
		if all {
			x.clear(ctx)
		}
		for try := 0; err == nil && try < moves; try++ {
			faults, err = s.refreshOnce(ctx, x)
			if !errors.Is(err, errUnsettled) {
				return fail(op, err)
			}
			err = ctx.Err()
		}
		return fail(op, cmp.Or(err, errUnsettled))
	})
	return faults, err
}

func (s *Store) refreshOnce(ctx context.Context, x snap) (faults []string, err error) {
	m, err := s.look()
	if err != nil {
		return nil, err
	}
	l, err := s.list(m)
	if err == nil {
		faults, err = s.take(ctx, x, l)
	}
	if errors.Is(err, fs.ErrNotExist) { // it went meanwhile
		return nil, errUnsettled
	}
	// A transaction that was applied meanwhile may have been seen in parts.
	after, err2 := s.look()
	if err = errors.Join(err, err2); err == nil && after.key != m.key {
		err = errUnsettled
	}
	if err != nil {
		return nil, err
	}
	x.setMarks(ctx, m.key, l.names)
	return faults, *x.bad
}

// reread reads every file, whatever the index says, and returns what is wrong with them.
func (s *Store) reread(ctx context.Context, op string) (faults []string, err error) {
	err = s.settled(ctx, op, func() error {
		faults, err = s.refresh(ctx, op, true)
		return err
	})
	return faults, fail(op, err)
}

// Save runs fn in one durable transaction.
func (s *Store) Save(ctx context.Context, fn func(store.Tx) error) error {
	return s.write(ctx, "save", func(t *tx) error { return fn(store.Tx{Reader: t, Writer: t, Recorder: t}) })
}

// errMoved ends a transaction that is to run again: another program has changed a file
// that it reads or was to write.
var errMoved = errors.New("another program has just changed it")

func (s *Store) write(ctx context.Context, op string, fn func(*tx) error) error {
	return s.locked(ctx, op, func() error {
		return s.retry(ctx, op, func(try int) (done bool, err error) {
			done, err = s.writeOnce(ctx, op, fn)
			switch {
			case !errors.Is(err, errMoved):
				return done, fail(op, err)
			case try >= moves:
				return false, piton.Errorf(piton.Unavailable, op, "try again", "another program changes its files all the time")
			}
			return false, nil
		})
	})
}

// writeOnce runs fn on an index that fits; done is false where it does not.
func (s *Store) writeOnce(ctx context.Context, op string, fn func(*tx) error) (done bool, err error) {
	t, written := newTx(s), false
	noted := func(e store.LogEvent) { t.log = append(t.log, e) }
	done, err = s.fitting(ctx, true, noted, false, func(x snap, m mark) error {
		t.x = x
		if err := fn(t); err != nil {
			return err
		}
		o, err := t.prepare(ctx, m)
		if err = cmp.Or(err, *x.bad, ctx.Err()); err != nil || o == nil {
			return err
		}
		if err := s.commit(op, o, m.stale); err != nil {
			return err
		}
		written = true
		return t.publish(context.WithoutCancel(ctx), o)
	})
	if written {
		err = nil // where only the index has failed, the next call brings it up to date
	}
	return done, err
}

// locked runs fn under the writers' lock, with what an earlier writer left
// undone finished.
func (s *Store) locked(ctx context.Context, op string, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return fail(op, err)
	}
	unlock, err := localfs.LockIn(ctx, s.disk.root, lockFile, patience)
	if err != nil {
		return fail(op, err)
	}
	defer unlock()
	if err := s.recover(); err != nil {
		return fail(op, err)
	}
	return fn()
}
