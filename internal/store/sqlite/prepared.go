package sqlite

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
)

// openDB opens a data source whose connections keep their statements prepared:
// database/sql parses a query at each use, which for a lookup by key is more
// than half of its time.
func openDB(source string, init func(*sqlite3.Conn) error) (*sql.DB, error) {
	inner, err := (&driver.SQLite{}).OpenConnector(source)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector{inner, init}), nil
}

type connector struct {
	sqldriver.Connector
	init func(*sqlite3.Conn) error // nil: nothing
}

func (n connector) Connect(ctx context.Context) (sqldriver.Conn, error) {
	c, err := n.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	inner := c.(driver.Conn)
	if err := passive(inner.Raw()); err != nil {
		inner.Close()
		return nil, err
	}
	if n.init != nil {
		if err := n.init(inner.Raw()); err != nil {
			inner.Close()
			return nil, err
		}
	}
	return &conn{Conn: inner, idle: map[string]*statement{}}, nil
}

// passive keeps what stands in the file's schema from acting by itself: Piton
// makes no triggers and no views, so one that is there is somebody else's.
func passive(c *sqlite3.Conn) error {
	for _, what := range []sqlite3.DBConfig{sqlite3.DBCONFIG_ENABLE_TRIGGER, sqlite3.DBCONFIG_ENABLE_VIEW, sqlite3.DBCONFIG_TRUSTED_SCHEMA} {
		if _, err := c.Config(what, false); err != nil {
			return err
		}
	}
	return nil
}

// conn is a connection that keeps the statements nobody is using. database/sql
// lets one goroutine at a time use it.
type conn struct {
	driver.Conn
	idle map[string]*statement
}

// Bounds of what a connection keeps.
const (
	maxIdle  = 100
	maxQuery = 4 << 10
)

func (c *conn) PrepareContext(ctx context.Context, query string) (sqldriver.Stmt, error) {
	if s, ok := c.idle[query]; ok {
		delete(c.idle, query)
		return s, nil
	}
	s, err := c.Conn.PrepareContext(ctx, query)
	if err != nil || !keeps(query) {
		return s, err
	}
	return &statement{plain: s.(plain), conn: c, query: query}, nil
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
	return false
}

// ExecContext runs what has no arguments at once.
func (c *conn) ExecContext(ctx context.Context, query string, args []sqldriver.NamedValue) (sqldriver.Result, error) {
	return c.Conn.(sqldriver.ExecerContext).ExecContext(ctx, query, args)
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
	Reset() error
	ClearBindings() error
}

// statement goes back to its connection when it is closed.
type statement struct {
	plain
	conn  *conn
	query string
}

func (s *statement) Close() error {
	if s.plain.Reset() != nil || s.plain.ClearBindings() != nil || len(s.conn.idle) >= maxIdle || s.conn.idle[s.query] != nil {
		return s.plain.Close()
	}
	s.conn.idle[s.query] = s
	return nil
}
