// Package sqlite opens the SQLite file that is Piton's store by default.
//
// It is safe for many processes at once: hooks of several agents, the CLI,
// twenty first starts at the same moment.
package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
	"github.com/piton-project/piton/internal/store/pages"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// Open opens the store at path, makes it where it is missing, and brings it to
// the newest schema. The folder is made with mode 0700, the file with 0600.
// Unavailable: it cannot be reached, is locked, or lies on a file system that
// is not local. Corrupt: it is not a database. Invalid: it is too new.
func Open(ctx context.Context, path string, o Options) (*sqlstore.Store, error) {
	op := "open the store " + path
	if path == "" {
		return nil, piton.Errorf(piton.Invalid, op, "give the path of a file", "the path is empty")
	}
	// A whole path means the same to every connection, wherever the program
	// goes, and never a host ("//x") or no file at all (":memory:") to SQLite.
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, openError(op, path, err)
	}
	info, err := os.Stat(path)
	fresh := nothing(info, err)
	if fresh && orphaned(path) {
		return nil, piton.Errorf(piton.Corrupt, op, "run 'repair', which reads what its -wal holds; or bring the file back from a copy", "the file is empty or gone, and its -wal is not")
	}
	switch {
	case err != nil && !fresh:
		return nil, openError(op, path, err)
	case err == nil && info.IsDir():
		return nil, piton.Errorf(piton.Invalid, op, "name a file in it, 'store sqlite:"+filepath.Join(path, "piton.db")+"', or open the folder as a store of files, 'store file:"+path+"'", "this is a folder")
	case err == nil && !info.Mode().IsRegular():
		return nil, piton.Errorf(piton.Invalid, op, "give the path of a file", "this is not a regular file")
	case fresh && o.Existing:
		return nil, piton.Errorf(piton.NotFound, op, "nothing has been saved yet", "there is no such file")
	case fresh:
		return first(ctx, op, path, o)
	}
	if err := o.local(op, filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := beside(op, path); err != nil {
		return nil, err
	}
	if logDamaged(path) {
		return nil, piton.Errorf(piton.Corrupt, op, damageHint, "its -wal is damaged, and holds whole transactions behind the damage")
	}
	s, err := open(ctx, op, path, o)
	if o.Existing && piton.CodeOf(err) == piton.Unavailable && !errors.Is(err, errBusy) && ctx.Err() == nil {
		return openToRead(ctx, op, path, o, err)
	}
	return s, err
}

// logAge is how long a log has been left alone that is looked at: one that
// processes are writing to is whole, and each open would read it.
const logAge = 2 * time.Second

// logDamaged tells whether a log that a crash has left is damaged in its
// middle. SQLite would take what stands before the damage and delete the rest.
func logDamaged(path string) bool {
	info, err := os.Stat(path + "-wal")
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || time.Since(info.ModTime()) < logAge {
		return false
	}
	return pages.LogDamaged(path)
}

// orphaned tells whether there is a -wal and nothing it belongs to: SQLite
// would delete it. A file always has its first page before its -wal is begun.
func orphaned(path string) bool {
	wal, err := os.Stat(path + "-wal")
	if err != nil || !wal.Mode().IsRegular() || wal.Size() == 0 {
		return false
	}
	// Another process may have just made the store.
	info, err := os.Stat(path)
	return nothing(info, err)
}

// nothing tells whether no file is there yet, or an empty one, by what Stat says of it.
// A folder, whose length some file systems give as 0, and a pipe are something else.
func nothing(info os.FileInfo, err error) bool {
	return errors.Is(err, os.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// first makes the file under a lock, because SQLite's own locks do not cover
// the change to WAL: of 600 first opens at once 243 failed without it.
func first(ctx context.Context, op, path string, o Options) (*sqlstore.Store, error) {
	dir := filepath.Dir(path)
	if err := localfs.MakeDir(dir); err != nil {
		return nil, openError(op, path, err)
	}
	if err := o.local(op, dir); err != nil {
		return nil, err
	}
	if err := beside(op, path); err != nil {
		return nil, err
	}
	unlock, err := localfs.Lock(ctx, path+".lock", time.Minute)
	if errors.Is(err, localfs.ErrNoLocks) {
		unlock, err = func() {}, nil // the retries of the first open stand alone
	}
	if err != nil {
		return nil, openError(op, path, err)
	}
	defer unlock()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, openError(op, path, err)
	}
	f.Close()
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		// auto_vacuum is said once, to the empty file: on any other it takes
		// the write lock and writes, at every connection.
		s, err := open(ctx, op, path, o, "auto_vacuum(incremental)")
		if err != nil {
			return nil, err
		}
		if err := s.Close(); err != nil {
			return nil, dbError(op, err)
		}
	}
	// The file's name must survive a power cut too.
	if err := localfs.SyncDir(dir); err != nil {
		return nil, openError(op, path, err)
	}
	return open(ctx, op, path, o)
}

func open(ctx context.Context, op, path string, o Options, pragmas ...string) (*sqlstore.Store, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, openError(op, path, err)
	}
	o.KeepLog = o.KeepLog && localfs.Private(info)
	s, err := connect(ctx, op, path, o, dsn(path, o, pragmas...))
	if err != nil {
		return nil, err
	}
	// The driver makes the shared index with the umask's mode alone.
	os.Chmod(path+"-shm", info.Mode().Perm())
	return s, nil
}

// beside refuses what is not a regular file where SQLite keeps its own files beside
// the store's: a link would have it write elsewhere, a pipe would never let it
// go on.
func beside(op, path string) error {
	for _, end := range []string{"-wal", "-shm", "-journal"} {
		if info, err := os.Lstat(path + end); err == nil && !info.Mode().IsRegular() {
			return piton.Errorf(piton.Invalid, op, "look at it and who has put it there, then move it away", "%s beside it is not a regular file", filepath.Base(path)+end)
		}
	}
	return nil
}
