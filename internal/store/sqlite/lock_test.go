package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// hint is what an error advises.
func hint(err error) string {
	var e *piton.Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}

// event writes one event.
func event(ctx context.Context, s store.Updater) error {
	return s.Update(ctx, func(tx store.LocalTx) error {
		return tx.Log(ctx, redact.Value(store.LogEvent{At: piton.At(time.Now()), Kind: "test"}))
	})
}

// lockChild opens the store it is told of, takes the write lock, and holds it
// until it is told more.
func lockChild(ctx context.Context, args []string) error {
	s, err := sqlite.Open(ctx, args[0], sqlite.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Update(ctx, func(tx store.LocalTx) error {
		fmt.Println("held")
		return lines(func(string) string { return "" })
	})
}

func TestSecondWriterWaitsForTheFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	s := open(t, path, sqlite.Options{Wait: time.Minute})
	c := start(t, "lock", path)
	c.hear(t)
	done := make(chan error)
	go func() { done <- event(t.Context(), s) }()
	c.in.Close()
	if err := <-done; err != nil {
		t.Errorf("the second writer: got %v, want no error", err)
	}
	if err := c.wait(); err != nil {
		t.Errorf("the first writer: got %v, want no error", err)
	}
}

func TestLockHeldTooLongIsUnavailable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	s := open(t, path, sqlite.Options{Wait: 20 * time.Millisecond})
	c := add(t, s, `{"a":1}`)
	holder := start(t, "lock", path)
	holder.hear(t)
	wantError(t, event(t.Context(), s), piton.Unavailable)
	wantError(t, s.MarkDamaged(t.Context(), c.ID, redact.Value("x")), piton.Unavailable)
	// Readers go on, and so does another open.
	wantState(t, open(t, path, sqlite.Options{Wait: 20 * time.Millisecond}), c.ID, `{"a":1}`)
	holder.in.Close()
	if err := holder.wait(); err != nil {
		t.Fatal(err)
	}
	if err := event(t.Context(), s); err != nil {
		t.Errorf("after the lock was let go: got %v, want no error", err)
	}
}

func TestLockHeldByAnotherProgramIsUnavailable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	s := open(t, path, sqlite.Options{Wait: 20 * time.Millisecond})
	// A transaction past the store knows nothing of the writers' line.
	tx, err := open(t, path, sqlite.Options{}).DB.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, event(t.Context(), s), piton.Unavailable)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := event(t.Context(), s); err != nil {
		t.Errorf("after the lock was let go: got %v, want no error", err)
	}
}

func TestWriterThatGaveUpHoldsNoLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	s := open(t, path, sqlite.Options{})
	impatient := open(t, path, sqlite.Options{Wait: time.Millisecond})
	holder := start(t, "lock", path)
	holder.hear(t)
	for range 20 {
		wantError(t, event(t.Context(), impatient), piton.Unavailable)
	}
	holder.in.Close()
	if err := event(t.Context(), s); err != nil {
		t.Errorf("after all gave up: got %v, want no error", err)
	}
}

func TestStoreWritesWithoutItsLockFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	s := open(t, path, sqlite.Options{})
	if err := os.Remove(path + ".lock"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path+".lock", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := event(t.Context(), s); err != nil {
		t.Errorf("got %v, want no error", err)
	}
}

func TestOpenOfALockedFileIsUnavailable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	s := open(t, path, sqlite.Options{})
	s.DB.SetMaxOpenConns(1)
	for _, q := range []string{`PRAGMA locking_mode = exclusive`, `BEGIN EXCLUSIVE`, `INSERT INTO counters (name, value) VALUES ('x', 1)`} {
		if _, err := s.DB.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{Wait: 20 * time.Millisecond})
	wantError(t, err, piton.Unavailable)
}

func TestDeadlineEndsTheWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	s := open(t, path, sqlite.Options{Wait: time.Hour})
	holder := start(t, "lock", path)
	holder.hear(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	wantError(t, event(ctx, s), piton.Unavailable)
}

func TestManyStoresInOneProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
				if err != nil {
					t.Errorf("open: got %v, want no error", err)
					return
				}
				var inner sync.WaitGroup
				for range 3 {
					inner.Go(func() {
						if err := event(t.Context(), s); err != nil {
							t.Errorf("write: got %v, want no error", err)
						}
					})
				}
				inner.Wait()
				s.Close()
			}
		})
	}
	wg.Wait()
	s := open(t, path, sqlite.Options{})
	var n int
	if err := s.DB.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM events`).Scan(&n); err != nil || n != 8*5*3 {
		t.Errorf("events: got %d, %v, want %d", n, err, 8*5*3)
	}
}

func TestReadersSeeNothingHalfWritten(t *testing.T) {
	s := fresh(t)
	err := s.Update(t.Context(), func(tx store.LocalTx) error {
		w := piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Name: "w", Type: "x", Project: "p"}
		if err := tx.PutWorkflow(t.Context(), redact.Value(w)); err != nil {
			return err
		}
		if _, err := s.Workflow(t.Context(), "w", "p"); piton.CodeOf(err) != piton.NotFound {
			t.Errorf("outside the transaction: got %v, want not_found", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Workflow(t.Context(), "w", "p"); err != nil {
		t.Errorf("after the transaction: got %v, want no error", err)
	}
}
