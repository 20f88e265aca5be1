package sqlite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/piton-project/piton/crashtest"
	"github.com/piton-project/piton/sqlite"
	"github.com/piton-project/piton/sqlstore"
)

// Kills of the full run and of -short; every killsPerStore a new store begins,
// so that a first open is among what is killed.
const (
	kills         = 200
	shortKills    = 20
	killsPerStore = 20
)

// workChild works on a store until it is killed, or for a time. It takes a
// path, a seed, how long to wait for locks, the time, and the kinds of work.
func workChild(ctx context.Context, args []string) error {
	seed, err := strconv.ParseUint(args[1], 10, 64)
	if err != nil {
		return err
	}
	wait, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	long, err := time.ParseDuration(args[3])
	if err != nil {
		return err
	}
	s, err := sqlite.Open(ctx, args[0], sqlite.Options{Wait: wait})
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	return crashtest.Child(ctx, s, crashtest.ParseMode(args[4]), seed, os.Stdout)
}

// sound fails unless SQLite finds the file whole and as it was made.
func sound(ctx context.Context, s *sqlstore.Store) error {
	for pragma, want := range map[string]string{"integrity_check": "ok", "foreign_key_check": "", "auto_vacuum": "2", "journal_mode": "wal"} {
		var got string
		if err := s.DB.QueryRowContext(ctx, `PRAGMA `+pragma).Scan(&got); got != want {
			return fmt.Errorf("%s: got %q, %v, want %q", pragma, got, err, want)
		}
	}
	return nil
}

// TestNothingAcknowledgedIsLostByKill kills a working process at random
// moments and looks for everything it had acknowledged.
func TestNothingAcknowledgedIsLostByKill(t *testing.T) {
	for name, mode := range map[string]crashtest.Mode{"saves": {crashtest.Save}, "all": crashtest.All} {
		t.Run(name, func(t *testing.T) { killed(t, mode) })
	}
}

func killed(t *testing.T, mode crashtest.Mode) {
	n := kills
	if testing.Short() {
		n = shortKills
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	dir, silent := t.TempDir(), 0
	var total crashtest.Ledger
	var path string
	var ledger *crashtest.Ledger
	for kill := range n {
		if kill%killsPerStore == 0 {
			path, ledger = filepath.Join(dir, fmt.Sprint(kill), "piton.db"), &crashtest.Ledger{}
		}
		c := start(t, "work", path, fmt.Sprint(kill), "10s", "1h", mode.String())
		before := *ledger
		// Some are killed while they open, the others some time after one of
		// the first things they said.
		if kill%5 != 0 {
			for range 1 + rnd.IntN(20) {
				if line := c.hear(t); !ledger.Read(line) {
					t.Fatalf("got %q, want something acknowledged", line)
				}
			}
			time.Sleep(time.Duration(rnd.IntN(4000)) * time.Microsecond)
		} else {
			time.Sleep(time.Duration(rnd.IntN(60000)) * time.Microsecond)
		}
		c.Process.Kill()
		for c.out.Scan() {
			ledger.Read(c.out.Text())
		}
		c.wait()
		if c.stderr.Len() > 0 {
			t.Fatalf("kill %d: the child failed by itself: %s", kill, &c.stderr)
		}
		if ledger.Acknowledged == before.Acknowledged {
			silent++
		}
		s := open(t, path, sqlite.Options{})
		if err := crashtest.Verify(t.Context(), s, ledger); err != nil {
			t.Fatalf("kill %d: %v", kill, err)
		}
		if err := sound(t.Context(), s); err != nil {
			t.Fatalf("kill %d: %v", kill, err)
		}
		s.Close()
		total.Acknowledged += ledger.Acknowledged - before.Acknowledged
		total.Deleted += ledger.Deleted - before.Deleted
		total.Archived += ledger.Archived - before.Archived
		total.InDoubt += ledger.InDoubt - before.InDoubt
	}
	t.Logf("%d kills, %d of them before a first save; %d checkpoints acknowledged, %d of them deleted, %d archived, %d jobs cut off; lost: 0",
		n, silent, total.Acknowledged, total.Deleted, total.Archived, total.InDoubt)
}
