package postgres

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/piton-project/piton/internal/store/sqlstore"
)

// connector makes connections for database/sql. The driver is ours because of the
// network: what a transaction writes waits and travels together with the next
// question, BEGIN with the first one and COMMIT with the last statements, and
// several questions travel together. pgx's own driver for database/sql waits for
// the answer to each of them.
type connector struct {
	cfg *pgx.ConnConfig
	o   Options
}

var _ driver.Connector = connector{}

// Connect connects and looks at what the server says of itself. The settings of
// the session travel with the first statement.
func (k connector) Connect(ctx context.Context) (driver.Conn, error) {
	pg, err := pgconn.ConnectConfig(ctx, &k.cfg.Config)
	if err != nil {
		if ctx.Err() == nil {
			k.o.lost()
		}
		return nil, err
	}
	if err := fits(pg); err != nil {
		pg.Close(ctx)
		return nil, err
	}
	c := &conn{pg: pg, lost: k.o.lost, guard: guard{k.o.silence(), k.there}, values: values{pgtype.NewMap()}, settings: stmt{text: settings(k.o)}}
	if k.cfg.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement && k.cfg.StatementCacheCapacity > 0 {
		c.names = names{most: k.cfg.StatementCacheCapacity}
	}
	return c, nil
}

// there connects to the server, and lets go.
func (k connector) there(ctx context.Context) error {
	pg, err := pgconn.ConnectConfig(ctx, &k.cfg.Config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, closing)
	defer cancel()
	return pg.Close(ctx)
}

// Driver is for database/sql, which asks for it and nothing more.
func (k connector) Driver() driver.Driver { return opener{} }

type opener struct{}

// Open is not how this driver is used.
func (opener) Open(string) (driver.Conn, error) { return nil, errors.New("use a connector") }

var (
	_ driver.Conn              = (*conn)(nil)
	_ driver.ConnBeginTx       = (*conn)(nil)
	_ driver.ExecerContext     = (*conn)(nil)
	_ driver.QueryerContext    = (*conn)(nil)
	_ driver.NamedValueChecker = (*conn)(nil)
	_ driver.SessionResetter   = (*conn)(nil)
	_ driver.Validator         = (*conn)(nil)
	_ driver.Tx                = (*conn)(nil)
	_ driver.RowsNextResultSet = (*rows)(nil)
	_ driver.Pinger            = (*conn)(nil)
)

// maxWaiting bounds the bytes that wait.
const maxWaiting = 4 << 20

// CheckNamedValue takes what encode does.
func (c *conn) CheckNamedValue(v *driver.NamedValue) (err error) {
	switch v.Value.(type) {
	case []sqlstore.Asked, []string, []int64, [][]byte:
		return nil
	}
	v.Value, err = driver.DefaultParameterConverter.ConvertValue(v.Value)
	return err
}

// ExecContext runs a statement. One whose result nobody waits for (sqlstore.Later)
// waits itself, inside a transaction, for the next one that is not.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	later := sqlstore.IsLater(ctx)
	if len(args) == 0 && !later {
		return c.script(ctx, query)
	}
	s, err := c.encode(query, args)
	if err != nil {
		return nil, err
	}
	if !later || c.tx == nil {
		all, err := c.send(ctx, s)
		if err != nil {
			return nil, err
		}
		return driver.RowsAffected(all[len(all)-1].changed), nil
	}
	c.waiting, c.size = append(c.waiting, s), c.size+s.size()
	if c.size > maxWaiting {
		_, err = c.send(ctx)
	}
	return driver.ResultNoRows, err
}

// script runs any number of statements without parameters.
func (c *conn) script(ctx context.Context, text string) (driver.Result, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	if len(c.waiting) > 0 || c.settings.text != "" {
		if _, err := c.send(ctx); err != nil {
			return nil, err
		}
	}
	var changed int64
	all, err := c.exec(ctx, text)
	for _, r := range all {
		changed += r.CommandTag.RowsAffected()
	}
	if c.tx != nil {
		c.failed = err // it may not have been sent
	}
	return driver.RowsAffected(changed), err
}

// exec sends a text and reads all that comes of it.
func (c *conn) exec(ctx context.Context, text string) ([]*pgconn.Result, error) {
	w := c.watch(c.pg.Conn().Close)
	all, err := c.pg.Exec(ctx, text).ReadAll()
	return all, w.end(err)
}

// QueryContext asks one question, or with sqlstore.Several all of its argument,
// each of which has a result set.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	asked := []stmt{}
	if query == sqlstore.Several {
		list, _ := args[0].Value.([]sqlstore.Asked)
		for _, q := range list {
			s, err := c.encodeAll(q)
			if err != nil {
				return nil, err
			}
			asked = append(asked, s)
		}
	} else {
		s, err := c.encode(query, args)
		if err != nil {
			return nil, err
		}
		asked = append(asked, s)
	}
	all, err := c.send(ctx, asked...)
	if err != nil {
		if c.tx == nil && ctx.Err() == nil && c.pg.IsClosed() && broken(err) {
			return nil, driver.ErrBadConn // a question may be asked again, over another connection
		}
		return nil, err
	}
	return &rows{sets: all[len(all)-len(asked):]}, nil
}

// broken tells whether a connection was lost, by the server's word or without any.
func broken(err error) bool {
	state := stateOf(err)
	return state == "" && lost(err) || len(state) == 5 && state[:3] == "57P"
}

// BeginTx begins a transaction, of which the server hears with its first
// statement.
func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if o.ReadOnly || o.Isolation != 0 {
		return nil, errors.New("transactions of another kind are not used")
	}
	c.tx, c.unsent, c.waiting, c.size = ctx, true, []stmt{{text: "begin"}}, 0
	return c, nil
}

// Begin is BeginTx.
func (c *conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// Commit sends what waits together with the COMMIT. What the server refuses of it
// it does not commit either.
func (c *conn) Commit() error {
	ctx := c.tx
	defer c.over()
	if c.unsent && len(c.waiting) == 1 {
		return nil
	}
	all, err := c.send(ctx, stmt{text: "commit"})
	if err != nil {
		if !c.pg.IsClosed() && c.pg.TxStatus() != 'I' {
			c.exec(ctx, "rollback") // where it fails the pool drops the connection
		}
		return err
	}
	if all[len(all)-1].tag == "ROLLBACK" {
		return pgx.ErrTxCommitRollback
	}
	return nil
}

// Rollback forgets what waits, and ends the transaction if the server knows of it.
func (c *conn) Rollback() error {
	ctx := c.tx
	defer c.over()
	if c.unsent || c.pg.IsClosed() {
		return nil
	}
	_, err := c.exec(ctx, "rollback")
	return err
}

// over is after a transaction.
func (c *conn) over() { c.tx, c.unsent, c.waiting, c.size, c.failed = nil, false, nil, 0, nil }

// ResetSession refuses a connection that has died while it was idle. The server is
// only asked where something has come unasked: to ask each time would be a round
// trip more.
func (c *conn) ResetSession(ctx context.Context) error {
	if c.pg.IsClosed() || stirred(c.pg.Conn()) && c.Ping(ctx) != nil {
		c.lost()
		return driver.ErrBadConn
	}
	return nil
}

// IsValid tells whether the connection can be used again.
func (c *conn) IsValid() bool { return !c.pg.IsClosed() && c.pg.TxStatus() == 'I' && c.tx == nil }

// Ping asks the server for nothing.
func (c *conn) Ping(ctx context.Context) error {
	w := c.watch(c.pg.Conn().Close)
	return w.end(c.pg.Ping(ctx))
}

// Close tells the server that we go.
func (c *conn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	return c.pg.Close(ctx)
}

// Prepare is for callers that name their statements; ours do not.
func (c *conn) Prepare(string) (driver.Stmt, error) {
	return nil, errors.New("statements prepare themselves")
}
