package postgres_test

import (
	"io"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// hanging stands between a store and its server. While it is stopped connections
// are taken and stay open, and nothing goes through.
type hanging struct {
	mu    sync.Mutex
	moves *sync.Cond
	still bool
	conns int
}

func (h *hanging) stop(still bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.still = still
	h.moves.Broadcast()
}

func (h *hanging) wait() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.still {
		h.moves.Wait()
	}
}

func (h *hanging) carry(to, from net.Conn) {
	defer to.Close()
	b := make([]byte, 1<<16)
	for {
		n, err := from.Read(b)
		h.wait()
		if err != nil {
			return
		}
		if _, err := to.Write(b[:n]); err != nil {
			io.Copy(io.Discard, from)
			return
		}
	}
}

// through opens a store behind something that can hang.
func through(t *testing.T) (*hanging, string) {
	t.Helper()
	cfg, err := pgx.ParseConfig(pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	h := &hanging{}
	h.moves = sync.NewCond(&h.mu)
	t.Cleanup(func() { l.Close(); h.stop(false) })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", filepath.Join(cfg.Host, ".s.PGSQL.5432"))
			if err != nil {
				client.Close()
				continue
			}
			h.mu.Lock()
			h.conns++
			h.mu.Unlock()
			go h.carry(server, client)
			go h.carry(client, server)
		}
	}()
	return h, "postgres://piton@/" + cfg.Database + "?host=" + dir
}

// TestServerThatHangs lets a server stop answering without closing anything. What
// waits ends with an error, and after it the store works again.
func TestServerThatHangs(t *testing.T) {
	h, dsn := through(t)
	s, err := postgres.Open(t.Context(), dsn, postgres.Options{Wait: 50 * time.Millisecond, Connect: time.Second, Silence: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	flow := workflow(t, s)
	first := mustSave(t, s, prepared(flow, `{"n":1}`))
	h.stop(true)
	_, err = save(t, s, prepared(flow, `{"n":2}`))
	wantError(t, err, piton.Unavailable)
	_, err = s.State(t.Context(), first.ID)
	wantError(t, err, piton.Unavailable)
	h.stop(false)
	// Waiting for what was held up could find the first save in doubt or not at all.
	if c := mustSave(t, s, prepared(flow, `{"n":3}`)); c.Seq != 2 && c.Seq != 3 {
		t.Errorf("the server answers again: got the number %d, want 2, or 3 where the save in between has landed", c.Seq)
	}
	wantSound(t, s)
}

// TestSlowStatement lets a statement take many times the silence after which the
// server is asked whether it is there: it goes on.
func TestSlowStatement(t *testing.T) {
	h, dsn := through(t)
	s, err := postgres.Open(t.Context(), dsn, postgres.Options{Silence: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var asked int
	if err := s.DB.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM (SELECT pg_sleep(0.3)) x`).Scan(&asked); err != nil || asked != 1 {
		t.Errorf("a statement that takes 0.3 s: got %d, %v, want 1", asked, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conns < 2 {
		t.Errorf("got %d connections, want more: the server is asked whether it is there", h.conns)
	}
}
