// Package filestore keeps checkpoints as JSON files that people and other
// programs can read: a folder with a file per checkpoint, seed.json naming the
// current one, and a log of events (docs/format.md, "Files").
//
// The files are the store. What lists, searches and counts them is an index, a
// database of package sqlite without states, which is made again from the files
// whenever it does not fit them.
//
// It is safe for many processes at once. Writers queue on a lock file; readers take
// it only to finish what a writer that died has left, or where others write all the
// time. It keeps checkpoints only, no sessions and no runs.
package filestore

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// Options tune the store; the zero value is for people's programs.
type Options struct {
	// Cache is the folder for the index, in the user's own state folder; it is in
	// memory, for this process, when that is empty.
	Cache string
}

// Store keeps checkpoints in a folder.
type Store struct {
	reader
	folder
}

var (
	_ store.Checkpoints = (*Store)(nil)
	_ store.Upkeep      = (*Store)(nil)
)

// Open opens the store in a folder and makes it where it is missing, with mode
// 0700 and files with 0600. A transaction that was interrupted after it was
// acknowledged is finished. Unavailable: it cannot be reached, or lies on a
// file system that is not local. Invalid: this is not a folder.
func Open(dir string, o Options) (*Store, error) {
	return open(dir, o, nil)
}

func open(dir string, o Options, step func(string) error) (*Store, error) {
	op := "open the file store " + dir
	if dir == "" {
		return nil, piton.Errorf(piton.Invalid, op, "give the path of a folder", "the path is empty")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fail(op, err)
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return nil, piton.Errorf(piton.Invalid, op, "name a folder; a SQLite file is opened as 'store sqlite:"+dir+"'", "this is a file, not a folder")
	}
	s := &Store{}
	s.disk = disk{dir: dir, step: step}
	s.cache = cache{path: place(o.Cache, dir), form: keyOf(indexForm, dir, booted())}
	s.reader = reader{d: &s.disk, read: s.ask, again: func(ctx context.Context, op string) error {
		_, err := s.reread(ctx, op)
		return err
	}}
	s.state = s.State
	if err := s.make(op); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// make makes the folders that are missing, durably, opens the store's, and finishes the
// transaction that an earlier writer has left.
func (s *Store) make(op string) error {
	err := localfs.MakeDir(s.disk.dir)
	if err == nil {
		s.disk.root, err = os.OpenRoot(s.disk.dir)
	}
	if err == nil {
		err = s.disk.makeFolders()
	}
	if errors.Is(err, syscall.ENOSPC) || errors.As(err, new(errNoFolder)) {
		return fail(op, err)
	}
	if err != nil {
		return localfs.Unusable(op, s.disk.dir, err)
	}
	if kind, err := localfs.Kind(s.disk.dir); err == nil && localfs.Remote(kind) != "" { // what cannot be told is not refused
		return piton.Errorf(piton.Unavailable, op, "put it on a local disk: 'store file:DIR' or PITON_STORE", "%s lies on %s, a file system that is not local", s.disk.dir, localfs.Remote(kind))
	}
	if !s.disk.exists(journalFile) {
		return nil
	}
	err = s.locked(context.Background(), op, func() error { return nil })
	if errors.Is(err, localfs.ErrBusy) { // another process is just writing: this is its journal
		return nil
	}
	return err
}

// Holds tells whether a store of files lies in a folder.
func Holds(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, checkpoints))
	return err == nil && info.IsDir()
}

// Close closes the folder and the index.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.index != nil {
		err = s.index.Close()
		s.index = nil
	}
	if s.disk.root != nil {
		err = errors.Join(err, s.disk.root.Close())
	}
	return err
}

// Save runs fn in one durable transaction.
func (s *Store) Save(ctx context.Context, fn func(store.Tx) error) error {
	return s.write(ctx, "save", func(t *tx) error { return fn(store.Tx{Reader: t, Writer: t, Recorder: t}) })
}

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
	t, written := newTx(&s.disk), false
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
	if written && errors.Is(err, sqlite.ErrIndex) {
		s.drop(false)
	}
	if written {
		err = nil // where only the index has failed, the next call brings it up to date
	}
	return done, err
}

// Search returns the checkpoints that hold every one of the words and fit the query,
// newest first. The first search of an index reads every state. Invalid when there is
// no word, or too many.
func (s *Store) Search(ctx context.Context, query string, q piton.Query, text func(piton.Checkpoint, []byte) string) (page piton.Page, err error) {
	err = s.retry(ctx, "search", func(int) (bool, error) {
		_, err := s.ask(ctx, "search", true, func(snap) ([]piton.Checkpoint, error) { return nil, nil })
		if err != nil {
			return true, err
		}
		db, err := s.opened(ctx)
		if err == nil {
			page, err = db.Search(ctx, query, q, func(c piton.Checkpoint, state []byte) string { return text(given(c), state) })
		}
		return true, err
	})
	for i, c := range page.Checkpoints {
		page.Checkpoints[i] = given(c)
	}
	return page, err
}

// Runs is nil: the store keeps no runs.
func (s *Store) Runs() store.RunReader { return nil }

// Schedules are not kept in files either.
func (s *Store) Schedules() store.ScheduleReader { return nil }

// Metrics are none: what the store counts it counts for all days together.
func (s *Store) Metrics(context.Context, piton.Time) ([]store.Metric, error) { return nil, nil }

// ExpireMetrics has nothing to delete: all days have one counter.
func (s *Store) ExpireMetrics(context.Context, piton.Time) error { return nil }

// Prepare has nothing to do: a state is stored as it is.
func (s *Store) Prepare(_ context.Context, p store.Prepared) (store.Prepared, error) { return p, nil }

// Upkeep is the store itself.
func (s *Store) Upkeep() store.Upkeep { return s }
