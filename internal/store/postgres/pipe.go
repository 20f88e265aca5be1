package postgres

import (
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// conn is a connection. It is used by one goroutine at a time.
type conn struct {
	pg *pgconn.PgConn
	values
	guard
	settings stmt // of the session; empty once they were sent
	names    names
	lost     func() // is told that the connection was lost

	tx      context.Context // of the running transaction; nil: there is none
	unsent  bool            // its BEGIN waits too
	waiting []stmt          // what the transaction writes, until it asks or commits
	size    int             // of what waits
	failed  error           // a statement of it: the transaction can only be rolled back
}

// inBinary asks for all columns in their binary form.
var inBinary = []int16{pgtype.BinaryFormatCode}

// send sends what waits and then these statements, and returns the results of all
// of them: one round trip. After an error none of those behind it has run, and
// nothing more of the transaction: its BEGIN may not have been sent.
func (c *conn) send(ctx context.Context, these ...stmt) ([]result, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	results, err := c.exchange(ctx, these)
	if c.tx != nil {
		c.failed = err
	}
	return results, err
}

func (c *conn) exchange(ctx context.Context, these []stmt) ([]result, error) {
	w := c.watch(c.pg.Conn().Close)
	results, err := c.trip(ctx, these)
	return results, w.end(err)
}

// trip sends and reads.
func (c *conn) trip(ctx context.Context, these []stmt) ([]result, error) {
	all := append(c.waiting, these...)
	c.waiting, c.size, c.unsent = nil, 0, false
	first := c.settings
	p := c.pg.StartPipeline(ctx)
	if first.text != "" {
		// In a group of its own: it must not be undone by what fails behind it.
		p.SendQueryParams(first.text, nil, nil, nil, inBinary)
		p.SendPipelineSync()
	}
	coming := make([]string, len(all)) // statements that get a name
	for i, s := range all {
		name, fresh := c.names.of(s.text)
		if fresh {
			coming[i] = s.text
			p.SendPrepare(name, s.text, nil)
		}
		if name == "" {
			p.SendQueryParams(s.text, s.params, nil, s.formats, inBinary)
		} else {
			p.SendQueryPrepared(name, s.params, s.formats, inBinary)
		}
	}
	err := p.Sync()
	var results []result
	if err == nil && first.text != "" {
		if _, err = c.next(p, new(string)); err == nil {
			_, err = p.GetResults() // the end of its group
			c.settings = stmt{}
		}
	}
	for i := 0; err == nil && i < len(all); i++ {
		var r result
		if r, err = c.next(p, &coming[i]); err == nil {
			results = append(results, r)
		}
	}
	if err2 := p.Close(); err == nil {
		err = err2
	}
	if err != nil {
		c.names.failed(stateOf(err), coming)
	}
	return results, err
}

// next reads the result of one statement, behind that of its preparation where it is
// still coming: then the server knows it by its name, whatever becomes of it.
func (c *conn) next(p *pgconn.Pipeline, coming *string) (r result, err error) {
	for {
		got, err := p.GetResults()
		if err != nil {
			return r, err
		}
		switch got := got.(type) {
		case *pgconn.StatementDescription:
			if *coming == "" {
				return r, fmt.Errorf("the server answers another question: %T", got)
			}
			*coming = ""
		case *pgconn.ResultReader:
			return c.read(got)
		default:
			return r, fmt.Errorf("the server's answer is missing: %T", got)
		}
	}
}

// read reads all rows of a result.
func (c *conn) read(from *pgconn.ResultReader) (r result, err error) {
	fields := from.FieldDescriptions()
	types := make([]pgconn.FieldDescription, len(fields))
	copy(types, fields)
	for _, f := range types {
		r.columns = append(r.columns, f.Name)
	}
	for from.NextRow() {
		row := make([]driver.Value, len(types))
		for i, b := range from.Values() {
			if row[i], err = c.decode(types[i], b); err != nil {
				from.Close()
				return r, err
			}
		}
		r.rows = append(r.rows, row)
	}
	tag, err := from.Close()
	r.changed, r.tag = tag.RowsAffected(), tag.String()
	return r, err
}
