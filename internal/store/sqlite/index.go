package sqlite

import (
	"context"
	"errors"
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
	if info, err := os.Lstat(path); nothing(info, err) { // made by one process at a time
		unlock, err := localfs.Lock(ctx, path+".lock", o.wait())
		if err != nil {
			return nil, err
		}
		defer unlock()
		if info, err := os.Lstat(path); nothing(info, err) {
			RemoveIndex(path)
		}
	}
	f, err := localfs.OpenOwn(path, true)
	if err != nil {
		return nil, err
	}
	f.Close()
	o.pragmas = append(o.pragmas, "foreign_keys(0)", "secure_delete(1)")
	if !durable {
		o.pragmas = append(o.pragmas, "synchronous(off)")
	}
	o.KeepLog = true
	search := o.FTS5
	o.FTS5 = func(c *sqlite3.Conn) error {
		if err := c.EnableChecksums("main"); err != nil {
			return err
		}
		return search(c)
	}
	return open(ctx, op, path, o)
}

// RemoveIndex removes the file of an index, with what lies beside it.
func RemoveIndex(path string) error {
	var errs []error
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, os.Truncate(path+end, 0))
		}
	}
	return errors.Join(errs...)
}
