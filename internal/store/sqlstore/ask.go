package sqlstore

import (
	"context"
	"database/sql"
)

// question is a question with what is to be done with each row of its answer.
type question struct {
	Asked
	row  func(scanner) error // nil where there is none
	when func() bool         // nil: always; who asks one after another leaves it out where this is false
}

// one is a question whose answer has one row at most; found is set where it has one.
func one(found *bool, query string, args params, into ...any) question {
	return question{Asked: Asked{query, args}, row: func(scan scanner) error {
		*found = true
		return scan(into...)
	}}
}

// ask asks questions, in their order, in one round trip where the database can. Each
// sees what those before it have written.
func (r reader) ask(ctx context.Context, op string, questions ...question) error {
	if !r.d.Pipelined {
		for _, q := range questions {
			if q.when != nil && !q.when() {
				continue
			}
			if err := r.rows(ctx, op, func(rows *sql.Rows) error { return q.row(rows.Scan) }, q.Query, q.Args...); err != nil {
				return err
			}
		}
		return nil
	}
	if len(questions) == 0 {
		return nil
	}
	list := make([]Asked, len(questions))
	for i, q := range questions {
		list[i] = q.Asked
	}
	rows, err := r.q.QueryContext(ctx, Several, list)
	if err != nil {
		return r.d.Error(op, err)
	}
	defer rows.Close()
	for _, q := range questions {
		for rows.Next() {
			if err := q.row(rows.Scan); err != nil {
				return r.d.fail(op, err)
			}
		}
		if !rows.NextResultSet() {
			break
		}
	}
	if err := rows.Err(); err != nil {
		return r.d.Error(op, err)
	}
	return nil
}
