package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/testkit/crashtest"
)

// loadEnv is how long the load test runs; 5 s when unset, 1 s with -short.
const loadEnv = "PITON_TEST_LOAD"

// Processes of the load test, and how long each waits for a lock, as hooks do.
const (
	hooks    = 16
	savers   = 4
	hookWait = "2s"
)

// hookChild does what a hook does, again and again: open, write the session and
// an event, close. It says how many microseconds each took. It takes a path, a
// session's id, how long to wait for locks, and for how long.
func hookChild(ctx context.Context, args []string) error {
	wait, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	long, err := time.ParseDuration(args[3])
	if err != nil {
		return err
	}
	for end := time.Now().Add(long); time.Now().Before(end); {
		var steps [4]time.Time
		steps[0] = time.Now()
		s, err := sqlite.Open(ctx, args[0], sqlite.Options{Wait: wait})
		if err != nil {
			return fmt.Errorf("open after %v: %w", time.Since(steps[0]), err)
		}
		steps[1] = time.Now()
		err = s.Update(ctx, func(tx store.LocalTx) error {
			x, err := tx.SessionByClient(ctx, "claude", args[1])
			if piton.CodeOf(err) == piton.NotFound {
				x, err = agent.Session{Identity: agent.Identity{ID: piton.NewID(piton.SessionPrefix), Agent: "claude", ClientID: args[1]}}, nil
			}
			if err != nil {
				return err
			}
			x.Turn++
			x.SeenAt = piton.At(time.Now())
			if err := tx.PutSession(ctx, redact.Value(x)); err != nil {
				return err
			}
			return tx.Log(ctx, redact.Value(store.LogEvent{At: x.SeenAt, Kind: "tool_use", Session: x.ID}))
		})
		steps[2] = time.Now()
		if err != nil {
			return fmt.Errorf("update after %v: %w", steps[2].Sub(steps[1]), err)
		}
		if err := s.Close(); err != nil {
			return fmt.Errorf("close: %w", err)
		}
		steps[3] = time.Now()
		fmt.Println(steps[1].Sub(steps[0]).Microseconds(), steps[2].Sub(steps[1]).Microseconds(), steps[3].Sub(steps[2]).Microseconds())
	}
	return nil
}

// TestHooksAndSaversAtOnce lets twenty processes write at once: none may fail
// and nothing may be missing.
func TestHooksAndSaversAtOnce(t *testing.T) {
	long := "5s"
	if testing.Short() {
		long = "1s"
	}
	if env := os.Getenv(loadEnv); env != "" {
		long = env
	}
	path := filepath.Join(t.TempDir(), "piton.db")
	var all []*child
	for i := range hooks {
		all = append(all, start(t, "hook", path, fmt.Sprint("client ", i), hookWait, long))
	}
	for i := range savers {
		all = append(all, start(t, "work", path, "", strconv.Itoa(i), hookWait, long, string(crashtest.Save)))
	}
	took := map[string][]int{}
	events := make([]int, hooks)
	var ledger crashtest.Ledger
	// Children write little; a pipe that waits to be read stops none for long.
	for i, c := range all {
		for c.out.Scan() {
			if i >= hooks && ledger.Read(c.out.Text()) {
				continue
			}
			var open, update, closing int
			if _, err := fmt.Sscan(c.out.Text(), &open, &update, &closing); err != nil {
				t.Fatalf("child %d: got %q: %v", i, c.out.Text(), err)
			}
			events[i]++
			took["open"], took["update"], took["close"] = append(took["open"], open), append(took["update"], update), append(took["close"], closing)
		}
		if err := c.wait(); err != nil {
			t.Errorf("child %d: got %v, want no error", i, err)
		}
	}
	s := open(t, path, sqlite.Options{})
	for i, want := range events {
		x, err := s.SessionByClient(t.Context(), "claude", fmt.Sprint("client ", i))
		if err != nil {
			t.Fatal(err)
		}
		var got int
		if err := s.DB.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM events WHERE session_id = $1`, x.ID).Scan(&got); err != nil || got != want || x.Turn != want {
			t.Errorf("hook %d: got %d events and %d turns, %v, want %d", i, got, x.Turn, err, want)
		}
	}
	if got := len(list(t, s)); got != ledger.Acknowledged {
		t.Errorf("got %d checkpoints, want the %d acknowledged", got, ledger.Acknowledged)
	}
	if err := crashtest.Verify(t.Context(), s, &ledger); err != nil {
		t.Error(err)
	}
	if err := sound(t.Context(), s); err != nil {
		t.Error(err)
	}
	took["save"] = ledger.Micros
	for _, step := range []string{"open", "update", "close", "save"} {
		t.Log(spread(step, took[step]))
	}
}

// list returns all checkpoints.
func list(t testing.TB, s store.Checkpoints) []piton.Checkpoint {
	t.Helper()
	page, err := s.List(t.Context(), piton.Query{})
	if err != nil {
		t.Fatal(err)
	}
	return page.Checkpoints
}

// spread describes how long something took.
func spread(what string, micros []int) string {
	if len(micros) == 0 {
		return what + ": none"
	}
	slices.Sort(micros)
	at := func(share float64) time.Duration {
		return time.Duration(micros[int(share*float64(len(micros)-1))]) * time.Microsecond
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d times, p50 %v, p99 %v, p99.9 %v, max %v", what, len(micros), at(0.5), at(0.99), at(0.999), at(1))
	return b.String()
}
