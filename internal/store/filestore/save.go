package filestore

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
)

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

// Save runs fn in one durable transaction.
func (s *Store) Save(ctx context.Context, fn func(store.Tx) error) error {
	return s.write(ctx, "save", func(t *tx) error { return fn(store.Tx{Reader: t, Writer: t, Recorder: t}) })
}

func (s *Store) write(ctx context.Context, op string, fn func(*tx) error) error {
	return s.locked(ctx, op, func() error {
		for try := 1; ; try++ {
			x, err := s.refresh(ctx)
			if err != nil {
				return err
			}
			t := newTx(s, x)
			err = fn(t)
			if t.x.misfit() {
				s.distrust()
				continue
			}
			if t.moved && try < moves {
				s.suspect()
				continue
			}
			if t.moved && err == nil {
				err = piton.Errorf(piton.Unavailable, op, "try again", "another program changes its files all the time")
			}
			if err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return fail(op, err)
			}
			return s.commit(op, t)
		}
	})
}
