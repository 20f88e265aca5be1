package sqlite

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
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

	// KeepLog leaves the -wal, empty, and the -shm beside the file when the store is
	// closed, instead of deleting them: who opens a store many times a minute makes
	// and deletes no files then. What was saved is in the file itself either way.
	// Without effect where others than the file's owner may use it: they could not
	// open what is left.
	KeepLog bool

	elsewhere func(ctx context.Context, id string) ([]byte, error) // the file is an index (OpenIndex)

	// For tests: another VFS, pragmas that come last, another statfs.
	vfs     string
	pragmas []string
	statfs  func(dir string) (kind uint32, err error)
	// Plain: states are stored as they are, not compressed.
	Plain bool
}

// init is what is done to a connection before it is used; nil: nothing.
func (o Options) init() func(*sqlite3.Conn) error {
	if !o.KeepLog {
		return o.FTS5
	}
	return func(c *sqlite3.Conn) error {
		// What a VFS cannot keep is deleted. The other half is journal_size_limit(0).
		_, _ = c.FileControl("main", sqlite3.FCNTL_PERSIST_WAL, true)
		if o.FTS5 == nil {
			return nil
		}
		return o.FTS5(c)
	}
}

func (o Options) wait() time.Duration {
	if o.Wait == 0 {
		return 10 * time.Second
	}
	return o.Wait
}

// local refuses a folder on a file system that is not local.
func (o Options) local(op, dir string) error {
	kind := o.statfs
	if kind == nil {
		kind = localfs.Kind
	}
	k, err := kind(dir)
	if err != nil {
		return nil // what cannot be told is not refused
	}
	name := localfs.Remote(k)
	if name == "" {
		return nil
	}
	return &piton.Error{
		Code: piton.Unavailable, Op: op, Hint: "put it on a local disk: 'store sqlite:PATH', PITON_STORE or PITON_HOME",
		Err: fmt.Errorf("%s lies on %s, a file system that is not local", dir, name),
	}
}

// dsn holds every pragma, so that each connection of the pool has them. The
// order matters: journal_mode before busy_timeout fails under load, and
// auto_vacuum after WAL is lost. modeof gives the -wal the file's own mode.
func dsn(path string, o Options, first ...string) string {
	pragmas := append([]string{fmt.Sprintf("busy_timeout(%d)", o.wait().Milliseconds())}, first...)
	pragmas = append(pragmas, "journal_mode(wal)", "synchronous(full)", "fullfsync(1)", "foreign_keys(1)")
	if o.KeepLog {
		pragmas = append(pragmas, "journal_size_limit(0)")
	}
	q := url.Values{"_txlock": {"immediate"}, "modeof": {path}, "_pragma": append(pragmas, o.pragmas...)}
	if o.vfs == "" {
		registerLogVFS()
		o.vfs = logVFSName
	}
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
