// Package postgres opens a PostgreSQL database as the store of several
// machines.
//
// It is safe for many processes on many machines at once: rows are locked in
// one order, a lost connection or a deadlock is tried again where nothing was
// written, and a commit whose answer was lost is looked up.
package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// Options tune the opening; the zero value is for people's programs.
type Options struct {
	// Wait is how long a writer waits for the others, and for the answer to a
	// commit that was cut off; 10 s when 0.
	Wait time.Duration
	// Connect is how long one host may take to answer, unless the address says
	// so itself (connect_timeout); 5 s when 0.
	Connect time.Duration
	// Conns is the most connections at once; 8 when 0.
	Conns int
	// Existing opens what is there and makes nothing; NotFound when nothing
	// was saved there yet.
	Existing bool
	// Plain: states are stored as they are, not compressed.
	Plain bool
}

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
	db := stdlib.OpenDB(*cfg, stdlib.OptionAfterConnect(prepare(o)), stdlib.OptionShouldPing(suspect))
	db.SetMaxOpenConns(o.conns())
	db.SetMaxIdleConns(o.conns())
	db.SetConnMaxIdleTime(idle)
	d := dialect(o)
	if err := open(ctx, op, db, d, o); err != nil {
		db.Close()
		var e *piton.Error
		if errors.As(err, &e) {
			e.Op = op
		}
		return nil, err
	}
	return sqlstore.New(db, d), nil
}

func (o Options) wait() time.Duration {
	if o.Wait == 0 {
		return 10 * time.Second
	}
	return o.Wait
}

func (o Options) connect() time.Duration {
	if o.Connect == 0 {
		return 5 * time.Second
	}
	return o.Connect
}

func (o Options) conns() int {
	if o.Conns == 0 {
		return 8
	}
	return o.Conns
}
