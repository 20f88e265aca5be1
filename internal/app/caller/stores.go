package caller

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// Stores keeps the local file and the connections to the shared PostgreSQL store open for
// all callers of one process (Options.Stores): a daemon answers many, and each of them would
// connect, look at the schema and part again. A store is opened when it is first asked for,
// anew where the server was gone, another file has taken the file's place or the settings
// name another one, and closed when nobody uses it any more. The zero value is ready for use.
// Close it at the end.
type Stores struct {
	mu     sync.Mutex
	open   *openStore // the newest
	file   *openStore // the newest local file
	closed bool

	opening sync.Mutex // of the local file
}

// Bounds of the connections of one process.
const (
	maxSharedConns = 32 // verbs at work, runs, and what the daemon does itself
	maxIdleConns   = 8
)

// openStore is a store that is open, or being opened.
type openStore struct {
	spec  string
	plain bool
	ready chan struct{} // closed when it was opened, or could not be
	st    *sqlstore.Store
	err   error
	gone  atomic.Bool   // a connection was lost, or could not be made
	users int           // under Stores.mu: callers, and one for as long as it is the newest
	files []fs.FileInfo // of a local file: itself and its log
}

// take returns the store at spec, and what gives it back.
func (s *Stores) take(ctx context.Context, spec string, plain bool) (*sqlstore.Store, func() error, error) {
	for again := false; ; again = true {
		o, err := s.newest(ctx, spec, plain)
		if err != nil {
			return nil, nil, err
		}
		select {
		case <-o.ready:
			err = o.err
		case <-ctx.Done():
			err = &piton.Error{Code: piton.Unavailable, Op: "open the store", Err: ctx.Err()}
		}
		if err != nil {
			s.leave(o)
			return nil, nil, err
		}
		if again || o.sound(ctx) {
			return o.st, func() error { return s.leave(o) }, nil
		}
		s.leave(o)
	}
}

// newest returns the store that is open, opening another where it will not do. The
// caller leaves it.
func (s *Stores) newest(ctx context.Context, spec string, plain bool) (*openStore, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, piton.Errorf(piton.Unavailable, "open the store", "try again in a moment", "the process ends")
	}
	if o := s.open; o == nil || o.spec != spec || o.plain != plain || o.gone.Load() {
		drop(&s.open)
		s.open = &openStore{spec: spec, plain: plain, ready: make(chan struct{}), users: 1}
		go s.open.begin(context.WithoutCancel(ctx)) // others wait for it too
	}
	s.open.users++
	return s.open, nil
}

// begin opens the store. What could not be opened is tried again by the next caller.
func (o *openStore) begin(ctx context.Context) {
	defer close(o.ready)
	o.st, o.err = postgres.Open(ctx, o.spec, postgres.Options{
		Plain: o.plain, Conns: maxSharedConns, Idle: maxIdleConns, Lost: func() { o.gone.Store(true) },
	})
	if o.err != nil {
		o.gone.Store(true)
	}
}

// sound reports whether the server has been there since the store was opened: the next
// connection is looked at, which costs no round trip, and where none is left nobody
// knows. Another database may answer after that, so it is opened anew.
func (o *openStore) sound(ctx context.Context) bool {
	if o.st.DB.Stats().OpenConnections == 0 {
		o.gone.Store(true)
	} else if c, err := o.st.DB.Conn(ctx); err == nil {
		c.Close()
	}
	return !o.gone.Load()
}

// local returns the local file at path, and what gives it back. Others wait while it is
// opened.
func (s *Stores) local(ctx context.Context, path string, opts sqlite.Options) (_ *sqlstore.Store, _ func() error, err error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	o := s.opened(path, opts.Plain)
	if o == nil {
		if o, err = s.openFile(ctx, path, opts); err != nil {
			return nil, nil, err
		}
	}
	return o.st, func() error { return s.leave(o) }, nil
}

// opened is the local file that is open, where it is the one at path; else nil, and what is
// open is given up: closing it saves what only a log holds that is gone.
func (s *Stores) opened(path string, plain bool) *openStore {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.file; o != nil && o.spec == path && o.plain == plain && o.there() {
		o.users++
		return o
	}
	drop(&s.file)
	return nil
}

// openFile opens the local file, for others too if it can be written.
func (s *Stores) openFile(ctx context.Context, path string, opts sqlite.Options) (*openStore, error) {
	st, err := sqlite.Open(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	o := &openStore{spec: path, plain: opts.Plain, ready: make(chan struct{}), st: st, users: 1, files: filesOf(path)}
	close(o.ready)
	st.DB.SetMaxOpenConns(0) // a caller that has one may need another
	st.DB.SetMaxIdleConns(maxIdleConns)
	var readOnly bool
	err = st.DB.QueryRowContext(ctx, `PRAGMA query_only`).Scan(&readOnly)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && !readOnly && !s.closed {
		s.file, o.users = o, 2
	}
	return o, nil
}

// filesOf are a local file and its log, as they are now.
func filesOf(path string) []fs.FileInfo {
	file, _ := os.Stat(path)
	log, _ := os.Stat(path + "-wal")
	return []fs.FileInfo{file, log}
}

// there tells whether the files that were opened lie there still: what was written to one
// that is gone, or that another has taken the place of, would be lost.
func (o *openStore) there() bool {
	return slices.EqualFunc(o.files, filesOf(o.spec), os.SameFile)
}

// drop gives up the newest store of a kind. The caller holds the lock.
func drop(newest **openStore) {
	if o := *newest; o != nil {
		*newest = nil
		o.left()
	}
}

// Renew has the next caller open a store anew.
func (s *Stores) Renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	drop(&s.open)
	drop(&s.file)
}

// leave ends a caller's use of a store.
func (s *Stores) leave(o *openStore) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return o.left()
}

// left counts one user less, and closes the store after the last one. The caller
// holds the lock.
func (o *openStore) left() error {
	if o.users--; o.users > 0 {
		return nil
	}
	select {
	case <-o.ready:
		if o.st != nil {
			return o.st.Close()
		}
	default: // its callers did not wait for it
		go func() {
			if <-o.ready; o.st != nil {
				o.st.Close()
			}
		}()
	}
	return nil
}

// Close closes what is open, as soon as its last user is through; nothing is opened
// any more.
func (s *Stores) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	drop(&s.open)
	drop(&s.file)
}
