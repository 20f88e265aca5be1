// Package postgres opens a PostgreSQL database as the store of several
// machines.
//
// It is safe for many processes on many machines at once: rows are locked in
// one order, a lost connection or a deadlock is tried again where nothing was
// written, and a commit whose answer was lost is looked up.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// idle is how long a connection that nobody needs is kept.
const idle = 5 * time.Minute

// Open opens the store in the database at dsn (postgres://user@host/database,
// or key=value), makes its tables where they are missing, in the first schema
// of the search_path, and brings them to the newest schema. No error ever
// shows the password. Unavailable: the database cannot be reached, refuses the
// user, or is not there. Invalid: the address cannot be read, the database is
// too old, not in UTF-8, or another program's, or the store is too new.
func Open(ctx context.Context, dsn string, o Options) (*sqlstore.Store, error) {
	cfg, shown, err := address(dsn, o)
	if err != nil {
		return nil, err
	}
	op := "open the store " + shown
	db := sql.OpenDB(connector{cfg, o})
	db.SetMaxOpenConns(o.conns())
	db.SetMaxIdleConns(o.idle())
	db.SetConnMaxIdleTime(idle)
	d := dialect(o)
	if err := open(ctx, db, d); err != nil {
		db.Close()
		var e *piton.Error
		if errors.As(err, &e) {
			e.Op = op
		}
		return nil, err
	}
	return sqlstore.New(db, d), nil
}
