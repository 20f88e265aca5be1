// Package keep takes marks of work trees and keeps them: in one SQLite file of its own in PITON_HOME,
// which holds each content once. Nothing of it is exported, sent, or copied to another store.
package keep

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/store/localfs"
)

// File is the store's name in PITON_HOME.
const File = "marks.db"

// schema is made once. A manifest is the list of a mark's files, as a blob, because most marks have the
// one of the mark before. blob.at is when it was written: one that no mark names yet may belong to a
// mark that is being taken. turn is of prompts; info is what nobody asks for by.
const schema = `
create table if not exists blob(id integer primary key, sum text not null unique, size integer not null, at integer not null, data blob not null);
create table if not exists mark(id text primary key, root text not null, at integer not null, kind text not null, whole integer not null, client text not null, call text not null,
  turn integer not null, name text not null, checkpoint text not null, info text not null, manifest text not null, looked_at integer not null, lefts text not null);
create index if not exists mark_root on mark(root, at);
create index if not exists mark_client on mark(client, at);
pragma user_version = 1;`

// version is the schema's.
const version = 1

// Store is the file of marks. One goroutine uses it at a time.
type Store struct {
	db    *sqlite3.Conn
	path  string
	stmts map[string]*sqlite3.Stmt
	last  mark.Mark // that was read last as such
	// Aside names the damaged file that was put aside for a new one; "" in all other cases.
	Aside string
}

// Open opens the store in PITON_HOME. Where there is none it is made, unless existing says that one
// is only looked for: then the error is NotFound. A damaged one is put aside. Invalid: it is too new.
func Open(home string, wait time.Duration, existing bool) (*Store, error) {
	path := filepath.Join(home, File)
	info, err := os.Lstat(path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case missing && existing:
		return nil, piton.Errorf(piton.NotFound, "open the marks", "none has been taken yet", "there is no %s", path)
	case err == nil && !info.Mode().IsRegular():
		return nil, piton.Errorf(piton.Invalid, "open the marks", "look at it and who has put it there, then move it away", "%s is not a regular file", path)
	case missing:
		if err := makeFile(path); err != nil {
			return nil, openError(path, err)
		}
	}
	s, err := open(path, wait)
	damaged := errors.Is(err, sqlite3.NOTADB) || errors.Is(err, sqlite3.CORRUPT)
	if !damaged {
		return s, openError(path, err)
	}
	aside := fmt.Sprintf("%s.damaged-%d", path, time.Now().Unix())
	if existing || os.Rename(path, aside) != nil {
		return nil, piton.Errorf(piton.Corrupt, "open the marks", "the next hook puts it aside and begins a new one", "%s is damaged", path)
	}
	if s, err = Open(home, wait, false); err == nil {
		s.Aside = aside
	}
	return s, err
}

// makeFile makes the file for its owner alone.
func makeFile(path string) error {
	if err := localfs.MakeDir(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = f.Close()
	}
	return err
}

func openError(path string, err error) error {
	var e *piton.Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	return &piton.Error{Code: piton.Unavailable, Op: "open the marks", Hint: "see that " + path + " can be read and written", Err: err}
}

func open(path string, wait time.Duration) (*Store, error) {
	mode := url.Values{"modeof": {path}} // of what SQLite keeps beside it
	db, err := sqlite3.Open((&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: mode.Encode()}).String())
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, path: path, stmts: map[string]*sqlite3.Stmt{}}
	if err = s.prepare(wait); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// prepare makes the schema where it is missing. SQLite's default journal suits who writes once and
// ends: a log would be written twice.
func (s *Store) prepare(wait time.Duration) error {
	if err := errors.Join(s.db.BusyTimeout(wait), s.db.Exec("pragma journal_mode=truncate; pragma synchronous=full; pragma fullfsync=1; pragma trusted_schema=0")); err != nil {
		return err
	}
	n, err := s.number("pragma user_version")
	switch {
	case err != nil:
		return err
	case n == 0:
		return errors.Join(s.db.Exec("pragma auto_vacuum=incremental"), s.within(func() error { return s.db.Exec(schema) }))
	case n > version:
		return piton.Errorf(piton.Invalid, "open the marks", "install the newest piton", "%s was made by a newer one", s.path)
	}
	return nil
}

// Close closes it; nil is fine.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	for _, st := range s.stmts {
		st.Close()
	}
	return s.db.Close()
}

// within does something in a transaction that no other process writes beside.
func (s *Store) within(do func() error) error {
	if err := s.db.Exec("begin immediate"); err != nil {
		return err
	}
	err := do()
	if err == nil {
		err = s.db.Exec("commit")
	}
	if err != nil {
		s.db.Exec("rollback")
	}
	return err
}

// each runs a statement, which is kept, and hands over its rows.
func (s *Store) each(sql string, row func(*sqlite3.Stmt), args ...any) (err error) {
	st := s.stmts[sql]
	if st == nil {
		if st, _, err = s.db.Prepare(sql); err != nil {
			return err
		}
		s.stmts[sql] = st
	}
	defer st.Reset()
	for i, a := range args {
		err = errors.Join(err, bind(st, i+1, a))
	}
	for err == nil && st.Step() {
		row(st)
	}
	return errors.Join(err, st.Err())
}

func bind(st *sqlite3.Stmt, i int, a any) error {
	switch v := a.(type) {
	case string:
		return st.BindText(i, v)
	case []byte:
		return st.BindBlob(i, v)
	case bool:
		return st.BindBool(i, v)
	case int:
		return st.BindInt(i, v)
	case int64:
		return st.BindInt64(i, v)
	case time.Time:
		if v.IsZero() {
			return st.BindInt64(i, 0)
		}
		return st.BindInt64(i, v.UnixNano())
	}
	return fmt.Errorf("bind %T", a)
}

// column is a time that was bound.
func column(r *sqlite3.Stmt, i int) time.Time {
	if n := r.ColumnInt64(i); n != 0 {
		return time.Unix(0, n)
	}
	return time.Time{}
}

// number is the one that a statement gives; 0 where it gives none.
func (s *Store) number(sql string, args ...any) (n int64, err error) {
	err = s.each(sql, func(r *sqlite3.Stmt) { n = r.ColumnInt64(0) }, args...)
	return n, err
}

func (s *Store) do(sql string, args ...any) error {
	return s.each(sql, func(*sqlite3.Stmt) {}, args...)
}
