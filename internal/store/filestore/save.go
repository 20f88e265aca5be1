package filestore

import (
	"context"
	"errors"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
)

// Save runs fn in one durable transaction.
func (s *Store) Save(ctx context.Context, fn func(store.Tx) error) error {
	return s.write(ctx, "save", func(t *tx) error { return fn(store.Tx{Reader: t, Writer: t, Recorder: t}) })
}

func (s *Store) write(ctx context.Context, op string, fn func(*tx) error) error {
	return s.locked(ctx, op, func() error {
		moved := 0
		for try := 0; ; try++ {
			if err := ctx.Err(); err != nil {
				return fail(op, err)
			}
			fits, err := s.writeOnce(ctx, op, fn)
			switch {
			case errors.Is(err, errMoved):
				if moved++; moved == moves {
					return piton.Errorf(piton.Unavailable, op, "try again", "another program changes its files all the time")
				}
				s.suspect()
			case s.broken(ctx, try, err):
				continue
			case fits || err != nil:
				return fail(op, err)
			}
			if err := s.refresh(ctx, op); err != nil && !s.broken(ctx, try, err) {
				return err
			}
		}
	})
}

// writeOnce runs fn on an index that fits; fits is false where it does not.
func (s *Store) writeOnce(ctx context.Context, op string, fn func(*tx) error) (fits bool, err error) {
	db, err := s.opened(ctx)
	if err != nil {
		return false, err
	}
	done, t := false, newTx(s)
	err = over(ctx, db, db.D.Work, func(e store.LogEvent) { t.log = append(t.log, e) }, func(x snap) error {
		m, ok, err := s.fits(ctx, x, false)
		if fits = ok; err != nil || !ok {
			return err
		}
		t.x = x
		if err := fn(t); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return fail(op, err)
		}
		c, err := t.prepare(ctx, m)
		if err != nil || c == nil {
			return err
		}
		if err := s.commit(op, c); err != nil {
			return err
		}
		done = true
		return t.publish(context.WithoutCancel(ctx), c)
	})
	if done { // what failed then is only the index, which the next call finds out
		if err != nil {
			s.suspect()
		}
		if t.erases || len(t.removes) > 0 {
			_, _ = db.DB.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
		}
		return true, nil
	}
	return fits, err
}

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
