package postgres_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/testkit/crashtest"
	"github.com/piton-project/piton/internal/testkit/need"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// openChild opens each address it reads, saves once and closes again.
func openChild(ctx context.Context, _ []string) error {
	return lines(func(dsn string) string {
		s, err := postgres.Open(ctx, dsn, postgres.Options{Connect: time.Minute})
		if err != nil {
			return err.Error()
		}
		defer s.Close()
		if _, err := (history.Keeper{Store: s}).Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "first", State: []byte(`{}`)}}); err != nil {
			return err.Error()
		}
		return "ok"
	})
}

func TestFiveProcessesMakeTheStoreAtOnce(t *testing.T) {
	rounds := 5
	if testing.Short() {
		rounds = 2
	}
	var all []*child
	for range 5 {
		all = append(all, start(t, "open"))
	}
	for range rounds {
		dsn := pgtest.DSN(t)
		for _, c := range all {
			c.tell(t, dsn)
		}
		for _, c := range all {
			if got := c.hear(t); got != "ok" {
				t.Errorf("got %q, want ok", got)
			}
		}
		s := open(t, dsn)
		page, err := s.List(t.Context(), piton.Query{})
		if err != nil {
			t.Fatal(err)
		}
		var seqs []int64
		for _, c := range page.Checkpoints {
			seqs = append(seqs, c.Seq)
		}
		if len(seqs) != len(all) {
			t.Errorf("got %d checkpoints, want %d", len(seqs), len(all))
		}
		wantNumbers(t, "first", seqs)
	}
}

// workChild works on a store until it is killed. It takes an address, a folder
// for the archive, the kinds of work and a seed.
func workChild(ctx context.Context, args []string) error {
	seed, err := strconv.ParseUint(args[3], 10, 64)
	if err != nil {
		return err
	}
	s, err := postgres.Open(ctx, args[0], postgres.Options{Connect: time.Minute})
	if err != nil {
		return err
	}
	return crashtest.Child(ctx, s, args[1], crashtest.ParseMode(args[2]), seed, os.Stdout)
}

// TestNothingAcknowledgedIsLostByKill kills working processes at random
// moments, and the server under them, and looks for everything they had
// acknowledged.
func TestNothingAcknowledgedIsLostByKill(t *testing.T) {
	server := pgtest.Own(t)
	strikes := 0
	k := crashtest.Kills{
		Kills: need.Many(60, 2000), PerStore: 20, Savers: 1,
		New: server.Database,
		Command: func(address, cold string, m crashtest.Mode, seed uint64) *exec.Cmd {
			return command(t, "work", address, cold, m.String(), fmt.Sprint(seed))
		},
		Open: func(t testing.TB, address string) (store.Checkpoints, func()) {
			orphansGone(t, address)
			s, err := postgres.Open(t.Context(), address, postgres.Options{Connect: time.Minute})
			if err != nil {
				t.Fatalf("open: got %v, want no error", err)
			}
			return s, func() { s.Close() }
		},
		Strike: func(t testing.TB) func() {
			if strikes++; strikes%2 == 1 {
				server.Quit()
			} else {
				server.Kill()
			}
			return func() {
				if err := server.Start(); err != nil {
					t.Fatal(err)
				}
			}
		},
	}
	if testing.Short() {
		k.Kills = 20
	}
	k.Run(t, crashtest.All)
}

// orphansGone waits until the server has ended what killed children had asked
// of it: a commit that it was handed may land after its asker's death, between
// two looks.
func orphansGone(t testing.TB, address string) {
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	others := 0
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`).Scan(&others)
		if err != nil {
			t.Fatal(err)
		}
		if others == 0 {
			return
		}
	}
	t.Fatalf("%d sessions of killed children are still at work", others)
}
