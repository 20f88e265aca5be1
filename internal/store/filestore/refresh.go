package filestore

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// fits reports whether the index is that of what the folder holds now. Where the
// folder has not changed no file is opened or looked at, however many there are.
//
// The folder's time alone does not say so. Another program may have added a file in
// the moment in which we changed that time, or while a transaction ran that then noted
// it. So the names are compared too, once, when the folder is at rest: rests is true
// where the next process need not.
func (s *Store) fits(ctx context.Context, x snap, whole bool) (m mark, ok, rests bool, err error) {
	if m, err = s.look(); err != nil {
		return m, false, false, err
	}
	have, err := x.marks(ctx)
	if err != nil || s.doubt.Load() || s.unread.Load() || have[folderMark] != m.key {
		return m, false, false, err
	}
	rested, atRest := have[restedMark] == m.key, m.atRest() // before the look at the files: what comes in the meantime may not show
	var stale []string
	switch {
	case whole && s.sure.Load() != m.key:
		l, err := s.list(m)
		if err != nil {
			return m, false, false, err
		}
		rows, err := x.rows(ctx, `1 = 1`)
		if err != nil {
			return m, false, false, err
		}
		if stale, ok = l.stale, compare(rows, l).none(); ok && atRest {
			s.sure.Store(m.key)
		}
	case rested:
		return m, true, false, nil
	default:
		var names int64
		if names, stale, err = s.names(); err != nil {
			return m, false, false, err
		}
		ok = names == have[namesMark]
	}
	s.found(stale)
	return m, ok, ok && atRest && !rested && len(stale) == 0, nil
}

// found notes which staged files no journal names.
func (s *Store) found(stale []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = stale
}

// read runs fn on an index that fits, as it is at one moment. What fn answers is
// compared with the files it came from; where one has changed, fn runs again. whole:
// every file was compared.
func (s *Store) read(ctx context.Context, op string, whole bool, fn func(snap) ([]piton.Checkpoint, error)) (list []piton.Checkpoint, err error) {
	err = s.retry(ctx, op, func(try int) (done bool, err error) {
		list, done, err = s.readOnce(ctx, whole, fn, try < moves)
		return done, err
	})
	return list, fail(op, err)
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
			if err = s.refresh(ctx, op); err == nil {
				continue
			}
		}
		if !errors.Is(err, sqlite.ErrIndex) || ctx.Err() != nil || try >= patience {
			return err
		}
		s.drop()
	}
}

func (s *Store) readOnce(ctx context.Context, whole bool, fn func(snap) ([]piton.Checkpoint, error), compare bool) (list []piton.Checkpoint, done bool, err error) {
	db, err := s.opened(ctx)
	if err != nil {
		return nil, false, err
	}
	var m mark
	var rests bool
	err = over(ctx, db, sqlite.Snapshot, nil, func(x snap) error {
		if m, done, rests, err = s.fits(ctx, x, whole); err == nil && done {
			list, err = fn(x)
		}
		return err
	})
	if err != nil || !done {
		return nil, false, err
	}
	if rests { // it does not wait for another's transaction
		ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		_ = over(ctx, db, db.D.Work, nil, func(x snap) error { return x.SetMark(ctx, restedMark, m.key) })
	}
	for i, c := range list {
		if c.BadRecord {
			return nil, false, sqlite.ErrIndex
		}
		if compare && s.sure.Load() != m.key && !s.asRead(c) {
			s.suspect()
			return nil, false, nil
		}
		list[i] = given(c)
	}
	return list, true, nil
}

// refresh brings the index to what the folder holds now: it looks at every file, and
// reads what has changed, until nothing has changed meanwhile.
func (s *Store) refresh(ctx context.Context, op string) error {
	db, err := s.opened(ctx)
	if err != nil {
		return err
	}
	return over(ctx, db, db.D.Work, nil, func(x snap) error {
		for try := 0; ; try++ {
			ok, err := s.refreshOnce(ctx, x)
			if ok || err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fail(op, err)
			}
			if err := ctx.Err(); err != nil {
				return fail(op, err)
			}
			if try == patience {
				return piton.Errorf(piton.Unavailable, op, "others are writing all the time; try again", "no moment of rest in %d looks", patience)
			}
			if try >= patience/2 {
				time.Sleep(time.Millisecond << min(try-patience/2, 5))
			}
		}
	})
}

func (s *Store) refreshOnce(ctx context.Context, x snap) (ok bool, err error) {
	m, err := s.look()
	if err != nil {
		return false, err
	}
	atRest := m.atRest()
	l, err := s.list(m)
	if err != nil {
		return false, err
	}
	faults, err := s.take(ctx, x, l, s.unread.Load())
	if err != nil {
		return false, err
	}
	// A transaction that was applied meanwhile may have been seen in parts.
	after, err := s.look()
	if err != nil || after.key != m.key {
		return false, err
	}
	if err := x.setMarks(ctx, m.key, l.names); err != nil {
		return false, err
	}
	if s.sure.Store(0); atRest {
		s.sure.Store(m.key)
	}
	s.doubt.Store(false)
	s.unread.Store(false)
	s.found(l.stale)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = faults
	return true, nil
}

// patience is how many times a reader looks for a moment without a writer. Each look
// after the first is cheap: it reads only what has changed.
const patience = 60

// moves is how often a transaction is tried while another program changes the
// files it is to write.
const moves = 5

// suspect makes the next call look at every file.
func (s *Store) suspect() { s.doubt.Store(true) }

// forget makes the next call read every file.
func (s *Store) forget() { s.unread.Store(true) }
