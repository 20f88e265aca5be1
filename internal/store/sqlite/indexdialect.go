package sqlite

import (
	"context"
	"errors"

	"github.com/ncruces/go-sqlite3"

	"github.com/piton-project/piton/internal/store/sqlstore"
)

// ErrIndex is in every error that says that an index cannot be used and is to be made
// again.
var ErrIndex = errors.New("the index is damaged")

// asIndex makes the dialect that of an index.
func asIndex(d *sqlstore.Dialect, o Options) {
	d.Elsewhere, d.Queue, d.Acknowledge, d.Meddling = o.elsewhere, nil, nil, ""
	known := d.Error
	d.Error = func(op string, err error) error {
		if ctx := context.Canceled; errors.Is(err, errBusy) || errors.Is(err, sqlite3.BUSY) || errors.Is(err, sqlite3.INTERRUPT) || errors.Is(err, ctx) {
			return known(op, err)
		}
		return known(op, errors.Join(ErrIndex, err))
	}
}
