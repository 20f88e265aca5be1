package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// Dialect is what differs between databases.
type Dialect struct {
	// Lock is the suffix that locks the rows a SELECT finds: "" where a
	// transaction owns the whole database, else " FOR UPDATE".
	Lock string
	// Migration turns a migration's text into the database's own.
	Migration func(string) string
	// Migrations are what migrations do in the database's own words, each behind the one of
	// its number: NNN_name.sql. nil where they do no more.
	Migrations fs.FS
	// OldestWriter is the oldest program that may still write to a database this one has
	// migrated; it rises only with a migration that is not additive.
	OldestWriter int
	// Numbers is how checkpoints and events are numbered.
	Numbers Numbers
	// Begin is how a transaction that reads the schema's version and migrates
	// is kept to one process at a time; run first in it, may be empty.
	Begin string
	// Strangers counts the tables of a database that Piton has not made; one
	// with any is not migrated. May be empty.
	Strangers string
	// Meddling counts what stands in the schema, is none of Piton's, and could change
	// what Piton writes; a database with any is not used. May be empty.
	Meddling string
	// Elsewhere reads the state of a checkpoint of which the database is only an
	// index (Index): it keeps neither states nor events then, but each record's file.
	// nil: all is kept here.
	Elsewhere func(ctx context.Context, id string) ([]byte, error)
	// Plain: states are stored as they are, not compressed.
	Plain bool
	// Pipelined: the driver sends several statements in one round trip (Several,
	// IsLater), and each round trip takes long.
	Pipelined bool
	// Existing: only what is there is opened; NotFound where there is nothing.
	Existing bool
	// Queue waits for a writer's turn, where the database itself keeps none in
	// line; nil where it does.
	Queue func(ctx context.Context) (leave func(), err error)
	// Work begins a transaction; nil: as database/sql does.
	Work func(ctx context.Context, db *sql.DB) (Work, error)
	// Again waits, and tells whether a transaction that ended in err, and of
	// which nothing was written, is to run again; try counts from 0. nil: never.
	Again func(ctx context.Context, try int, err error) bool
	// Doubt tells whether a commit that ended in err may have landed all the
	// same. nil: never.
	Doubt func(err error) bool
	// Xact is an expression for the name of the running transaction, by which
	// Settled knows it; "" where there is no Doubt.
	Xact string
	// Settled waits until a transaction is over, landed or not.
	Settled func(ctx context.Context, db *sql.DB, xact string) error
	// Acknowledge is told a transaction's last event before it commits, and how to
	// find another. What it returns is told whether the commit has landed. nil:
	// nobody keeps count of what was acknowledged.
	Acknowledge func(last store.LogEvent, event func(id int64) (store.LogEvent, error)) (landed func(bool))
	// Bell wakes those who wait for letters; the zero Bell where nobody does.
	Bell Bell
	// Check looks at pages, indexes and references, and returns one line per
	// fault; an error only where it could not look.
	Check func(ctx context.Context, db *sql.DB) ([]string, error)
	// Scrub makes the database forget what was overwritten and returns what it
	// cannot reach; may be nil.
	Scrub func(ctx context.Context, db *sql.DB) ([]string, error)
	// Reindex makes all indexes again; may be empty.
	Reindex string
	// Reclaim gives freed space back to the file system, in steps that keep
	// other savers waiting for at most 100 ms each, and returns the bytes.
	// progress may be nil.
	Reclaim func(ctx context.Context, db *sql.DB, progress func(done, total int64)) (int64, error)
	// Indexed is a query that counts the checkpoints that fit a condition, in their
	// table and in one of its indexes: where they differ one is damaged without any
	// error. nil: the database notices that itself.
	Indexed func(index, where string) string
	// Damaged is the hint of an error that says that the database is damaged.
	Damaged string
	// Error gives a database error its code and hint; Internal where it
	// knows better.
	Error func(op string, err error) error
	// Search is how the database searches; nil where it has no index for that.
	Search *TextSearch
}

// Numbers is how a database numbers checkpoints and events, over all workflows.
type Numbers struct {
	Count string // the statement that moves a counter, where there is one
	Next  string // the expression of a checkpoint's number, behind Count
	Last  string // the query for the last one
	// Settled is the query for the number of %s (ofCheckpoints, ofEvents) up to which no more
	// will come; "" where a transaction has its numbers to itself until it ends.
	Settled string
	// Searched is the counter that holds the ordinal up to which all checkpoints are in the
	// search index. It is there when the index is.
	Searched string
	// Share is the expression of what stands behind the names of the counters that a
	// transaction adds to, where several do so at a time.
	Share string
}

// The kinds of numbers.
const (
	ofCheckpoints = "checkpoint"
	ofEvents      = "event"
)

// Bell wakes the processes of this machine that wait for letters.
type Bell struct {
	Ring     func() // never waits
	Attended func() bool
	Listen   func() (rings <-chan struct{}, stop func(), err error)
}

// fail gives an error its code. A value of another type than its column's, or
// JSON that is none, can only come of damaged bytes.
func (d *Dialect) fail(op string, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if strings.HasPrefix(err.Error(), "sql: Scan error") || errors.As(err, &syntax) || errors.As(err, &kind) {
		return &piton.Error{Code: piton.Corrupt, Op: op, Hint: d.Damaged, Err: err}
	}
	return d.Error(op, err)
}
