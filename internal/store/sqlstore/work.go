package sqlstore

import (
	"context"
	"database/sql"
)

// querier is a database or a transaction.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Work is a transaction. Its connection is free again after Commit, whatever that
// returns, and after Rollback, which changes nothing after either.
type Work interface {
	querier
	Commit() error
	Rollback() error
}
