package sqlite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"

	"github.com/piton-project/piton/internal/store/localfs"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// OpenIndex opens a file that can be made again at any time: an index over checkpoints
// that are kept elsewhere (sqlstore.Index), whose states elsewhere reads. With durable
// it survives a power cut as it was at some commit; else it may be torn then, without a
// sign. A damaged page is an ErrIndex when it is read. "" is one in memory.
//
// It keeps no write-ahead log: what was overwritten does not stay in a file beside it,
// and the driver cannot have both a log and the checksums of pages (v0.35.6 ends in a
// nil pointer where two connections write).
func OpenIndex(ctx context.Context, path string, o Options, durable bool, elsewhere func(ctx context.Context, id string) ([]byte, error)) (*sqlstore.Store, error) {
	const op = "open the index"
	o.elsewhere = elsewhere
	if path == "" {
		return connect(ctx, op, nowhere, o, source(":memory:", url.Values{"_txlock": {"immediate"}}))
	}
	if err := localfs.MakeDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := beside(op, path); err != nil {
		return nil, err
	}
	unlock, err := localfs.Lock(ctx, path+".lock", o.wait()) // one process at a time makes it
	if errors.Is(err, localfs.ErrNoLocks) {
		unlock, err = func() {}, nil // SQLite's own locks stand alone
	}
	if err != nil {
		return nil, err
	}
	defer unlock()
	f, err := localfs.OpenOwn(path, true)
	if err != nil {
		return nil, err
	}
	f.Close()
	search := o.FTS5
	o.FTS5 = func(c *sqlite3.Conn) error { return errors.Join(c.EnableChecksums("main"), search(c)) }
	sync := map[bool]string{false: "synchronous(off)", true: "synchronous(full)"}[durable]
	pragmas := []string{fmt.Sprintf("busy_timeout(%d)", o.wait().Milliseconds()), "journal_mode(truncate)", sync, "secure_delete(1)", "foreign_keys(0)"}
	return connect(ctx, op, path, o, source(path, url.Values{"_txlock": {"immediate"}, "modeof": {path}, "_pragma": pragmas}))
}

// RemoveIndex removes the file of an index, with what lies beside it.
func RemoveIndex(path string) error {
	var errs []error
	for _, end := range []string{"", "-journal"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, os.Truncate(path+end, 0))
		}
	}
	return errors.Join(errs...)
}
