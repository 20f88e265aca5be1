package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

func TestValuesAreReadAsTheyAreStored(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "piton.db"), sqlite.Options{})
	for _, x := range []struct {
		name, query string
		args        []any
		want        any
	}{
		{"a number", `SELECT $1`, []any{1 << 40}, int64(1 << 40)},
		{"a number with a fraction", `SELECT 0.5`, nil, 0.5},
		{"a text", `SELECT $1`, []any{"ä\x00b"}, "ä\x00b"},
		{"an empty text", `SELECT $1`, []any{""}, ""},
		{"a text that could be a time", `SELECT $1`, []any{"2026-01-02T03:04:05Z"}, "2026-01-02T03:04:05Z"},
		{"bytes", `SELECT $1`, []any{[]byte("ab")}, []byte("ab")},
		{"no bytes", `SELECT x''`, nil, []byte{}},
		{"nothing", `SELECT NULL`, nil, nil},
	} {
		for range 2 { // the second time the statement is one that was kept
			var got any
			if err := s.DB.QueryRowContext(t.Context(), x.query, x.args...).Scan(&got); err != nil || !reflect.DeepEqual(got, x.want) {
				t.Errorf("%s: got %#v, %v, want %#v", x.name, got, err, x.want)
			}
		}
	}
}

func TestAStatementThatIsKept(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "piton.db"), sqlite.Options{})
	c, err := s.DB.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const query = `SELECT $1 + n FROM (SELECT 1 AS n UNION SELECT 2)`
	ask := func(ctx context.Context, args ...any) (list []int, err error) {
		rows, err := c.QueryContext(ctx, query, args...)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		for rows.Next() {
			var n int
			if err := rows.Scan(&n); err != nil {
				return nil, err
			}
			list = append(list, n)
		}
		return list, rows.Err()
	}
	usual := func(t *testing.T) {
		t.Helper()
		if got, err := ask(t.Context(), 10); err != nil || fmt.Sprint(got) != "[11 12]" {
			t.Errorf("got %v, %v, want [11 12]", got, err)
		}
	}
	for _, x := range []struct {
		name string
		do   func(t *testing.T)
	}{
		{"is asked again", usual},
		{"is asked while its rows are read", func(t *testing.T) {
			rows, err := c.QueryContext(t.Context(), query, 20)
			if err != nil || !rows.Next() {
				t.Fatal(err)
			}
			usual(t)
			var n int
			if !rows.Next() || rows.Scan(&n) != nil || n != 22 {
				t.Errorf("got %d, %v, want 22", n, rows.Err())
			}
			rows.Close()
		}},
		{"is asked by one who has given up", func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if got, err := ask(ctx, 10); err == nil {
				t.Errorf("got %v, want an error", got)
			}
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			x.do(t)
			usual(t)
		})
	}
}

func TestATransactionThatDoesNotLand(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "piton.db"), sqlite.Options{})
	failed := errors.New("it failed")
	put := func(tx store.Tx) error {
		return tx.PutWorkflow(t.Context(), redact.Value(piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Type: piton.TypeCustom}))
	}
	for _, x := range []struct {
		name string
		save func() error
	}{
		{"its work fails", func() error {
			return s.Save(t.Context(), func(tx store.Tx) error { return errors.Join(put(tx), failed) })
		}},
		{"who asked has given up", func() error {
			ctx, cancel := context.WithCancel(t.Context())
			return s.Save(ctx, func(tx store.Tx) error { defer cancel(); return put(tx) })
		}},
		{"who asked had given up before", func() error {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return s.Save(ctx, put)
		}},
		{"its work panics", func() (err error) {
			defer func() { err = fmt.Errorf("%v", recover()) }()
			return s.Save(t.Context(), func(tx store.Tx) error { put(tx); panic(failed) })
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			for range 6 { // more often than there are connections
				if err := x.save(); err == nil {
					t.Fatal("got no error")
				}
			}
			var n int
			if err := s.DB.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM workflows`).Scan(&n); err != nil || n != 0 {
				t.Errorf("got %d workflows, %v, want none", n, err)
			}
		})
	}
	if err := s.Save(t.Context(), put); err != nil {
		t.Error("afterwards:", err)
	}
}
