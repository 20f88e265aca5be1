package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

func TestEveryErrorHasItsCode(t *testing.T) {
	d := open(t, pgtest.DSN(t)).D
	for state, want := range map[string]piton.Code{
		"23505": piton.Conflict, "XX001": piton.Corrupt, "XX002": piton.Corrupt, "22021": piton.Invalid,
		"53300": piton.Unavailable, "53100": piton.Unavailable, "53200": piton.Unavailable, "55P03": piton.Unavailable,
		"57P01": piton.Unavailable, "57P03": piton.Unavailable, "57014": piton.Unavailable, "08006": piton.Unavailable,
		"28P01": piton.Unavailable, "28000": piton.Unavailable, "40001": piton.Unavailable, "40P01": piton.Unavailable,
		"58030": piton.Unavailable, "25006": piton.Unavailable, "42501": piton.Unavailable,
		"42P01": piton.Invalid, "42703": piton.Invalid, "42P07": piton.Invalid, "23503": piton.Internal, "XX000": piton.Internal, "22012": piton.Internal,
	} {
		err := d.Error("try", fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: state, Message: "said"}))
		if got := piton.CodeOf(err); got != want {
			t.Errorf("%s: got %q, want %q", state, got, want)
		}
		var e *piton.Error
		if errors.As(err, &e) && want != piton.Internal && e.Hint == "" {
			t.Errorf("%s: got no hint, want one", state)
		}
	}
	for _, err := range []error{io.ErrUnexpectedEOF, context.Canceled, context.DeadlineExceeded, pgconn.ErrConnClosed} {
		if got := piton.CodeOf(d.Error("try", err)); got != piton.Unavailable {
			t.Errorf("%v: got %q, want unavailable", err, got)
		}
	}
	inner := piton.Errorf(piton.NotFound, "find", "", "gone")
	if got := d.Error("try", inner); !errors.Is(got, inner) || piton.CodeOf(got) != piton.NotFound {
		t.Errorf("an error with a code: got %v, want it as it was", got)
	}
}

// TestDeadlockRunsAgain lets two savers lock two workflows in opposite order,
// which the server can only break off: both land all the same.
func TestDeadlockRunsAgain(t *testing.T) {
	s := open(t, pgtest.DSN(t)+"&deadlock_timeout=10ms")
	flows := []string{workflow(t, s), workflow(t, s)}
	for _, flow := range flows {
		mustSave(t, s, prepared(flow, `{}`))
	}
	const rounds = 4
	runs := make([]int, 2)
	for range rounds {
		var locked, all sync.WaitGroup
		locked.Add(2)
		for i := range 2 {
			all.Go(func() {
				ps := []store.Prepared{prepared(flows[i], `{"a":1}`), prepared(flows[1-i], `{"b":1}`)}
				first := true
				err := s.Save(t.Context(), func(tx store.Tx) error {
					runs[i]++
					// Setting the workflow's mark locks its row, as a session's save does.
					if err := tx.PutWorkflow(t.Context(), redact.Value(piton.Workflow{ID: flows[i], Type: piton.TypeCustom})); err != nil {
						return err
					}
					if first {
						first = false
						locked.Done()
						locked.Wait()
					}
					for _, p := range ps {
						if _, err := tx.Append(t.Context(), redact.Value(p)); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	for _, flow := range flows {
		w, err := s.Workflow(t.Context(), flow, "")
		if err != nil || w.Seq != 2*rounds+1 {
			t.Errorf("got the last number %d, %v, want %d", w.Seq, err, 2*rounds+1)
		}
	}
	if runs[0]+runs[1] <= 2*rounds {
		t.Errorf("got %d runs of %d transactions, want some to run again", runs[0]+runs[1], 2*rounds)
	}
	wantSound(t, s)
}
