package filestore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
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
	switch {
	case err == nil && !info.IsDir():
		return nil, piton.Errorf(piton.Invalid, op, "name a folder; a SQLite file is opened as 'store sqlite:"+dir+"'", "this is a file, not a folder")
	case errors.Is(err, fs.ErrNotExist) && o.Existing:
		return nil, piton.Errorf(piton.NotFound, op, "nothing has been saved yet", "there is no such folder")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, localfs.Unusable(op, dir, err)
	}
	s := &Store{wait: o.Wait, path: place(o.Cache, dir)}
	s.disk.dir, s.disk.step = dir, step
	if s.wait == 0 {
		s.wait = 10 * time.Second
	}
	s.reader = reader{read: s.read, s: s}
	s.elsewhere = s.State
	if err := s.make(); err != nil {
		s.Close()
		return nil, unmade(op, dir, err)
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

// unmade is the failure to make the store's folders.
func unmade(op, dir string, err error) error {
	var e *piton.Error
	if errors.Is(err, syscall.ENOSPC) || errors.As(err, new(errNoFolder)) || unusable(err) || errors.As(err, &e) {
		return fail(op, err)
	}
	return localfs.Unusable(op, dir, err)
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
	if s.disk.root == nil {
		return err
	}
	return errors.Join(err, s.disk.root.Close())
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
