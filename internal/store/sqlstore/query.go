package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/piton-project/piton"
)

// reader answers questions, inside a transaction or outside.
type reader struct {
	q    querier
	d    *Dialect
	seen *seen // nil where it would save nothing
}

// exec runs a statement; where statements travel together, inside a transaction, its
// error may come with a later one or with the commit.
func (r reader) exec(ctx context.Context, op, query string, args ...any) error {
	if r.d.Pipelined {
		ctx = later(ctx)
	}
	if _, err := r.q.ExecContext(ctx, query, args...); err != nil {
		return r.d.Error(op, err)
	}
	return nil
}

// changed runs a statement and returns how many rows it has changed.
func (r reader) changed(ctx context.Context, op, query string, args ...any) (int64, error) {
	res, err := r.q.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, r.d.Error(op, err)
	}
	return res.RowsAffected()
}

// params are the arguments of a query for one row.
type params = []any

// get reads one row; found is false where there is none.
func (r reader) get(ctx context.Context, op, query string, args params, into ...any) (found bool, err error) {
	err = r.row(ctx, op, query, args, into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// row reads one row that must be there.
func (r reader) row(ctx context.Context, op, query string, args params, into ...any) error {
	if err := r.q.QueryRowContext(ctx, query, args...).Scan(into...); err != nil {
		return r.d.fail(op, err)
	}
	return nil
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

// scanner reads the columns of a row.
type scanner = func(into ...any) error

// collect runs a query and returns what scan makes of each row; with an error,
// those before it.
func collect[T any](ctx context.Context, r reader, op string, scan func(scanner) (T, error), query string, args ...any) (all []T, err error) {
	err = r.rows(ctx, op, func(rows *sql.Rows) error {
		x, err := scan(rows.Scan)
		all = append(all, x)
		return err
	}, query, args...)
	return all, err
}

// value reads the only column of a row.
func value[T any](scan scanner) (v T, err error) {
	err = scan(&v)
	return v, err
}

// missingTable tells whether a query failed because its table is not there,
// in SQLite's words and in PostgreSQL's code.
func missingTable(err error) bool {
	var coded interface{ SQLState() string }
	if errors.As(err, &coded) {
		return coded.SQLState() == "42P01"
	}
	return err != nil && strings.Contains(err.Error(), "no such table")
}

// internal is the error for what only a fault of Piton can bring about.
func internal(op string, err error) error {
	return &piton.Error{Code: piton.Internal, Op: op, Err: err}
}

func now() piton.Time { return piton.At(time.Now()) }

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fromJSON reads the only column of a row, which holds JSON.
func fromJSON[T any](scan scanner) (v T, err error) {
	var text string
	if err := scan(&text); err != nil {
		return v, err
	}
	err = json.Unmarshal([]byte(text), &v)
	return v, err
}
