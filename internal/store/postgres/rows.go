package postgres

import (
	"database/sql/driver"
	"io"
)

// rows are results that have all been read, one set for each question.
type rows struct {
	sets []result
	at   int // of the row in the first set
}

// Columns are the names of the columns.
func (r *rows) Columns() []string { return r.sets[0].columns }

// Close forgets the rows.
func (r *rows) Close() error { return nil }

// Next is the next row.
func (r *rows) Next(into []driver.Value) error {
	if r.at >= len(r.sets[0].rows) {
		return io.EOF
	}
	copy(into, r.sets[0].rows[r.at])
	r.at++
	return nil
}

// HasNextResultSet tells whether there is the answer to another question.
func (r *rows) HasNextResultSet() bool { return len(r.sets) > 1 }

// NextResultSet goes on to it.
func (r *rows) NextResultSet() error {
	if !r.HasNextResultSet() {
		return io.EOF
	}
	r.sets, r.at = r.sets[1:], 0
	return nil
}
