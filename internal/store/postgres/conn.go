package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/piton-project/piton"
)

// keepAlive is how long a connection is silent before it is asked.
const keepAlive = 15 * time.Second

// oldest is the oldest PostgreSQL that can say what became of a transaction in
// the words used here.
const oldest = 13

// session is what every connection of ours is set to. A commit is an answer
// only once it is on the disk, whatever the server's or the role's default; a
// stricter setting stays. A statement sees what others have committed before
// it, which the locks rely on. A machine that dies inside a transaction must
// not keep its rows locked for hours.
const session = `SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
	set_config('default_transaction_isolation', 'read committed', false),
	set_config('idle_in_transaction_session_timeout', '60000', false),
	set_config('lock_timeout', '%d', false)`

// prepare makes a new connection ready, or refuses its server.
func prepare(o Options) func(context.Context, *pgx.Conn) error {
	return func(ctx context.Context, conn *pgx.Conn) error {
		err := fits(conn)
		if err == nil {
			_, err = conn.PgConn().Exec(ctx, fmt.Sprintf(session, o.wait().Milliseconds())).ReadAll()
		}
		if err != nil {
			conn.Close(ctx) // the pool does not know it yet
		}
		return err
	}
}

// fits looks at what the server has said of itself.
func fits(conn *pgx.Conn) error {
	const op = "open the store"
	version := conn.PgConn().ParameterStatus("server_version")
	number, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(number); err == nil && n < oldest {
		return piton.Errorf(piton.Invalid, op, fmt.Sprintf("use PostgreSQL %d or newer", oldest), "the server is PostgreSQL %s", version)
	}
	if got := conn.PgConn().ParameterStatus("server_encoding"); got != "UTF8" {
		return piton.Errorf(piton.Invalid, op, "make the database with ENCODING 'UTF8'", "the database is encoded in %s", got)
	}
	return nil
}

// suspect tells whether a pooled connection is asked before it is used again:
// after a second of rest, and at once when the server has hung up or said
// something unasked, as a server that is stopped does.
func suspect(_ context.Context, p stdlib.ShouldPingParams) bool {
	return p.IdleDuration > time.Second || stirred(p.Conn.PgConn().Conn())
}
