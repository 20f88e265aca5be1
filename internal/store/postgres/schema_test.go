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
	for _, q := range []string{`CREATE TABLE piton_schema (version BIGINT NOT NULL, oldest_writer BIGINT NOT NULL)`, `INSERT INTO piton_schema VALUES (1, 1)`, migration(string(text))} {
		if _, err := c.Exec(t.Context(), q).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := schemaOf(t, pgtest.DSN(t)), schemaOf(t, dsn); got != want || want == "" {
		t.Errorf("a new database has\n%s\nwant, as migrations make it,\n%s", got, want)
	}
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
