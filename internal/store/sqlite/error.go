package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/ncruces/go-sqlite3"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

// damageHint is what to do with a damaged file.
const damageHint = "run 'repair': it writes what can still be read to a new file, and leaves this one as it is"

// notStoreHint is what to do with a file that does not begin as a SQLite file does.
const notStoreHint = "run 'repair' if it was a store: it writes what can still be read to a new file, and leaves this one as it is; else name another store: 'store STORE' or PITON_STORE"

// damageOf says in an error about damage which file is damaged, in the place of
// what SQLite was doing when it noticed.
func damageOf(path string, err error) error {
	var e *piton.Error
	if !errors.As(err, &e) || e.Code != piton.Corrupt || e.Hint != damageHint {
		return err
	}
	var known *damage
	if errors.As(e.Err, &known) {
		return err
	}
	op, hint := strings.TrimSuffix(e.Op, " "+path), e.Hint // the path is named below
	if errors.Is(e.Err, sqlite3.NOTADB) {
		hint = notStoreHint
	}
	return &piton.Error{Code: piton.Corrupt, Op: op, Hint: hint, Err: &damage{path, e.Err}}
}

// damage is an error about damage in the words of SQLite alone, without those
// of the driver about what it was doing.
type damage struct {
	name string
	err  error
}

func (d *damage) Error() string {
	if errors.Is(d.err, sqlite3.NOTADB) {
		return d.name + " is not an SQLite file, or its beginning is damaged"
	}
	text := d.err.Error()
	if i := strings.LastIndex(text, "sqlite3: "); i >= 0 {
		text = text[i+len("sqlite3: "):]
	}
	return d.name + " is damaged (" + text + ")"
}

func (d *damage) Unwrap() error { return d.err }

// errBusy marks what another process's lock caused.
var errBusy = localfs.ErrBusy

// dbError gives a database error its code and what to do next.
func dbError(op string, err error) error {
	var known *piton.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	wrap := func(code piton.Code, hint string, err error) error {
		return &piton.Error{Code: code, Op: op, Hint: hint, Err: err}
	}
	switch {
	case errors.Is(err, errBusy):
		return wrap(piton.Unavailable, "another process holds it for long; try again", err)
	case errors.Is(err, sqlite3.BUSY), errors.Is(err, sqlite3.LOCKED), errors.Is(err, sqlite3.PROTOCOL):
		return wrap(piton.Unavailable, "another process holds it for long; try again", fmt.Errorf("%w (%w)", errBusy, err))
	case damaged(err):
		return wrap(piton.Corrupt, damageHint, err)
	case full(err):
		return noRoom(op, err)
	case errors.Is(err, sqlite3.READONLY):
		return wrap(piton.Unavailable, "it is open for reading: see that the disk has room, and that the file and its folder can be written", err)
	case errors.Is(err, sqlite3.CANTOPEN), errors.Is(err, sqlite3.PERM), errors.Is(err, sqlite3.IOERR):
		return wrap(piton.Unavailable, "see that the file and its folder can be written, and that the disk is not full", err)
	case errors.Is(err, sqlite3.CONSTRAINT_UNIQUE):
		return wrap(piton.Conflict, "the name is taken, or another process was first; look and try again", err)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.Is(err, sqlite3.INTERRUPT):
		return wrap(piton.Unavailable, "it took too long; try again", err)
	}
	return wrap(piton.Internal, "", err)
}

// damaged tells whether an error can only come of damaged bytes. Piton's SQL
// is fixed: where it names no table, no column or no number there is, the
// schema or a counter is damaged. Of the full-text index's own complaints that
// cannot be said.
func damaged(err error) bool {
	for _, code := range []error{
		sqlite3.CORRUPT, sqlite3.NOTADB, sqlite3.IOERR_CORRUPTFS, sqlite3.SCHEMA, sqlite3.TOOBIG, sqlite3.MISMATCH, sqlite3.FORMAT,
		sqlite3.CONSTRAINT_PRIMARYKEY, sqlite3.CONSTRAINT_ROWID, sqlite3.CONSTRAINT_NOTNULL, sqlite3.CONSTRAINT_DATATYPE,
	} {
		if errors.Is(err, code) {
			return true
		}
	}
	return errors.Is(err, sqlite3.ERROR) && !strings.Contains(err.Error(), "fts5:")
}

// minRoom is how many free bytes a failed write is not put down to a full
// disk with: the driver does not tell why a write failed.
const minRoom = 1 << 20

// full tells whether an error says that there is no room.
func full(err error) bool {
	kinds := []error{sqlite3.FULL, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
}

func noRoom(op string, err error) error { return localfs.NoRoom(op, err) }

// openError gives an error of the file system its code.
func openError(op, path string, err error) error {
	if full(err) {
		return noRoom(op, err)
	}
	return localfs.Unusable(op, path, err)
}
