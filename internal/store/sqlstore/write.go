package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// Save runs fn in one durable transaction.
func (s *Store) Save(ctx context.Context, fn func(store.Tx) error) error {
	return s.write(ctx, "save", func(t *tx) error { return fn(t.over()) })
}

// over is a transaction over checkpoints.
func (t *tx) over() store.Tx {
	return store.Tx{Reader: t, Writer: t, Recorder: t, Runs: runWriter{t}, Schedules: scheduleWriter{t}}
}

// Update runs fn in one durable transaction.
func (s *Store) Update(ctx context.Context, fn func(store.LocalTx) error) error {
	return s.write(ctx, "update", func(t *tx) error {
		return fn(store.LocalTx{Tx: t.over(), SessionWriter: t, LetterWriter: t, MarkWriter: t})
	})
}

// write runs fn in one transaction, and again when the database broke it off
// and it is sure that nothing was written.
func (s *Store) write(ctx context.Context, op string, fn func(*tx) error) error {
	if s.D.Queue != nil {
		leave, err := s.D.Queue(ctx)
		if err != nil {
			return s.D.Error(op, err)
		}
		defer leave()
	}
	for try := 0; ; try++ {
		err := s.once(ctx, op, fn)
		if err == nil || s.D.Again == nil || !s.D.Again(ctx, try, err) {
			return err
		}
	}
}

func (s *Store) once(ctx context.Context, op string, fn func(*tx) error) error {
	t, err := s.d.begin(ctx, s.DB)
	if err != nil {
		return s.D.Error(op, err)
	}
	defer t.Rollback()
	x := &tx{reader: reader{q: t, d: s.d}}
	if err := fn(x); err != nil {
		return err
	}
	if x.lost != nil {
		return x.lost
	}
	if err := ctx.Err(); err != nil {
		return s.D.Error(op, err)
	}
	landed := func(bool) {}
	if s.D.Acknowledge != nil && x.last.ID > 0 {
		landed = s.D.Acknowledge(x.last, func(id int64) (store.LogEvent, error) { return x.Event(ctx, id) })
	}
	err = t.Commit()
	landed(err == nil)
	switch {
	case err == nil:
		s.recent.add(x.own.bases...)
		if x.posted && s.D.Bell.Ring != nil {
			s.D.Bell.Ring()
		}
		return nil
	case s.D.Doubt != nil && s.D.Doubt(err):
		return s.landed(ctx, op, x, err)
	}
	return s.D.Error(op, err)
}

// errInDoubt marks a commit of which nobody knows whether it has landed.
var errInDoubt = errors.New("the answer to the commit was lost")

// landed finds out what became of a commit whose answer was lost: nil if it is
// there, the cause if it surely is not.
func (s *Store) landed(ctx context.Context, op string, x *tx, cause error) error {
	ctx = context.WithoutCancel(ctx) // the caller may have given up, the commit has not
	if x.appended != "" && s.D.Settled(ctx, s.DB, x.xact) == nil {
		// The row, not the transaction's fate: after a crash the server may have
		// given its name to another.
		var n int
		switch err := s.row(ctx, op, `SELECT COUNT(*) FROM checkpoints WHERE id = $1`, params{x.appended}, &n); {
		case err == nil && n > 0:
			return nil
		case err == nil:
			return s.D.Error(op, cause)
		}
	}
	// Not wrapped: whatever the cause, this must not run again by itself.
	return &piton.Error{Code: piton.Unavailable, Op: op, Hint: "it may have been written or not: look with 'list' before you try again",
		Err: fmt.Errorf("%w: %v", errInDoubt, cause)}
}

// begin begins a transaction.
func (d *Dialect) begin(ctx context.Context, db *sql.DB) (Work, error) {
	if d.Work != nil {
		return d.Work(ctx, db)
	}
	t, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err // not a Work of nothing
	}
	return t, nil
}
