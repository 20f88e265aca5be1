package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// largeMessages make a state of about 2 MB.
const largeMessages = 1000

// grown measures the save of a 2 MB state that grew by 2 KB: by a process that
// saved the one before, and by one that did not (cold).
func (l lab) grown(ctx context.Context) ([]row, error) {
	var rows []row
	for i, s := range []shape{atTop, deepIn, withCounters} {
		more, err := l.grownOne(ctx, s, filepath.Join(l.dir, fmt.Sprintf("grown-%d", i)))
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func (l lab) grownOne(ctx context.Context, s shape, path string) ([]row, error) {
	const floor = "one sha256 over its bytes"
	warm := row{what: "save of 2 MB + 2 KB, " + s.name, against: floor, bar: 4}
	cold := row{what: "the same, cold", against: floor}
	k, closeStore, err := keeper(ctx, path+"-warm.db")
	if err != nil {
		return nil, err
	}
	defer closeStore()
	w := newWriter(1)
	ms := w.messages(largeMessages)
	for i := range l.n + 3 {
		state := s.state(ms)
		sum := summed(state)
		_, saved, err := saveTimed(ctx, k, state)
		if err != nil {
			return nil, err
		}
		other, closeOther, err := keeper(ctx, path+"-cold.db")
		if err != nil {
			return nil, err
		}
		_, first, err := saveTimed(ctx, other, state)
		if err != nil {
			return nil, err
		}
		if err := closeOther(); err != nil {
			return nil, err
		}
		ms = append(ms, w.message(recordBytes))
		if i < 3 {
			continue // warm-up
		}
		warm.got, warm.floor = append(warm.got, saved), append(warm.floor, sum)
		cold.got = append(cold.got, first)
	}
	cold.floor = warm.floor
	return []row{warm, cold}, nil
}

// load measures the load of such a state beside one plain row that holds it.
func (l lab) load(ctx context.Context) ([]row, error) {
	var rows []row
	for i, s := range []shape{atTop, deepIn} {
		r, err := l.loadOne(ctx, s, filepath.Join(l.dir, fmt.Sprintf("load-%d", i)))
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func (l lab) loadOne(ctx context.Context, s shape, path string) (row, error) {
	r := row{what: "load of 2 MB, " + s.name, against: "one plain row read", bar: 10}
	k, closeStore, err := keeper(ctx, path+".db")
	if err != nil {
		return r, err
	}
	defer closeStore()
	// Thirty saves before it: its parts lie where a growing state's do.
	w := newWriter(1)
	ms := w.messages(largeMessages - 30)
	var last piton.Checkpoint
	var state []byte
	for range 31 {
		state = s.state(ms)
		if last, _, err = saveTimed(ctx, k, state); err != nil {
			return r, err
		}
		ms = append(ms, w.message(recordBytes))
	}
	plain, err := plainRow(ctx, path+"-plain.db", state)
	if err != nil {
		return r, err
	}
	defer plain.Close()
	for i := range l.n + 3 {
		start := time.Now()
		got, err := k.Load(ctx, history.Selector{ID: last.ID}, false)
		loaded := time.Since(start)
		if err != nil {
			return r, err
		}
		start = time.Now()
		var whole []byte
		err = plain.QueryRowContext(ctx, `SELECT state FROM plain WHERE id = 1`).Scan(&whole)
		read := time.Since(start)
		if err != nil {
			return r, err
		}
		if !bytes.Equal(got.State, state) || !bytes.Equal(whole, state) {
			return r, fmt.Errorf("another state came back")
		}
		if i >= 3 {
			r.got, r.floor = append(r.got, loaded), append(r.floor, read)
		}
	}
	return r, nil
}

// plainRow makes a file with nothing in it but the state, in one row.
func plainRow(ctx context.Context, path string, state []byte) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", "file:"+strings.ReplaceAll(path, " ", "%20")+"?_pragma=journal_mode(wal)&_pragma=synchronous(full)")
	if err != nil {
		return nil, err
	}
	if _, err = db.ExecContext(ctx, `CREATE TABLE plain (id INTEGER PRIMARY KEY, state BLOB)`); err == nil {
		_, err = db.ExecContext(ctx, `INSERT INTO plain (id, state) VALUES (1, ?)`, state)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}
