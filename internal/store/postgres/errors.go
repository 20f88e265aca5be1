package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/piton-project/piton"
)

// notOurs is what to do about tables that are missing or of other columns.
const notOurs = "give the store a database or a schema of its own; if this is Piton's, its tables were changed: bring back a copy"

// errAgain marks what the same transaction may not meet a second time: a
// deadlock, a lost connection, a server that is just starting.
var errAgain = errors.New("the transaction was broken off")

// notBegun is a transaction that found no server: errAgain without its words,
// for nothing was broken off.
type notBegun struct{ error }

func (e notBegun) Is(target error) bool { return target == errAgain }
func (e notBegun) Unwrap() error        { return e.error }

// states gives PostgreSQL's error codes ours; a code of two letters stands for
// its class. https://www.postgresql.org/docs/current/errcodes-appendix.html
var states = map[string]struct {
	code  piton.Code
	hint  string
	again bool
}{
	"08":    {piton.Unavailable, "see that the server runs and can be reached, then try again", true},
	"0A000": {piton.Unavailable, "the tables have just been changed; try again", true}, // a cached plan
	"22021": {piton.Invalid, "take the bytes out that are not text, such as NUL", false},
	"22P05": {piton.Invalid, "take the characters out that the database cannot hold, such as NUL", false},
	"23505": {piton.Conflict, "the name is taken, or another process was first; look and try again", false},
	"25006": {piton.Unavailable, "the server, the database or the role only reads: give the address of the primary, or reset default_transaction_read_only", false},
	"25P03": {piton.Unavailable, "the transaction was left open too long; try again", true},
	"26000": {piton.Unavailable, "a connection pooler has mixed up sessions; let it pool sessions, or add default_query_exec_mode=exec to the address", true},
	"28":    {piton.Unavailable, "the server refuses the user or the password; correct the address, PGPASSWORD or ~/.pgpass", false},
	"3D000": {piton.Unavailable, "make the database with 'createdb', or correct the address", false},
	"3F000": {piton.Invalid, "make the schema, let the role use it (GRANT USAGE, CREATE), or correct search_path in the address", false},
	"40001": {piton.Unavailable, "others have changed the same rows; try again", true},
	"40P01": {piton.Unavailable, "others have locked the same rows; try again", true},
	"42703": {piton.Invalid, notOurs, false},
	"42P01": {piton.Invalid, notOurs, false},
	"42P07": {piton.Invalid, notOurs, false},
	"42501": {piton.Unavailable, "let the role create and use tables in the schema, or give another user", false},
	"53100": {piton.Unavailable, "free some space on the server and try again; nothing was written", false},
	"53300": {piton.Unavailable, "the server has too many connections; close some or raise max_connections, then try again", false},
	"53":    {piton.Unavailable, "the server is short of something; see its log", false},
	"55P03": {piton.Unavailable, "another process has held a lock for long: pg_stat_activity and pg_blocking_pids() name it; try again", false},
	"57014": {piton.Unavailable, "the server ended it, by statement_timeout or for somebody: raise that for the role, or try again", false},
	"57P":   {piton.Unavailable, "the server is being stopped or started; try again", true},
	"58":    {piton.Unavailable, "the server's disk has failed; see its log", false},
	"XX001": {piton.Corrupt, "the database is damaged: bring back a copy; 'verify' says what can still be read", false},
	"XX002": {piton.Corrupt, "an index is damaged: REINDEX it; 'verify' says what can still be read", false},
}

// dbError gives a database error its code and what to do next.
func dbError(op string, err error) error {
	var known *piton.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	if state := stateOf(err); state != "" {
		for _, s := range []string{state, state[:3], state[:2]} {
			if x, ok := states[s]; ok {
				if x.again {
					err = fmt.Errorf("%w: %w", errAgain, err)
				}
				return &piton.Error{Code: x.code, Op: op, Hint: x.hint, Err: err}
			}
		}
		return &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	var unreached *pgconn.ConnectError
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		hint := "it took too long; try again"
		if errors.As(err, &unreached) {
			hint = "the server does not answer: see that it runs and can be reached; for a slow line add connect_timeout=30 to the address"
		}
		return &piton.Error{Code: piton.Unavailable, Op: op, Hint: hint, Err: err}
	}
	if errors.As(err, &unreached) {
		return &piton.Error{Code: piton.Unavailable, Op: op, Hint: "see that the server runs and can be reached, then try again", Err: notBegun{err}}
	}
	if lost(err) {
		return &piton.Error{Code: piton.Unavailable, Op: op, Hint: "see that the server runs and can be reached, then try again", Err: fmt.Errorf("%w: %w", errAgain, err)}
	}
	return &piton.Error{Code: piton.Internal, Op: op, Err: err}
}

// stateOf is the server's code for what went wrong, "" where it said nothing.
func stateOf(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) && len(e.Code) == 5 {
		return e.Code
	}
	return ""
}

// lost tells whether a connection has broken.
func lost(err error) bool {
	var broken net.Error
	kinds := []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, pgconn.ErrConnClosed, driver.ErrBadConn, sql.ErrConnDone, sql.ErrTxDone}
	is := func(kind error) bool { return errors.Is(err, kind) }
	return errors.As(err, &broken) || pgconn.Timeout(err) || slices.ContainsFunc(kinds, is)
}

// doubt tells whether a commit that failed may have landed all the same: the
// server has not said no.
func doubt(err error) bool {
	if state := stateOf(err); state != "" {
		return state[:3] == "57P" || state[:2] == "08"
	}
	return !errors.Is(err, pgx.ErrTxCommitRollback) && !errors.Is(err, sql.ErrTxDone)
}
