package postgres

import (
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// TestSchemaIsThatOfAllMigrations: a new database has the columns and indexes of one that
// the first program made and this one has migrated.
func TestSchemaIsThatOfAllMigrations(t *testing.T) {
	dsn := firstSchema(t)
	if got, want := schemaOf(t, pgtest.DSN(t)), schemaOf(t, dsn); got != want || want == "" {
		t.Errorf("a new database has\n%s\nwant, as migrations make it,\n%s", got, want)
	}
}

// TestNumbersGoOn: a store that counted in a row goes on behind its last numbers, also
// behind those that nothing has any more.
func TestNumbersGoOn(t *testing.T) {
	dsn := firstSchema(t, `UPDATE counters SET value = 41 WHERE name = 'ordinal'`, `INSERT INTO events (at, kind, session_id, project, workflow_id, checkpoint_id, data)
		SELECT n, 'x', '', '', '', '', '' FROM generate_series(1, 7) AS n`, `DELETE FROM events WHERE id > 5`)
	s, err := Open(t.Context(), dsn, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for sequence, want := range map[string]int64{"checkpoint_numbers": 42, "event_numbers": 8} {
		var last, got int64
		if err := s.DB.QueryRowContext(t.Context(), `SELECT piton_settled($1::text::regclass)`, sequence).Scan(&last); err != nil {
			t.Fatal(err)
		}
		if err := s.DB.QueryRowContext(t.Context(), `SELECT piton_next($1::text::regclass)`, sequence).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if last != want-1 || got != want {
			t.Errorf("%s: got %d behind %d, want %d", sequence, got, last, want)
		}
	}
	if events, err := s.Events(t.Context(), 0, 10); err != nil || len(events) != 5 {
		t.Errorf("got %d events, %v, want the five that are left", len(events), err)
	}
}

// firstSchema makes a database as the first program made it, runs more in it, and returns
// its address.
func firstSchema(t *testing.T, more ...string) string {
	t.Helper()
	text, err := os.ReadFile("../sqlstore/migrations/001_first.sql")
	if err != nil {
		t.Fatal(err)
	}
	dsn := pgtest.DSN(t)
	c, err := pgconn.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	for _, q := range append([]string{`CREATE TABLE piton_schema (version BIGINT NOT NULL, oldest_writer BIGINT NOT NULL)`, `INSERT INTO piton_schema VALUES (1, 1)`, migration(string(text))}, more...) {
		if _, err := c.Exec(t.Context(), q).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	return dsn
}

// schemaOf is what PostgreSQL keeps of a store's columns and indexes, a line each, and its
// counters.
func schemaOf(t *testing.T, dsn string) string {
	t.Helper()
	s, err := Open(t.Context(), dsn, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, err := s.DB.QueryContext(t.Context(), `
		SELECT concat_ws(' ', table_name, ordinal_position, column_name, data_type, is_nullable, column_default, collation_name, is_identity) AS line FROM information_schema.columns WHERE table_schema = current_schema()
		UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()
		UNION ALL SELECT concat_ws(' ', name, value) FROM counters ORDER BY line`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
