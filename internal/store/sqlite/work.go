package sqlite

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"

	"github.com/piton-project/piton/internal/store/sqlstore"
)

// How a transaction begins and ends.
const (
	beginWork  = `BEGIN IMMEDIATE`
	beginRead  = `BEGIN`
	commitWork = `COMMIT`
)

// work is a transaction on a connection that is its own. For a sql.Tx a goroutine
// waits for the end of its context, and one more at each query: that takes a tenth of
// the time of a save. Here each statement looks at its context itself.
type work struct {
	*sql.Conn
	over bool
}

var _ sqlstore.Work = (*work)(nil)

// begin begins a transaction that owns the file.
func begin(ctx context.Context, db *sql.DB) (sqlstore.Work, error) {
	return beginAs(ctx, db, beginWork)
}

// Snapshot begins a transaction that reads the database as it is now.
func Snapshot(ctx context.Context, db *sql.DB) (sqlstore.Work, error) {
	return beginAs(ctx, db, beginRead)
}

func beginAs(ctx context.Context, db *sql.DB, how string) (sqlstore.Work, error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &work{Conn: c}
	if _, err := c.ExecContext(ctx, how); err != nil {
		w.Rollback()
		return nil, err
	}
	return w, nil
}

// Commit ends the transaction, whether it lands or not. Who gives up waiting meanwhile
// does not break it off.
func (w *work) Commit() error {
	if w.over {
		return sql.ErrTxDone
	}
	commit := func() error {
		_, err := w.ExecContext(context.Background(), commitWork)
		return err
	}
	if err := w.log().Commit(commit); err != nil {
		w.Rollback()
		return err
	}
	w.over = true
	return w.Close()
}

// log is the log that the transaction is written to; nil where there is none of ours.
func (w *work) log() (log *logFile) {
	_ = w.Raw(func(c any) error {
		defer func() { _ = recover() }() // the driver (v0.35.6) panics where no log and no journal is open
		file, _ := c.(driver.Conn).Raw().FileControl("main", sqlite3.FCNTL_JOURNAL_POINTER)
		log, _ = file.(*logFile)
		return nil
	})
	return log
}

// Rollback takes back what was not committed. A connection that cannot is not used
// again.
func (w *work) Rollback() error {
	if w.over {
		return sql.ErrTxDone
	}
	w.over = true
	var failed error
	err := w.Raw(func(c any) error {
		raw := c.(driver.Conn).Raw()
		if raw.GetAutocommit() {
			return nil // SQLite has done it itself
		}
		old := raw.SetInterrupt(context.Background())
		failed = raw.Exec(`ROLLBACK`)
		raw.SetInterrupt(old)
		if !raw.GetAutocommit() {
			return sqldriver.ErrBadConn
		}
		return nil
	})
	if errors.Is(err, sqldriver.ErrBadConn) {
		return failed
	}
	return errors.Join(err, w.Close())
}
