package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/crashtest"
	"github.com/piton-project/piton/internal/testkit/need"
)

// workChild works on a store until it is killed, or for a time. It takes a
// path, a folder for the archive, a seed, how long to wait for locks, the time,
// and the kinds of work.
func workChild(ctx context.Context, args []string) error {
	seed, err := strconv.ParseUint(args[2], 10, 64)
	if err != nil {
		return err
	}
	wait, err := time.ParseDuration(args[3])
	if err != nil {
		return err
	}
	long, err := time.ParseDuration(args[4])
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
	return crashtest.Child(ctx, s, args[1], crashtest.ParseMode(args[5]), seed, os.Stdout)
}

// sound fails unless SQLite finds the file whole and as it was made.
func sound(ctx context.Context, s *sqlstore.Store) error {
	// A file that was cut off while it was made is mended here.
	if _, err := s.Reclaim(ctx, nil); err != nil {
		return err
	}
	for pragma, want := range map[string]string{"integrity_check": "ok", "foreign_key_check": "", "auto_vacuum": "2", "journal_mode": "wal"} {
		var got string
		if err := s.DB.QueryRowContext(ctx, `PRAGMA `+pragma).Scan(&got); got != want {
			return fmt.Errorf("%s: got %q, %v, want %q", pragma, got, err, want)
		}
	}
	return nil
}

// TestNothingAcknowledgedIsLostByKill kills working processes at random
// moments and looks for everything they had acknowledged.
func TestNothingAcknowledgedIsLostByKill(t *testing.T) {
	k := crashtest.Kills{
		Kills: need.Many(60, 2000), PerStore: 20, Savers: 1,
		New: func(t testing.TB) string { return filepath.Join(t.TempDir(), "made by the child", "piton.db") },
		Command: func(address, cold string, m crashtest.Mode, seed uint64) *exec.Cmd {
			return command(t, "work", address, cold, fmt.Sprint(seed), "10s", "1h", m.String())
		},
		Open: func(t testing.TB, address string) (store.Checkpoints, func()) {
			s := open(t, address, sqlite.Options{})
			return s, func() { s.Close() }
		},
		Sound: func(ctx context.Context, s store.Checkpoints) error { return sound(ctx, s.(*sqlstore.Store)) },
	}
	if testing.Short() {
		k.Kills = 20
	}
	k.Run(t, crashtest.All)
}
