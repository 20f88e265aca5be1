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

// laterKey marks the context of a statement whose result nobody waits for.
type laterKey struct{}

// later is the context of a statement whose result nobody waits for.
func later(ctx context.Context) context.Context { return context.WithValue(ctx, laterKey{}, true) }

// IsLater tells a driver that nobody waits for the result of a statement. Inside a
// transaction it may travel with the next one, or with the commit, which then fails
// as the statement would have.
func IsLater(ctx context.Context) bool { return ctx.Value(laterKey{}) != nil }

// Several is the query that stands for several at once: a driver that can send them
// together (Dialect.Pipelined) finds them in the only argument, a []Asked, and
// answers with one result set each.
const Several = "several"

// Asked is one of several questions.
type Asked struct {
	Query string
	Args  []any
}
