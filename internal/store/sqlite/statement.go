package sqlite

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"io"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
)

// conn is a connection that keeps the statements nobody is using. database/sql
// lets one goroutine at a time use it.
type conn struct {
	driver.Conn
	idle map[string]*statement
}

var (
	_ sqldriver.ExecerContext     = (*conn)(nil)
	_ sqldriver.QueryerContext    = (*conn)(nil)
	_ sqldriver.NamedValueChecker = (*conn)(nil)
)

// Bounds of what a connection keeps.
const (
	maxIdle  = 100
	maxQuery = 4 << 10
)

// PrepareContext returns a statement that was kept, or a new one.
func (c *conn) PrepareContext(ctx context.Context, query string) (sqldriver.Stmt, error) {
	if !keeps(query) {
		return c.Conn.PrepareContext(ctx, query)
	}
	return c.statement(ctx, query)
}

func (c *conn) statement(ctx context.Context, query string) (*statement, error) {
	if s, ok := c.idle[query]; ok {
		delete(c.idle, query)
		return s, nil
	}
	s, err := c.Conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	x := &statement{plain: s.(plain), conn: c, query: query}
	for i := range x.ColumnCount() {
		x.columns = append(x.columns, x.ColumnName(i))
	}
	return x, nil
}

// keeps tells whether a query is worth keeping: it comes again, and leaves
// nothing open.
func keeps(query string) bool {
	if len(query) > maxQuery {
		return false
	}
	for _, verb := range []string{"SELECT ", "INSERT ", "UPDATE ", "DELETE "} {
		if strings.HasPrefix(query, verb) {
			return true
		}
	}
	return query == beginWork || query == beginRead || query == commitWork
}

// ExecContext runs what is not kept at once where it has no arguments.
func (c *conn) ExecContext(ctx context.Context, query string, args []sqldriver.NamedValue) (sqldriver.Result, error) {
	if !keeps(query) {
		return c.Conn.(sqldriver.ExecerContext).ExecContext(ctx, query, args)
	}
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.ExecContext(ctx, args)
}

// QueryContext leaves what is not kept to database/sql, which prepares it.
func (c *conn) QueryContext(ctx context.Context, query string, args []sqldriver.NamedValue) (sqldriver.Rows, error) {
	if !keeps(query) {
		return nil, sqldriver.ErrSkip
	}
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	r, err := s.rows(ctx, args)
	if err != nil {
		s.Close()
		return nil, err
	}
	r.last = true
	return r, nil
}

// CheckNamedValue takes the values that the driver takes; database/sql makes such of
// the others.
func (c *conn) CheckNamedValue(arg *sqldriver.NamedValue) error {
	switch arg.Value.(type) {
	case bool, int, int64, float64, string, []byte, nil:
		return nil
	}
	return sqldriver.ErrSkip
}

// Close ends the statements that were kept, without which the connection could
// not be closed.
func (c *conn) Close() error {
	var errs []error
	for _, s := range c.idle {
		errs = append(errs, s.plain.Close())
	}
	clear(c.idle)
	return errors.Join(append(errs, c.Conn.Close())...)
}

// plain is the driver's own statement.
type plain interface {
	sqldriver.Stmt
	sqldriver.StmtExecContext
	sqldriver.StmtQueryContext
	sqldriver.NamedValueChecker
	Conn() *sqlite3.Conn
	Step() bool
	Err() error
	ColumnCount() int
	ColumnName(column int) string
	ColumnsRaw(into ...any) error
	Reset() error
	ClearBindings() error
}

// statement goes back to its connection when it is closed.
type statement struct {
	plain
	conn    *conn
	query   string
	columns []string // their names
	values  []any    // of a row
	used    bool     // since it was last reset
}

// ExecContext runs the statement to its end.
func (s *statement) ExecContext(ctx context.Context, args []sqldriver.NamedValue) (sqldriver.Result, error) {
	s.used = true
	r, err := s.plain.ExecContext(ctx, args)
	s.used = err != nil // the driver resets it
	return r, err
}

// QueryContext returns the rows as they are stored.
func (s *statement) QueryContext(ctx context.Context, args []sqldriver.NamedValue) (sqldriver.Rows, error) {
	r, err := s.rows(ctx, args)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (s *statement) rows(ctx context.Context, args []sqldriver.NamedValue) (*rows, error) {
	s.used = true
	if _, err := s.plain.QueryContext(ctx, args); err != nil { // it binds the arguments
		return nil, err
	}
	return &rows{statement: s, ctx: ctx}, nil
}

func (s *statement) reset() error {
	if !s.used {
		return nil
	}
	s.used = false
	return errors.Join(s.plain.Reset(), s.plain.ClearBindings())
}

// Close keeps the statement for its next use.
func (s *statement) Close() error {
	if s.reset() != nil || !keeps(s.query) || len(s.conn.idle) >= maxIdle || s.conn.idle[s.query] != nil {
		return s.plain.Close()
	}
	s.conn.idle[s.query] = s
	return nil
}

// rows are the rows of a query. The driver's own ask for each column's declared type,
// to make times of texts, at each query; Piton stores none, and a lookup by key takes
// half as long without.
type rows struct {
	*statement
	ctx  context.Context
	last bool // the statement is closed with them
}

// Columns are the names of the columns.
func (r *rows) Columns() []string { return r.columns }

// Next reads the next row. Bytes are SQLite's own until the next call.
func (r *rows) Next(into []sqldriver.Value) error {
	c := r.plain.Conn()
	if old := c.SetInterrupt(r.ctx); old != r.ctx {
		defer c.SetInterrupt(old)
	}
	if !r.Step() {
		if err := r.Err(); err != nil {
			return err
		}
		return io.EOF
	}
	if len(r.values) != len(into) {
		r.values = make([]any, len(into))
	}
	if err := r.ColumnsRaw(r.values...); err != nil {
		return err
	}
	for i, v := range r.values {
		if b, ok := v.([]byte); ok && len(b) < cap(b) {
			v = string(b) // ColumnsRaw leaves room behind a text, for its end
		}
		into[i] = v
	}
	return nil
}

// Close lets go of the statement.
func (r *rows) Close() error {
	if !r.last {
		return r.reset()
	}
	return r.statement.Close()
}

var _ sqldriver.Rows = (*rows)(nil)
