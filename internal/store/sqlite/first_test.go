package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// openChild opens each path it reads, writes an event and closes again.
func openChild(ctx context.Context, _ []string) error {
	return lines(func(path string) string {
		s, err := sqlite.Open(ctx, path, sqlite.Options{Wait: time.Minute})
		if err != nil {
			return err.Error()
		}
		defer s.Close()
		err = s.Update(ctx, func(tx store.LocalTx) error {
			return tx.Log(ctx, redact.Value(store.LogEvent{At: piton.At(time.Now()), Kind: "first"}))
		})
		if err != nil {
			return err.Error()
		}
		return "ok"
	})
}

func TestTwentyProcessesMakeTheStoreAtOnce(t *testing.T) {
	const processes = 20
	rounds := 40
	if testing.Short() {
		rounds = 10
	}
	var all []*child
	for range processes {
		all = append(all, start(t, "open"))
	}
	dir := t.TempDir()
	for round := range rounds {
		// Half of the rounds have the folder made first too.
		path := filepath.Join(dir, fmt.Sprint(round), "home", "piton.db")
		if round%2 == 0 {
			path = filepath.Join(dir, fmt.Sprint(round)+".db")
		}
		for _, c := range all {
			c.tell(t, path)
		}
		for _, c := range all {
			if got := c.hear(t); got != "ok" {
				t.Errorf("round %d: got %q, want ok", round, got)
			}
		}
		s := open(t, path, sqlite.Options{})
		var n int
		if err := s.DB.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM events`).Scan(&n); err != nil || n != processes {
			t.Errorf("round %d: got %d events, %v, want %d", round, n, err, processes)
		}
		integrity(t, s)
		s.Close()
	}
}
