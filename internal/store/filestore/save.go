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
		return s.retry(ctx, op, func(int) (done bool, err error) {
			if done, err = s.writeOnce(ctx, op, fn); !errors.Is(err, errMoved) {
				return done, err
			}
			s.suspect()
			if moved++; moved == moves {
				return false, piton.Errorf(piton.Unavailable, op, "try again", "another program changes its files all the time")
			}
			return false, nil
		})
	})
}

// writeOnce runs fn on an index that fits; done is false where it does not.
func (s *Store) writeOnce(ctx context.Context, op string, fn func(*tx) error) (done bool, err error) {
	db, err := s.opened(ctx)
	if err != nil {
		return false, err
	}
	t, written := newTx(s), false
	err = over(ctx, db, db.D.Work, func(e store.LogEvent) { t.log = append(t.log, e) }, func(x snap) (err error) {
		var m mark
		if m, done, _, err = s.fits(ctx, x, false); err != nil || !done {
			return fail(op, err)
		}
		t.x = x
		if err := fn(t); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return fail(op, err)
		}
		o, err := t.prepare(ctx, m)
		if err != nil || o == nil {
			return err
		}
		if err := s.commit(op, o); err != nil {
			return err
		}
		written = true
		return t.publish(context.WithoutCancel(ctx), o)
	})
	if !written {
		return done, err
	}
	if err != nil {
		s.suspect() // only the index has failed: the next call brings it up to date
	}
	return true, nil
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
