package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// wantError fails unless err has the code, and a hint.
func wantError(t testing.TB, err error, want piton.Code) {
	t.Helper()
	if got := piton.CodeOf(err); got != want {
		t.Fatalf("got %q (%v), want %q", got, err, want)
	}
	var e *piton.Error
	if errors.As(err, &e) && e.Hint == "" {
		t.Errorf("%v: got no hint, want one", err)
	}
}

// silent is a server that takes connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return filepath.Dir(l.Addr().String())
}

// TestWrongAddresses gives a wrong address of every kind: a typed error with a
// hint, soon, and the password in none of its words.
func TestWrongAddresses(t *testing.T) {
	dsn := pgtest.DSN(t)
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, dsn)
	run(t, s, `CREATE ROLE locked LOGIN PASSWORD 'right'`)
	t.Cleanup(func() { s.DB.ExecContext(context.Background(), `DROP ROLE locked`) })
	const password = "hunter2secret"
	at := func(host string) string { return "?host=" + host }
	for name, c := range map[string]struct {
		dsn  string
		want piton.Code
	}{
		"no address":            {"%", piton.Invalid},
		"wrong port":            {"postgres://me:" + password + "@localhost:port/db", piton.Invalid},
		"wrong escape":          {"postgres://me:%zz" + password + "@localhost/db", piton.Invalid},
		"slash in the password": {"postgres://me:a/" + password + "@localhost:5x/db", piton.Invalid},
		"wrong option":          {"postgres://me:" + password + "@localhost/db?sslmode=maybe", piton.Invalid},
		"words":                 {"host=localhost port=no password=" + password, piton.Invalid},
		"nobody listens":        {"postgres://me:" + password + "@127.0.0.1:1/db", piton.Unavailable},
		"no socket":             {"postgres://me:" + password + "@/db" + at(t.TempDir()), piton.Unavailable},
		"silence":               {"postgres://me:" + password + "@/db" + at(silent(t)), piton.Unavailable},
		"no such database":      {"postgres://piton:" + password + "@/nowhere" + at(cfg.Host), piton.Unavailable},
		"no such user":          {"postgres://nobody:" + password + "@/postgres" + at(cfg.Host), piton.Unavailable},
		"wrong password":        {"postgres://locked:" + password + "@/postgres" + at(cfg.Host), piton.Unavailable},
		"no right":              {"postgres://locked:right@/postgres" + at(cfg.Host), piton.Unavailable},
		"no such schema":        {dsn + "&search_path=nowhere", piton.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			connect := time.Minute
			if name == "silence" {
				connect = 100 * time.Millisecond
			}
			s, err := postgres.Open(t.Context(), c.dsn, postgres.Options{Connect: connect})
			if err == nil {
				s.Close()
			}
			wantError(t, err, c.want)
			var e *piton.Error
			errors.As(err, &e)
			for _, words := range []string{err.Error(), e.Op, e.Hint, fmt.Sprintf("%+v", err)} {
				if strings.Contains(words, password) || strings.Contains(words, "right@") {
					t.Errorf("got the password in %q", words)
				}
			}
		})
	}
}

func TestNewerSchemaThatWantsNewerWritersIsRefused(t *testing.T) {
	dsn := pgtest.DSN(t)
	s := open(t, dsn)
	run(t, s, `UPDATE piton_schema SET version = $1, oldest_writer = $1`, sqlstore.SchemaVersion+3)
	_, err := postgres.Open(t.Context(), dsn, postgres.Options{Connect: time.Minute})
	wantError(t, err, piton.Invalid)
	run(t, s, `UPDATE piton_schema SET oldest_writer = 1`)
	id := mustSave(t, open(t, dsn), prepared(workflow(t, s), `{}`)).ID
	if _, err := s.State(t.Context(), id); err != nil {
		t.Error(err)
	}
}

func TestDatabaseOfAnotherProgramIsNotTouched(t *testing.T) {
	dsn := pgtest.DSN(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	for _, q := range []string{`CREATE TABLE sessions (id INT)`, `CREATE SCHEMA own`} {
		if _, err := conn.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	_, err = postgres.Open(t.Context(), dsn, postgres.Options{Connect: time.Minute})
	wantError(t, err, piton.Invalid)
	_, err = postgres.Open(t.Context(), dsn, postgres.Options{Existing: true, Connect: time.Minute})
	wantError(t, err, piton.NotFound)
	var n int
	if err := conn.QueryRow(t.Context(), `SELECT COUNT(*) FROM pg_tables WHERE schemaname IN ('public', 'own')`).Scan(&n); err != nil || n != 1 {
		t.Errorf("got %d tables, %v, want the one that was there", n, err)
	}
	// A schema of its own beside it will do.
	s := open(t, dsn+"&search_path=own")
	id := mustSave(t, s, prepared(workflow(t, s), `{}`)).ID
	if _, err := s.State(t.Context(), id); err != nil {
		t.Error(err)
	}
	wantSound(t, s)
}

func TestDatabaseThatIsNotInUTF8IsRefused(t *testing.T) {
	s := open(t, pgtest.DSN(t))
	cfg, err := pgx.ParseConfig(pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	run(t, s, `CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`)
	t.Cleanup(func() { s.DB.ExecContext(context.Background(), `DROP DATABASE latin WITH (FORCE)`) })
	_, err = postgres.Open(t.Context(), "postgres://piton@/latin?host="+cfg.Host, postgres.Options{Connect: time.Minute})
	wantError(t, err, piton.Invalid)
}

func TestEverySessionIsSafe(t *testing.T) {
	dsn := pgtest.DSN(t)
	run(t, open(t, dsn), `ALTER ROLE piton SET synchronous_commit = off`)
	t.Cleanup(func() {
		conn, err := pgx.Connect(context.Background(), dsn)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close(context.Background())
		if _, err := conn.Exec(context.Background(), `ALTER ROLE piton RESET synchronous_commit`); err != nil {
			t.Error(err)
		}
	})
	s := open(t, dsn+"&default_transaction_isolation=serializable")
	for setting, want := range map[string]string{
		"synchronous_commit": "on", "default_transaction_isolation": "read committed", "lock_timeout": "10s", "idle_in_transaction_session_timeout": "1min",
	} {
		if got := text(t, s, `SELECT current_setting($1)`, setting); got != want {
			t.Errorf("%s: got %q, want %q", setting, got, want)
		}
	}
	strict := open(t, dsn+"&synchronous_commit=remote_apply")
	if got := text(t, strict, `SHOW synchronous_commit`); got != "remote_apply" {
		t.Errorf("a stricter setting: got %q, want it kept", got)
	}
}

func TestShown(t *testing.T) {
	for _, c := range []struct{ name, dsn, want string }{
		{"a password", "postgres://me:hunter2@h:5433/db", "postgres://me@h:5433/db"},
		{"one in the query", "postgres://me@h/db?password=hunter2", "postgres://me@h:5432/db"},
		{"no address", "postgres://me:hunter2@h:port/db", ""},
	} {
		if got := postgres.Shown(c.dsn); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
