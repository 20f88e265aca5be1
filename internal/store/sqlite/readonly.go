package sqlite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// Memory opens an empty store that lies nowhere and is gone when it is closed: for who
// only reads, where no file can be made.
func Memory(ctx context.Context, o Options) (*sqlstore.Store, error) {
	return connect(ctx, "open a store in memory", nowhere, o, source(":memory:", url.Values{"_txlock": {"immediate"}, "_pragma": {"foreign_keys(1)"}}))
}

// openToRead opens a file that cannot be written, or whose folder cannot.
// Where there is no -wal the file is all there is, and is read as it lies
// there. Where there is one, what was saved last lies in it, and SQLite may
// need to write beside it to read it: rather than an older state there is an
// error. cause is why it could not be opened for writing. Another user who may
// write can change the file meanwhile: sums see to it that no state is wrong.
func openToRead(ctx context.Context, op, path string, o Options, cause error) (*sqlstore.Store, error) {
	q := url.Values{"mode": {"ro"}, "_txlock": {"deferred"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", o.wait().Milliseconds()), "query_only(1)",
	}}
	info, err := os.Stat(path + "-wal")
	switch {
	case errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0:
		q.Set("immutable", "1")
	case err != nil:
		return nil, cause
	}
	s, err := connect(ctx, op, path, o, source(path, q))
	switch {
	case err == nil || piton.CodeOf(err) != piton.Unavailable:
		return s, err
	case q.Has("immutable"):
		return nil, cause
	}
	var e *piton.Error
	if errors.As(cause, &e) {
		cause = e.Err
	}
	return nil, &piton.Error{
		Code: piton.Unavailable, Op: op, Err: cause,
		Hint: "its -wal holds what was saved last, and cannot be read without writing: copy the file and its -wal to a folder that can be written, and give 'store sqlite:COPY'",
	}
}
