package postgres

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/piton-project/piton"
)

// keepAlive is how long a connection is silent before it is asked.
const keepAlive = 15 * time.Second

// closing bounds how long the end of a connection takes.
const closing = 5 * time.Second

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

// settings is the statement that sets a new connection.
func settings(o Options) string { return fmt.Sprintf(session, o.wait().Milliseconds()) }

// fits looks at what the server has said of itself.
func fits(pg *pgconn.PgConn) error {
	const op = "open the store"
	version := pg.ParameterStatus("server_version")
	number, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(number); err == nil && n < oldest {
		return piton.Errorf(piton.Invalid, op, fmt.Sprintf("use PostgreSQL %d or newer", oldest), "the server is PostgreSQL %s", version)
	}
	if got := pg.ParameterStatus("server_encoding"); got != "UTF8" {
		return piton.Errorf(piton.Invalid, op, "make the database with ENCODING 'UTF8'", "the database is encoded in %s", got)
	}
	return nil
}
