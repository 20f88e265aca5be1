package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// withState finds a checkpoint, and its state where that is one blob. Where any other
// lies is remembered as lookAt does it.
func (r reader) withState(ctx context.Context, op, where string, args ...any) (c piton.Checkpoint, state []byte, err error) {
	var k kept
	var place fault
	row := r.q.QueryRowContext(ctx, `SELECT `+checkpointColumns+`, c.branch, c.epoch, m.data, `+wholeColumns+checkpointFrom+wholeJoin+`WHERE `+where, args...)
	c, err = scanCheckpoint(func(into ...any) error {
		into = append(into, place.int("branch", &k.epoch.branch), place.int("epoch", &k.epoch.n), place.bytes("manifest", &k.manifest))
		return row.Scan(append(into, k.only.columns()...)...)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return c, nil, store.NoCheckpoint(op)
	}
	if err != nil { // the blobs may be damaged, and not the record
		c, err = r.checkpoint(ctx, op, where, args...)
		return c, nil, err
	}
	if place.why != "" || !k.of(c) {
		return c, nil, nil
	}
	if state = k.whole(); state == nil {
		r.seen.remember(c, k)
	}
	return c, state, nil
}
