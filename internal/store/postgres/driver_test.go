package postgres_test

import (
	"context"
	"database/sql/driver"
	"testing"

	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// TestNothingRunsAfterAnError: after a statement of a transaction that was never sent,
// because its context had ended, nothing more of the transaction runs. Its BEGIN may
// not have been sent either: then each statement would stand for good by itself.
func TestNothingRunsAfterAnError(t *testing.T) {
	s := open(t, pgtest.DSN(t))
	insert := `INSERT INTO counters (name, value) VALUES ($1, $2)`
	args := []driver.NamedValue{{Ordinal: 1, Value: "driver"}, {Ordinal: 2, Value: int64(1)}}
	question := func(ctx context.Context, raw any) error {
		_, err := raw.(driver.QueryerContext).QueryContext(ctx, `SELECT 1`, nil)
		return err
	}
	script := func(ctx context.Context, raw any) error {
		_, err := raw.(driver.ExecerContext).ExecContext(ctx, `INSERT INTO counters (name, value) VALUES ('script', 1)`, nil)
		return err
	}
	for _, x := range []struct {
		name  string
		begun bool // the server has heard of the transaction
		fails func(context.Context, any) error
	}{
		{"a question that would begin it", false, question},
		{"a script that would begin it", false, script},
		{"a later question", true, question},
		{"a later script", true, script},
	} {
		t.Run(x.name, func(t *testing.T) {
			before := text(t, s, `SELECT COUNT(*)::text FROM counters`)
			c, err := s.DB.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			err = c.Raw(func(raw any) error {
				tx, err := raw.(driver.ConnBeginTx).BeginTx(t.Context(), driver.TxOptions{})
				if err != nil {
					return err
				}
				if x.begun {
					if err := question(t.Context(), raw); err != nil {
						return err
					}
				}
				ended, end := context.WithCancel(t.Context())
				end()
				if err := x.fails(ended, raw); err == nil {
					t.Error("after its context's end: got no error")
				}
				if _, err := raw.(driver.ExecerContext).ExecContext(t.Context(), insert, args); err == nil {
					t.Error("a statement after it: got no error")
				}
				if err := script(t.Context(), raw); err == nil {
					t.Error("a script after it: got no error")
				}
				if err := tx.Commit(); err == nil {
					t.Error("the COMMIT: got no error")
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := text(t, s, `SELECT COUNT(*)::text FROM counters`); got != before {
				t.Errorf("got %s counters, want %s as before", got, before)
			}
		})
	}
}
