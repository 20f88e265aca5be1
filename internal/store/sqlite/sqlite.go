// Package sqlite opens the SQLite file that is Piton's store by default.
//
// It is safe for many processes at once: hooks of several agents, the CLI,
// twenty first starts at the same moment.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
	"github.com/piton-project/piton/internal/store/pages"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// Options tune the opening; the zero value is for people's programs.
type Options struct {
	// Wait is how long a writer waits for the others; 10 s when 0. Hooks wait
	// 2 s.
	Wait time.Duration
	// Existing opens what is there and makes nothing; NotFound when there is no
	// file. What cannot be written is opened for reading.
	Existing bool
	// FTS5 makes the module fts5 known to a connection, so that searches have
	// an index; nil: they go without. It is handed in because hooks, which
	// never search, shall not link it.
	FTS5 func(*sqlite3.Conn) error

	// Behind is told when a write finds that the store is older than what was
	// acknowledged; nil: nobody is. The write goes on.
	Behind func(error)

	// For tests: another VFS, pragmas that come last, another statfs.
	vfs     string
	pragmas []string
	statfs  func(dir string) (kind uint32, err error)
	// Plain: states are stored as they are, not compressed.
	Plain bool
}

// Open opens the store at path, makes it where it is missing, and brings it to
// the newest schema. The folder is made with mode 0700, the file with 0600.
// Unavailable: it cannot be reached, is locked, or lies on a file system that
// is not local. Corrupt: it is no database. Invalid: it is too new.
func Open(ctx context.Context, path string, o Options) (*sqlstore.Store, error) {
	op := "open the store " + path
	if path == "" {
		return nil, piton.Errorf(piton.Invalid, op, "give the path of a file", "the path is empty")
	}
	// A whole path means the same to every connection, wherever the program
	// goes, and never a host ("//x") or no file at all (":memory:") to SQLite.
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, openError(op, err)
	}
	info, err := os.Stat(path)
	fresh := errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0
	if fresh && orphaned(path) {
		return nil, piton.Errorf(piton.Corrupt, op, "run 'repair', which reads what its -wal holds; or bring the file back from a copy", "the file is empty or gone, and its -wal is not")
	}
	switch {
	case err != nil && !fresh:
		return nil, openError(op, err)
	case err == nil && !info.Mode().IsRegular():
		return nil, piton.Errorf(piton.Invalid, op, "give the path of a file", "this is no regular file")
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
	return errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0
}

// first makes the file under a lock, because SQLite's own locks do not cover
// the change to WAL: of 600 first opens at once 243 failed without it.
func first(ctx context.Context, op, path string, o Options) (*sqlstore.Store, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, openError(op, err)
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
		return nil, openError(op, err)
	}
	defer unlock()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, openError(op, err)
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
		return nil, openError(op, err)
	}
	return open(ctx, op, path, o)
}

func open(ctx context.Context, op, path string, o Options, pragmas ...string) (*sqlstore.Store, error) {
	s, err := connect(ctx, op, path, o, dsn(path, o, pragmas...))
	if err != nil {
		return nil, err
	}
	// The driver makes the shared index with the umask's mode alone.
	if info, err := os.Stat(path); err == nil {
		os.Chmod(path+"-shm", info.Mode().Perm())
	}
	return s, nil
}

// connect opens a data source and brings it to the newest schema.
func connect(ctx context.Context, op, path string, o Options, source string) (*sqlstore.Store, error) {
	db, err := openDB(source, o.FTS5)
	if err != nil {
		return nil, openError(op, err)
	}
	// One connection writes at a time anyway; a few more let readers go on.
	db.SetMaxOpenConns(4)
	d := dialect(path, o)
	if err := retry(ctx, o.wait(), func() error { return sqlstore.Migrate(ctx, db, d) }); err != nil {
		db.Close()
		var e *piton.Error
		if errors.As(err, &e) {
			if e.Op = op; e.Code == piton.Corrupt {
				e.Op = "open the store" // the cause names the file
			}
		}
		return nil, err
	}
	return sqlstore.New(db, d), nil
}

func (o Options) wait() time.Duration {
	if o.Wait == 0 {
		return 10 * time.Second
	}
	return o.Wait
}

// dsn holds every pragma, so that each connection of the pool has them. The
// order matters: journal_mode before busy_timeout fails under load, and
// auto_vacuum after WAL is lost. modeof gives the -wal the file's own mode.
func dsn(path string, o Options, first ...string) string {
	pragmas := append([]string{fmt.Sprintf("busy_timeout(%d)", o.wait().Milliseconds())}, first...)
	pragmas = append(pragmas, "journal_mode(wal)", "synchronous(full)", "fullfsync(1)", "foreign_keys(1)")
	q := url.Values{"_txlock": {"immediate"}, "modeof": {path}, "_pragma": append(pragmas, o.pragmas...)}
	if o.vfs != "" {
		q.Set("vfs", o.vfs)
	}
	return source(path, q)
}

// source is the URI of a file. SQLite does not read + as a blank.
func source(path string, q url.Values) string {
	query := strings.ReplaceAll(q.Encode(), "+", "%20")
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: query}).String()
}

// retry repeats what a process that is just making or recovering the file can
// disturb in spite of the busy timeout, for as long as a writer would wait.
func retry(ctx context.Context, wait time.Duration, fn func() error) error {
	end := time.Now().Add(wait)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := fn()
		if err == nil || !errors.Is(err, errBusy) || time.Now().Add(pause).After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// errBusy marks what another process's lock caused.
var errBusy = localfs.ErrBusy

func dialect(path string, o Options) sqlstore.Dialect {
	var search *sqlstore.TextSearch
	meddling := meddling
	if o.FTS5 != nil {
		search = sqlstore.FTS5()
	} else {
		meddling = "" // hooks open the user's own store, all the time
	}
	return sqlstore.Dialect{
		Search:    search,
		Lock:      "", // BEGIN IMMEDIATE owns the file
		Migration: bare,
		Plain:     o.Plain,
		Strangers: `SELECT COUNT(*) FROM sqlite_schema WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'piton_schema')`,
		Meddling:  meddling,
		Queue:     func(ctx context.Context) (func(), error) { return queue(ctx, path, o) },
		Check: func(ctx context.Context, db *sql.DB) ([]string, error) {
			lines, err := check(ctx, db)
			if err == nil {
				var more []string
				more, err = altered(ctx, db)
				lines = append(lines, more...)
			}
			var e *piton.Error
			if behind := Behind(ctx, path, sqlstore.New(db, sqlstore.Dialect{Error: dbError})); errors.As(behind, &e) && e.Code == piton.Corrupt {
				lines = append(lines, e.Err.Error()+": "+e.Hint)
			}
			return lines, err
		},
		Acknowledge: acknowledge(path, func(m store.LogEvent) {
			if o.Behind != nil {
				o.Behind(behindError(path, m, false))
			}
		}),
		Damaged: damageHint,
		Indexed: indexed,
		Reindex: `REINDEX`,
		Scrub: func(ctx context.Context, db *sql.DB) ([]string, error) {
			return scrub(ctx, db, func() (func(), error) { return queue(ctx, path, o) })
		},
		Reclaim: func(ctx context.Context, db *sql.DB, progress func(done, total int64)) (int64, error) {
			return reclaim(ctx, db, func() (func(), error) { return queue(ctx, path, o) }, progress)
		},
		Error: func(op string, err error) error {
			if full(err) || errors.Is(err, sqlite3.IOERR) && localfs.Free(filepath.Dir(path)) < roomLeast {
				return noRoom(op, err)
			}
			return damageOf(path, dbError(op, err))
		},
	}
}

// indexed counts the checkpoints that fit a condition, in their table and in an
// index of it. Without a condition SQLite would choose the index itself.
func indexed(index, where string) string {
	return `SELECT (SELECT COUNT(*) FROM checkpoints NOT INDEXED WHERE ` + where + `), (SELECT COUNT(*) FROM checkpoints INDEXED BY ` + index + ` WHERE ` + where + `)`
}

// queue lets writers in one after the other. SQLite's own lock is a lottery:
// each tries again every millisecond or two. Of 20 processes that write without
// a pause the slowest waited 0.4 s with it and 0.25 s in line; of 72 some drew
// no lot in 2 s, in line all did.
func queue(ctx context.Context, path string, o Options) (func(), error) {
	leave, err := localfs.Lock(ctx, path+".lock", o.wait())
	if err != nil && !errors.Is(err, errBusy) && ctx.Err() == nil {
		// Without the lock file there is still SQLite's own lock.
		return func() {}, nil
	}
	return leave, err
}

// bare takes comments and indentation out of a migration: SQLite keeps the text
// of every table and parses it again at each open, which hooks do all the time.
func bare(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "--")
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
