package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// nowhere is a path that no file beside a store in memory can have.
var nowhere = filepath.Join(os.DevNull, "none")

// connect opens a data source and brings it to the newest schema.
func connect(ctx context.Context, op, path string, o Options, source string) (*sqlstore.Store, error) {
	db, err := openDB(source, o.init())
	if err != nil {
		return nil, openError(op, path, err)
	}
	// One connection writes at a time anyway; a few more let readers go on.
	conns := 4
	if path == nowhere {
		conns = 1 // each has a store of its own
	}
	db.SetMaxOpenConns(conns)
	d := dialect(path, o)
	if o.elsewhere != nil {
		asIndex(&d, o)
	}
	if err := retry(ctx, o.wait(), func() error { return sqlstore.Migrate(ctx, db, d) }); err != nil {
		db.Close()
		var e *piton.Error
		if errors.As(err, &e) {
			switch {
			case localfs.IsFull(err): // it says what cannot be done
			case e.Code == piton.Corrupt:
				e.Op = "open the store" // the cause names the file
			default:
				e.Op = op
			}
		}
		return nil, err
	}
	return sqlstore.New(db, d), nil
}

// retry repeats what a process that is just making or recovering the file can
// disturb in spite of the busy timeout, for as long as a writer would wait. A try that
// took longer than that, in which the machine stood still, does not count, once.
func retry(ctx context.Context, wait time.Duration, fn func() error) error {
	left, still := wait, false
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		begun := time.Now()
		err := fn()
		if took := time.Since(begun); still || took < wait+wait/8 {
			left -= took + pause
		} else {
			still = true
		}
		if err == nil || !errors.Is(err, errBusy) || left < 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}
