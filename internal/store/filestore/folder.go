package filestore

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// folder is the store's folder with the index of it.
type folder struct {
	disk
	cache
}

// moves is how often a question is asked, or a transaction tried, while another program
// changes the files.
const moves = 5

// fits reports whether the index is that of what the folder holds now. Where the
// folder has not changed no file is opened or looked at, however many there are; with
// whole every file is.
//
// The folder's time alone does not say so. Another program may have added a file in
// the moment in which we changed that time, or while a transaction ran that then noted
// it. So the names are compared too, once, when the folder is at rest.
func (f *folder) fits(ctx context.Context, x snap, whole bool) (m mark, ok bool, err error) {
	if m, err = f.look(); err != nil {
		return m, false, err
	}
	have := x.mark(ctx, folderMark)
	if have|unrested != m.key|unrested {
		return m, false, *x.bad
	}
	if whole {
		l, err := f.list(m)
		return m, err == nil && compare(x.rows(ctx, `1 = 1`), l.stamps).none(), err
	}
	if have == m.key {
		return m, true, nil
	}
	atRest := m.atRest() // before the names are read: what comes in the meantime may not show
	err = m.readNames(&f.disk)
	ok = m.names == x.mark(ctx, namesMark)
	m.rests = ok && atRest && len(m.stale) == 0
	return m, ok, err
}

// ask runs fn on an index that fits, as it is at one moment. What fn answers is
// compared with the files it came from; where one has changed, fn runs again. whole:
// every file was compared.
func (f *folder) ask(ctx context.Context, op string, whole bool, fn func(snap) ([]piton.Checkpoint, error)) (list []piton.Checkpoint, err error) {
	err = f.settled(ctx, op, func() error {
		return f.retry(ctx, op, func(try int) (done bool, err error) {
			list, done, err = f.readOnce(ctx, whole, fn)
			done = done && (whole || try >= moves || !slices.ContainsFunc(list, f.moved))
			return done, err
		})
	})
	for i, c := range list {
		list[i] = given(c)
	}
	return list, fail(op, err)
}

// settled runs fn, and again under the writers' lock where the folder is being written.
func (f *folder) settled(ctx context.Context, op string, fn func() error) error {
	err := fn()
	if errors.Is(err, errUnsettled) {
		return f.locked(ctx, op, fn)
	}
	return err
}

// retry does what asks an index until that fits: it brings the index to what the folder
// holds, and makes it again where it is damaged.
func (f *folder) retry(ctx context.Context, op string, do func(try int) (done bool, err error)) error {
	for try, drops := 0, 0; ; try++ {
		if err := ctx.Err(); err != nil {
			return fail(op, err)
		}
		done, err := do(try)
		if err == nil && !done {
			_, err = f.refresh(ctx, op, try == moves-1)
		}
		switch {
		case errors.Is(err, sqlite.ErrIndex) && ctx.Err() == nil && try < 2*moves:
			f.drop(drops >= 2)
			drops++
		case err != nil || done:
			return err
		case try == 2*moves:
			return errUnsettled
		}
	}
}

func (f *folder) readOnce(ctx context.Context, whole bool, fn func(snap) ([]piton.Checkpoint, error)) (list []piton.Checkpoint, done bool, err error) {
	var m mark
	done, err = f.fitting(ctx, false, nil, whole, func(x snap, is mark) error {
		m = is
		list, err = fn(x)
		return err
	})
	if err == nil && slices.ContainsFunc(list, func(c piton.Checkpoint) bool { return c.BadRecord }) {
		err = sqlite.ErrIndex
	}
	if db, err := f.opened(ctx); err == nil && m.rests { // it does not wait for another's transaction
		ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		_ = over(ctx, db, true, nil, func(x snap) error { return x.SetMark(ctx, folderMark, m.key) })
	}
	return list, done, err
}

// fitting runs fn in a transaction over an index that fits; done is false where it does
// not.
func (f *folder) fitting(ctx context.Context, write bool, noted func(store.LogEvent), whole bool, fn func(snap, mark) error) (done bool, err error) {
	db, err := f.opened(ctx)
	if err != nil {
		return false, err
	}
	err = over(ctx, db, write, noted, func(x snap) error {
		m, ok, err := f.fits(ctx, x, whole)
		if err != nil || !ok {
			return err
		}
		done = true
		return fn(x, m)
	})
	return done, err
}

// refresh brings the index to what the folder holds now, and returns what is wrong with
// that: it looks at every file, and reads those that have changed, or all. It fails with
// errUnsettled where the folder changes meanwhile.
func (f *folder) refresh(ctx context.Context, op string, all bool) (faults []string, err error) {
	db, err := f.opened(ctx)
	if err != nil {
		return nil, err
	}
	err = over(ctx, db, true, nil, func(x snap) error {
		for try := 0; err == nil && try < moves; try++ {
			if all {
				x.clear(ctx)
			}
			faults, err = f.refreshOnce(ctx, x)
			if !errors.Is(err, errUnsettled) {
				return fail(op, err)
			}
			err = ctx.Err()
		}
		return fail(op, cmp.Or(err, errUnsettled))
	})
	return faults, err
}

func (f *folder) refreshOnce(ctx context.Context, x snap) (faults []string, err error) {
	m, err := f.look()
	if err != nil {
		return nil, err
	}
	l, err := f.list(m)
	if err == nil {
		faults, err = take(ctx, &f.disk, x, l)
	}
	if errors.Is(err, fs.ErrNotExist) { // it went meanwhile
		return nil, errUnsettled
	}
	// A transaction that was applied meanwhile may have been seen in parts.
	after, err2 := f.look()
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
func (f *folder) reread(ctx context.Context, op string) (faults []string, err error) {
	err = f.settled(ctx, op, func() error {
		return f.retry(ctx, op, func(int) (done bool, err error) {
			faults, err = f.refresh(ctx, op, true)
			return true, err
		})
	})
	return faults, fail(op, err)
}
