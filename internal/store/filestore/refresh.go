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
// it. So the names are compared too, once, when the folder is at rest.
func (s *Store) fits(ctx context.Context, x snap, whole bool) (m mark, ok bool, err error) {
	if m, err = s.look(); err != nil {
		return m, false, err
	}
	s.mu.Lock()
	doubt, rested, sure := s.doubt || s.unread, s.rested == m.key, s.sure == m.key
	s.mu.Unlock()
	have, err := x.Mark(ctx, folderMark)
	if err != nil || doubt || have != m.key {
		return m, false, err
	}
	atRest := m.atRest() // before the look at the files: what comes in the meantime may not show
	if whole && !sure {
		l, err := s.list(m)
		if err != nil {
			return m, false, err
		}
		c, err := x.compare(ctx, l)
		if ok = err == nil && len(c.touched)+len(c.fresh) == 0; ok {
			s.compared(m, l, atRest)
		}
		return m, ok, err
	}
	if !rested {
		if have, err = x.Mark(ctx, restedMark); err != nil {
			return m, false, err
		}
		rested = have == m.key
	}
	if rested {
		return m, true, nil
	}
	names, staged, err := s.names()
	if err != nil {
		return m, false, err
	}
	have, err = x.Mark(ctx, namesMark)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stale = staged; have == names && atRest && len(staged) == 0 && err == nil {
		s.rested = m.key
	}
	return m, have == names, err
}

// read runs fn on an index that fits, as it is at one moment. What fn answers is
// compared with the files it came from; where one has changed, fn runs again. whole:
// every file was compared.
func (s *Store) read(ctx context.Context, op string, whole bool, fn func(snap) ([]piton.Checkpoint, error)) (list []piton.Checkpoint, err error) {
	for try := 0; ; try++ {
		if err := ctx.Err(); err != nil {
			return nil, fail(op, err)
		}
		list, again, err := s.readOnce(ctx, whole, fn, try < moves)
		if s.broken(ctx, try, err) {
			continue
		}
		if err != nil || !again {
			return list, fail(op, err)
		}
		if err := s.refresh(ctx, op); err != nil && !s.broken(ctx, try, err) {
			return nil, err
		}
	}
}

// broken reports whether an error says that the index is to be made again, and throws
// it away.
func (s *Store) broken(ctx context.Context, try int, err error) bool {
	if !errors.Is(err, sqlite.ErrIndex) || ctx.Err() != nil || try >= patience {
		return false
	}
	s.drop()
	return true
}

func (s *Store) readOnce(ctx context.Context, whole bool, fn func(snap) ([]piton.Checkpoint, error), compare bool) (list []piton.Checkpoint, again bool, err error) {
	db, err := s.opened(ctx)
	if err != nil {
		return nil, false, err
	}
	var m mark
	noted := true
	err = over(ctx, db, sqlite.Snapshot, nil, func(x snap) error {
		var ok bool
		if m, ok, err = s.fits(ctx, x, whole); err != nil || !ok {
			again = true
			return err
		}
		was, err := x.Mark(ctx, restedMark)
		if noted = was == m.key; err != nil {
			return err
		}
		list, err = fn(x)
		return err
	})
	if err != nil || again {
		return nil, again, err
	}
	s.mu.Lock()
	rest, sure := s.rested == m.key && !noted, s.sure == m.key
	s.mu.Unlock()
	if rest {
		s.noteRest(ctx, m)
	}
	for i, c := range list {
		if compare && !sure && !s.asRead(c) {
			s.suspect()
			return nil, true, nil
		}
		list[i] = given(c)
	}
	return list, false, nil
}

// noteRest spares the next process the comparison of names. It does not wait for
// another's transaction.
func (s *Store) noteRest(ctx context.Context, m mark) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if db, err := s.opened(ctx); err == nil {
		_ = over(ctx, db, db.D.Work, nil, func(x snap) error {
			if have, err := x.Mark(ctx, folderMark); err != nil || have != m.key {
				return err
			}
			return x.SetMark(ctx, restedMark, m.key)
		})
	}
}

// refresh brings the index to what the folder holds now: it looks at every file, and
// reads what has changed, until nothing has changed meanwhile.
func (s *Store) refresh(ctx context.Context, op string) error {
	db, err := s.opened(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	unread := s.unread
	s.mu.Unlock()
	return over(ctx, db, db.D.Work, nil, func(x snap) error {
		for try := 0; ; try++ {
			if err := ctx.Err(); err != nil {
				return fail(op, err)
			}
			ok, err := s.refreshOnce(ctx, x, unread)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fail(op, err)
			}
			if ok {
				return nil
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

func (s *Store) refreshOnce(ctx context.Context, x snap, unread bool) (ok bool, err error) {
	m, err := s.look()
	if err != nil {
		return false, err
	}
	rested := m.atRest() // before the look at the files: what comes in the meantime may not show
	l, err := s.list(m)
	if err != nil {
		return false, err
	}
	faults, err := s.take(ctx, x, l, unread)
	if err != nil {
		return false, err
	}
	// A transaction that was applied meanwhile may have been seen in parts.
	after, err := s.look()
	if err != nil || after.key != m.key {
		return false, err
	}
	if err := errors.Join(x.SetMark(ctx, folderMark, m.key), x.SetMark(ctx, namesMark, l.names), x.SetMark(ctx, restedMark, 0)); err != nil {
		return false, err
	}
	s.compared(m, l, rested)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doubt, s.unread, s.faults = false, false, faults
	return true, nil
}

// compared notes that every file was compared with the index.
func (s *Store) compared(m mark, l lying, atRest bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rested, s.sure, s.stale = 0, 0, l.stale
	if atRest {
		s.sure = m.key
	}
	if atRest && len(l.stale) == 0 {
		s.rested = m.key
	}
}

// patience is how many times a reader looks for a moment without a writer. Each look
// after the first is cheap: it reads only what has changed.
const patience = 60

// moves is how often a transaction is tried while another program changes the
// files it is to write.
const moves = 5

// suspect makes the next call look at every file.
func (s *Store) suspect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doubt = true
}

// forget makes the next call read every file.
func (s *Store) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unread = true
}
