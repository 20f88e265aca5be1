package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// TestServerRestartedBetweenTwoSaves stops and starts the server, in order and
// at once: the next load and save go on over new connections.
func TestServerRestartedBetweenTwoSaves(t *testing.T) {
	c := pgtest.Own(t)
	s := open(t, c.DSN("postgres"))
	flow := workflow(t, s)
	for round := range 3 {
		id := mustSave(t, s, prepared(flow, `{"a":1}`)).ID
		c.Stop()
		if round == 0 {
			_, err := save(t, s, prepared(flow, `{"lost":1}`))
			wantError(t, err, piton.Unavailable)
			_, err = s.State(t.Context(), id)
			wantError(t, err, piton.Unavailable)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if round != 1 {
			if got, err := s.State(t.Context(), id); err != nil || string(got) != `{"a":1}` {
				t.Errorf("load after a restart: got %q, %v", got, err)
			}
		}
		if c := mustSave(t, s, prepared(flow, `{"b":1}`)); c.Seq != int64(2*round+2) {
			t.Errorf("save after a restart: got the number %d, want %d", c.Seq, 2*round+2)
		}
	}
	wantSound(t, s)
}

// TestKilledConnections ends the saver's connections at any moment: each save
// lands or fails with a code, and what was acknowledged is there, once.
func TestKilledConnections(t *testing.T) {
	dsn := pgtest.DSN(t)
	s := open(t, dsn)
	flow := workflow(t, s)
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	rounds := 60
	if testing.Short() {
		rounds = 20
	}
	end, killed := make(chan bool), make(chan error, 1)
	go func() {
		for {
			select {
			case <-end:
				killed <- nil
				return
			default:
			}
			if _, err := conn.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'piton' AND random() < 0.05`); err != nil {
				killed <- err
				return
			}
		}
	}()
	landed := map[string]bool{}
	for i := range rounds {
		p := prepared(flow, string(words(uint64(i), 500)))
		_, err := save(t, s, p)
		if err != nil && piton.CodeOf(err) != piton.Unavailable {
			t.Errorf("got %v, want unavailable at worst", err)
		}
		landed[p.Record.ID] = err == nil
	}
	close(end)
	if err := <-killed; err != nil {
		t.Fatal(err)
	}
	page, err := s.List(t.Context(), piton.Query{})
	for range 10 { // the pool may hold connections that were killed last; a read is not tried again
		if piton.CodeOf(err) == piton.Unavailable {
			page, err = s.List(t.Context(), piton.Query{})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	var seqs []int64
	for _, c := range page.Checkpoints {
		seqs = append(seqs, c.Seq)
		delete(landed, c.ID)
	}
	for id, acknowledged := range landed {
		if acknowledged {
			t.Errorf("%s was acknowledged and is not there", id)
		}
	}
	wantNumbers(t, flow, seqs)
	wantSound(t, s)
	t.Logf("%d of %d saves landed", len(seqs), rounds)
}

// wire stands between a store and its server, and cuts connections at the
// commit of its choice: before the server hears of it, or after, so that only
// the answer is lost.
type wire struct {
	dir  string
	mu   sync.Mutex
	cut  string // "", "before", "after"
	cuts int
}

func newWire(t *testing.T, server string) *wire {
	t.Helper()
	w := &wire{dir: t.TempDir()}
	l, err := net.Listen("unix", filepath.Join(w.dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("unix", filepath.Join(server, ".s.PGSQL.5432"))
			if err != nil {
				client.Close()
				continue
			}
			go w.carry(client, to)
		}
	}()
	return w
}

// next tells how the next commit is cut.
func (w *wire) next(how string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = how
}

func (w *wire) due() (how string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	how, w.cut = w.cut, ""
	if how != "" {
		w.cuts++
	}
	return how
}

func (w *wire) carry(client, server net.Conn) {
	var mu sync.Mutex
	mute := false
	go func() {
		b := make([]byte, 1<<16)
		for {
			n, err := server.Read(b)
			mu.Lock()
			quiet := mute
			mu.Unlock()
			if err != nil || quiet {
				client.Close() // the answer to the commit is here, and goes no further
				server.Close()
				return
			}
			client.Write(b[:n])
		}
	}()
	b := make([]byte, 1<<16)
	for {
		n, err := client.Read(b)
		if err != nil {
			server.Close()
			return
		}
		if bytes.Contains(b[:n], []byte("commit\x00")) {
			switch w.due() {
			case "before":
				client.Close()
				server.Close()
				return
			case "after":
				mu.Lock()
				mute = true
				mu.Unlock()
			}
		}
		if _, err := server.Write(b[:n]); err != nil {
			io.Copy(io.Discard, client)
			return
		}
	}
}

// TestCommitWhoseAnswerIsLost cuts the connection around the commit. Landed or
// not, the save is there once, and the caller is told the truth.
func TestCommitWhoseAnswerIsLost(t *testing.T) {
	dsn := pgtest.DSN(t)
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	w := newWire(t, cfg.Host)
	through := "postgres://piton@/" + cfg.Database + "?host=" + w.dir
	s, err := postgres.Open(t.Context(), through, postgres.Options{Wait: time.Minute, Connect: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	flow := workflow(t, s)
	for i := range 6 {
		how := []string{"before", "after"}[i%2]
		w.next(how)
		c, err := save(t, s, prepared(flow, fmt.Sprintf(`{"n":%d}`, i)))
		if err != nil || c.Seq != int64(i)+1 {
			t.Fatalf("cut %s the commit: got the number %d, %v, want %d and no error", how, c.Seq, err, i+1)
		}
	}
	if w.cuts != 6 {
		t.Errorf("got %d commits cut, want 6", w.cuts)
	}
	page, err := s.List(t.Context(), piton.Query{})
	if err != nil || len(page.Checkpoints) != 6 {
		t.Errorf("got %d checkpoints, %v, want each of 6 once", len(page.Checkpoints), err)
	}
	// What leaves no checkpoint to look for is not tried again.
	w.next("after")
	err = s.Save(t.Context(), func(tx store.Tx) error {
		return tx.Count(t.Context(), piton.At(time.Now()), "", store.Counted{Name: "counted", N: 1})
	})
	wantError(t, err, piton.Unavailable)
	if got := text(t, s, `SELECT value::text FROM counters WHERE name LIKE '%counted'`); got != "1" {
		t.Errorf("counted: got %s, want 1", got)
	}
	wantSound(t, s)
}
