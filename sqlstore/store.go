// Package sqlstore holds Piton's stores in SQL: one text for every database.
// The rooms sqlite and postgres open a database and hand it in with its
// dialect.
package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	"github.com/piton-project/piton"
)

// Dialect is what differs between databases.
type Dialect struct {
	// Lock is the suffix that locks the rows a SELECT finds: "" where a
	// transaction owns the whole database, else " FOR UPDATE".
	Lock string
	// Migration turns a migration's text into the database's own.
	Migration func(string) string
	// Begin is how a transaction that reads the schema's version and migrates
	// is kept to one process at a time; run first in it, may be empty.
	Begin string
	// Strangers counts the tables of a database that Piton has not made; one
	// with any is not migrated. May be empty.
	Strangers string
	// Queue waits for a writer's turn, where the database itself keeps none in
	// line; nil where it does.
	Queue func(ctx context.Context) (leave func(), err error)
	// Error gives a database error its code and hint; Internal where it
	// knows better.
	Error func(op string, err error) error
}

// Store keeps checkpoints and everything that belongs to this machine.
type Store struct {
	reader
	DB     *sql.DB
	D      Dialect
	recent recent
}

var (
	_ piton.Checkpoints = (*Store)(nil)
	_ piton.Local       = (*Store)(nil)
	_ piton.LocalTx     = (*tx)(nil)
)

// New returns the store in a database that Migrate has prepared.
func New(db *sql.DB, d Dialect) *Store {
	return &Store{reader: reader{q: db, d: &d}, DB: db, D: d}
}

// Close closes the database.
func (s *Store) Close() error { return s.DB.Close() }

// querier is a database or a transaction.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// reader answers questions, inside a transaction or outside.
type reader struct {
	q querier
	d *Dialect
}

// tx is one transaction.
type tx struct {
	reader
	own recent // what it appended; the store remembers it once it is committed
}

// Save runs fn in one durable transaction.
func (s *Store) Save(ctx context.Context, fn func(piton.CheckpointTx) error) error {
	return s.write(ctx, "save", func(t *tx) error { return fn(t) })
}

// Update runs fn in one durable transaction.
func (s *Store) Update(ctx context.Context, fn func(piton.LocalTx) error) error {
	return s.write(ctx, "update", func(t *tx) error { return fn(t) })
}

func (s *Store) write(ctx context.Context, op string, fn func(*tx) error) error {
	if s.D.Queue != nil {
		leave, err := s.D.Queue(ctx)
		if err != nil {
			return s.D.Error(op, err)
		}
		defer leave()
	}
	t, err := s.DB.BeginTx(ctx, nil)
	if err != nil {
		return s.D.Error(op, err)
	}
	defer t.Rollback()
	mine := &tx{reader: reader{q: t, d: s.d}}
	if err := fn(mine); err != nil {
		return err
	}
	if err := t.Commit(); err != nil {
		return s.D.Error(op, err)
	}
	s.recent.add(mine.own.bases...)
	s.recent.add(mine.own.bases...)
	return nil
}

func (r reader) exec(ctx context.Context, op, query string, args ...any) error {
	if _, err := r.q.ExecContext(ctx, query, args...); err != nil {
		return r.d.Error(op, err)
	}
	return nil
}

// fail gives an error its code. A value of another type than its column's, or
// JSON that is none, can only come of damaged bytes.
func (d *Dialect) fail(op string, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if strings.HasPrefix(err.Error(), "sql: Scan error") || errors.As(err, &syntax) || errors.As(err, &kind) {
		return &piton.Error{Code: piton.Corrupt, Op: op, Hint: "bring back a copy of the database; 'piton verify' says what is damaged", Err: err}
	}
	return d.Error(op, err)
}

// rows runs a query and calls scan for each row.
func (r reader) rows(ctx context.Context, op string, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := r.q.QueryContext(ctx, query, args...)
	if err != nil {
		return r.d.Error(op, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return r.d.fail(op, err)
		}
	}
	if err := rows.Err(); err != nil {
		return r.d.Error(op, err)
	}
	return nil
}
