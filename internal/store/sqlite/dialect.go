package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

func dialect(path string, o Options) sqlstore.Dialect {
	var search *sqlstore.TextSearch
	meddling := meddling
	if o.FTS5 != nil {
		search = sqlstore.FTS5()
	} else {
		meddling = "" // hooks open the user's own store, all the time
	}
	const number = `SELECT value FROM counters WHERE name = 'ordinal'`
	return sqlstore.Dialect{
		Numbers: sqlstore.Numbers{Count: `UPDATE counters SET value = value + 1 WHERE name = 'ordinal'`, Next: `(` + number + `)`, Last: number,
			Searched: "search_index", Share: `''`},
		Search:    search,
		Lock:      "", // BEGIN IMMEDIATE owns the file
		Work:      begin,
		Migration: bare, OldestWriter: 12, // older ones cannot read a state that lies in its manifest
		Plain:     o.Plain,
		Strangers: `SELECT COUNT(*) FROM sqlite_schema WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'piton_schema')`,
		Meddling:  meddling,
		Queue:     func(ctx context.Context) (func(), error) { return queue(ctx, path, o) },
		Check: func(ctx context.Context, db *sql.DB) ([]string, error) {
			lines, err := check(ctx, db)
			if err == nil {
				var more []string
				more, err = altered(ctx, db)
				lines = append(lines, more...)
			}
			var e *piton.Error
			if behind := Behind(ctx, path, sqlstore.New(db, sqlstore.Dialect{Error: dbError})); errors.As(behind, &e) && e.Code == piton.Corrupt {
				lines = append(lines, e.Err.Error()+": "+e.Hint)
			}
			return lines, err
		},
		Acknowledge: acknowledge(path, func(m store.LogEvent) {
			if o.Behind != nil {
				o.Behind(behindError(path, m, false))
			}
		}),
		Bell:    bell(path + bellSuffix),
		Damaged: damageHint,
		Indexed: indexed,
		Reindex: `REINDEX`,
		Scrub: func(ctx context.Context, db *sql.DB) ([]string, error) {
			return scrub(ctx, db, func() (func(), error) { return queue(ctx, path, o) })
		},
		Reclaim: func(ctx context.Context, db *sql.DB, progress func(done, total int64)) (int64, error) {
			return reclaim(ctx, db, func() (func(), error) { return queue(ctx, path, o) }, progress)
		},
		Error: func(op string, err error) error {
			// On a full disk a file is opened for reading only.
			vague := errors.Is(err, sqlite3.IOERR) || errors.Is(err, sqlite3.READONLY)
			if full(err) || vague && localfs.Free(filepath.Dir(path)) < minRoom {
				return noRoom(op, err)
			}
			return damageOf(path, dbError(op, err))
		},
	}
}

// bellSuffix is behind the store's name in the name of the pipe that wakes those
// who wait for letters. It holds nothing that could be lost.
const bellSuffix = ".bell"

func bell(path string) sqlstore.Bell {
	return sqlstore.Bell{
		Ring:     func() { localfs.Ring(path) },
		Attended: func() bool { return localfs.Attended(path) },
		Listen:   func() (<-chan struct{}, func(), error) { return localfs.Listen(path) },
	}
}

// indexed counts the checkpoints that fit a condition, in their table and in an
// index of it. Without a condition SQLite would choose the index itself.
func indexed(index, where string) string {
	return `SELECT (SELECT COUNT(*) FROM checkpoints NOT INDEXED WHERE ` + where + `), (SELECT COUNT(*) FROM checkpoints INDEXED BY ` + index + ` WHERE ` + where + `)`
}

// queue lets writers in one after the other. SQLite's own lock is a lottery:
// each tries again every millisecond or two. Of 20 processes that write without
// a pause the slowest waited 0.4 s with it and 0.25 s in line; of 72 some
// starved for 2 s, in line none did.
func queue(ctx context.Context, path string, o Options) (func(), error) {
	leave, err := localfs.Lock(ctx, path+".lock", o.wait())
	if err != nil && !errors.Is(err, errBusy) && ctx.Err() == nil {
		// Without the lock file there is still SQLite's own lock.
		return func() {}, nil
	}
	return leave, err
}

// ErrIndex is in every error that says that an index cannot be used and is to be made
// again.
var ErrIndex = errors.New("the index is damaged")

// asIndex makes the dialect that of an index.
func asIndex(d *sqlstore.Dialect, o Options) {
	d.Elsewhere, d.Queue, d.Acknowledge, d.Meddling = o.elsewhere, nil, nil, ""
	known := d.Error
	d.Error = func(op string, err error) error {
		for _, harmless := range []error{errBusy, sqlite3.BUSY, sqlite3.INTERRUPT, context.Canceled, context.DeadlineExceeded} {
			if errors.Is(err, harmless) {
				return known(op, err)
			}
		}
		return known(op, errors.Join(ErrIndex, err))
	}
}
