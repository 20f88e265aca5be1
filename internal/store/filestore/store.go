// Package filestore keeps checkpoints as JSON files that people and other
// programs can read: a folder with a file per checkpoint, seed.json naming the
// current one, and a log of events (docs/format.md, "Files").
//
// It is safe for many processes at once. Writers queue on a lock file; readers
// take none. It keeps checkpoints only, no sessions and no runs.
package filestore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
)

// Options tune the store; the zero value is for people's programs.
type Options struct {
	// Wait is how long a writer waits for the others; 10 s when 0.
	Wait time.Duration
	// Existing opens what is there and makes nothing; NotFound when there is no
	// such folder.
	Existing bool
	// Cache is the folder for what need not be read again by every process, in
	// the user's own state folder; none is kept when it is empty.
	Cache string
}

// Store keeps checkpoints in a folder.
type Store struct {
	reader
	disk disk
	wait time.Duration

	mu     sync.Mutex // over all that follows but terms
	index  *index     // the newest that was read
	again  time.Time  // when to compare the names with it once more
	sure   bool       // every file was compared with it while nothing changed
	doubt  bool       // every file is to be compared
	unread bool       // every file is to be read, whatever the cache says
	cache  cache
	terms  terms
}

var (
	_ store.Checkpoints = (*Store)(nil)
	_ store.Upkeep      = (*Store)(nil)
)

// Names in the store's folder.
const (
	lockFile    = ".piton.lock"
	storeFile   = "store.json"
	journalFile = "journal.json"
	seedFile    = "seed.json"
	checkpoints = "checkpoints"
	workflows   = "workflows"
	events      = "events"
)

// Open opens the store in a folder and makes it where it is missing, with mode
// 0700 and files with 0600. A transaction that was interrupted after it was
// acknowledged is finished. Unavailable: it cannot be reached, or lies on a
// file system that is not local. Invalid: this is no folder.
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
	switch {
	case err == nil && !info.IsDir():
		return nil, piton.Errorf(piton.Invalid, op, "give the path of a folder", "this is no folder")
	case errors.Is(err, fs.ErrNotExist) && o.Existing:
		return nil, piton.Errorf(piton.NotFound, op, "nothing has been saved yet", "there is no such folder")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fail(op, err)
	}
	s := &Store{wait: o.Wait, cache: cache{path: place(o.Cache, dir), dir: dir}}
	s.disk.dir, s.disk.step = dir, step
	if s.wait == 0 {
		s.wait = 10 * time.Second
	}
	s.reader = reader{at: s.refresh, s: s}
	if err := s.make(); err != nil {
		s.Close()
		return nil, fail(op, err)
	}
	if kind, err := localfs.Kind(dir); err == nil && localfs.Remote(kind) != "" { // what cannot be told is not refused
		s.Close()
		return nil, piton.Errorf(piton.Unavailable, op, "put it on a local disk: 'store file:DIR' or PITON_STORE", "%s lies on %s, a file system that is not local", dir, localfs.Remote(kind))
	}
	if s.disk.exists(journalFile) {
		// If another process is just writing, this is its journal.
		if err := s.locked(context.Background(), op, func() error { return nil }); err != nil && !errors.Is(err, localfs.ErrBusy) {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// Close lets go of the folder; nothing else is open between two calls.
func (s *Store) Close() error {
	if s.disk.root == nil {
		return nil
	}
	return s.disk.root.Close()
}

// make makes the folders that are missing, durably, and opens the store's.
func (s *Store) make() error {
	if _, err := os.Stat(s.disk.dir); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(s.disk.dir, 0o700); err != nil {
			return err
		}
		for dir := filepath.Dir(s.disk.dir); ; dir = filepath.Dir(dir) {
			if err := localfs.SyncDir(dir); err != nil || dir == filepath.Dir(dir) {
				break // folders above may not be ours to open
			}
		}
	}
	var err error
	if s.disk.root, err = os.OpenRoot(s.disk.dir); err != nil {
		return err
	}
	fresh := false
	for _, name := range []string{checkpoints, workflows, events} {
		if folder, err := localfs.FolderIn(s.disk.root, name); err == nil && folder {
			continue
		}
		fresh = true
		if err := s.disk.mkdir(name); err != nil {
			return err
		}
	}
	if fresh {
		return s.disk.syncDir(".")
	}
	return nil
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

// Save runs fn in one durable transaction.
func (s *Store) Save(ctx context.Context, fn func(store.Tx) error) error {
	return s.write(ctx, "save", func(t *tx) error { return fn(store.Tx{Reader: t, Writer: t, Recorder: t}) })
}

// moves is how often a transaction is tried while another program changes the
// files it is to write.
const moves = 5

func (s *Store) write(ctx context.Context, op string, fn func(*tx) error) error {
	return s.locked(ctx, op, func() error {
		for try := 1; ; try++ {
			x, err := s.refresh(ctx)
			if err != nil {
				return err
			}
			t := newTx(s, x)
			err = fn(t)
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

// fail gives an error of the file system its code and what to do next.
func fail(op string, err error) error {
	var known *piton.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	hint := "see that the folder can be read and written, and that the disk is not full"
	switch {
	case errors.Is(err, localfs.ErrBusy):
		hint = "another process holds it for long; try again"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		hint = "it took too long; try again"
	case errors.Is(err, syscall.ENOSPC):
		hint = "free some space and try again; nothing was written"
	case errors.As(err, new(errNoFolder)), unusable(err):
		hint = "look at what stands there and who has put it there; move it away if it is none of yours"
	}
	return &piton.Error{Code: piton.Unavailable, Op: op, Hint: hint, Err: err}
}

// workflowName is a workflow's file.
func workflowName(id string) string { return workflows + "/" + id + ".json" }

// workflowID is the id in a file's name.
func workflowID(name string) (string, bool) {
	id, ok := strings.CutSuffix(name, ".json")
	return id, ok && piton.IsWholeID(piton.WorkflowPrefix, id)
}
