package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store/words"
)

// searchMark is the counter that holds the ordinal up to which checkpoints are
// in the index. It is there when the index is.
const searchMark = "search_index"

// searchCounted is the counter that holds the mark at which the index's rows
// were counted last.
const searchCounted = "search_counted"

// Bounds of the steps by which the index catches up. A transaction adds rows for
// stepTime and then commits, which with the largest texts took 30 ms more.
const (
	stepRows  = 200
	stepBytes = 1 << 20
	stepTime  = 10 * time.Millisecond
)

// Search returns the checkpoints that hold every one of the words and fit the
// query, newest first. The index catches up first. Where it cannot be written,
// or the database has none, every checkpoint that fits the query is read.
// Invalid when there is no word, or too many.
func (s *Store) Search(ctx context.Context, query string, q piton.Query, text func(piton.Checkpoint, []byte) string) (piton.Page, error) {
	const op = "search"
	list := words.Question(query)
	switch {
	case len(list) == 0:
		return piton.Page{}, piton.Errorf(piton.Invalid, op, "give at least one word, with a letter or a digit in it", "there is nothing to search for in %.40q", query)
	case len(list) > words.Most:
		return piton.Page{}, piton.Errorf(piton.Invalid, op, "give the few words that matter", "%d words are more than %d", len(list), words.Most)
	}
	if s.D.Search == nil {
		return s.scan(ctx, list, q, text)
	}
	err := s.catchUp(ctx, text)
	if err == nil {
		var page piton.Page
		x := s.D.Search
		page, err = s.find(ctx, q, asked{from: x.From, ordinal: x.Ordinal, match: x.Match, arg: x.Question(list)})
		if err == nil {
			return page, nil
		}
	}
	if ctx.Err() != nil {
		return piton.Page{}, s.D.Error(op, err)
	}
	if missingTable(err) {
		// Somebody has dropped it: the next search makes it anew.
		_ = s.DropSearch(ctx)
	}
	// The index only makes it faster: without it the answer is the same.
	page, err2 := s.scan(ctx, list, q, text)
	if err2 != nil {
		return page, errors.Join(err2, err)
	}
	return page, nil
}

// DropSearch forgets the index; the next search makes it anew. It is for when
// what checkpoints are found by has changed, or must not be kept.
func (s *Store) DropSearch(ctx context.Context) error {
	if s.D.Search == nil {
		return nil
	}
	return s.write(ctx, "drop the search index", func(t *tx) error { return t.dropSearch(ctx) })
}

func (t *tx) dropSearch(ctx context.Context) error {
	const op = "drop the search index"
	if _, err := t.mark(ctx); errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err := t.exec(ctx, op, t.d.Search.Drop); err != nil {
		return err
	}
	if err := t.exec(ctx, op, `DELETE FROM search_gone`); err != nil {
		return err
	}
	return t.exec(ctx, op, `DELETE FROM counters WHERE name IN ($1, $2)`, searchMark, searchCounted)
}

// mark reads the ordinal up to which the index goes; sql.ErrNoRows when there
// is no index yet.
func (r reader) mark(ctx context.Context) (mark int64, err error) {
	err = r.q.QueryRowContext(ctx, `SELECT value FROM counters WHERE name = $1`, searchMark).Scan(&mark)
	return mark, err
}

// catchUp makes the index where it is missing, adds what came and drops what
// went since the last search.
func (s *Store) catchUp(ctx context.Context, text func(piton.Checkpoint, []byte) string) error {
	const op = "search"
	var newest int64
	if err := s.DB.QueryRowContext(ctx, `SELECT COALESCE(MAX(ordinal), 0) FROM checkpoints`).Scan(&newest); err != nil {
		return s.D.Error(op, err)
	}
	for {
		mark, err := s.reader.mark(ctx)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			if err := s.write(ctx, op, func(t *tx) error { return t.createSearch(ctx) }); err != nil {
				return err
			}
			continue
		case err != nil:
			return s.D.Error(op, err)
		case mark >= newest:
			return s.forget(ctx, mark)
		}
		step, err := s.step(ctx, mark, text)
		if err != nil {
			return err
		}
		if len(step) == 0 {
			return s.forget(ctx, mark) // what was new went again
		}
		for done := 1; len(step) > 0 && done > 0; step = step[done:] {
			err := s.write(ctx, op, func(t *tx) (err error) { done, err = t.index(ctx, mark, step); return err })
			if err != nil {
				return err
			}
			if done > 0 {
				mark = step[done-1].ordinal
			}
		}
	}
}

func (t *tx) createSearch(ctx context.Context) error {
	const op = "make the search index"
	if _, err := t.mark(ctx); !errors.Is(err, sql.ErrNoRows) {
		return err // another process was first
	}
	if err := t.exec(ctx, op, t.d.Search.Drop); err != nil {
		return err
	}
	for statement := range strings.SplitSeq(t.d.Search.Create, ";") {
		if err := t.exec(ctx, op, statement); err != nil {
			return err
		}
	}
	return t.exec(ctx, op, `INSERT INTO counters (name, value) VALUES ($1, 0)`, searchMark)
}

// searchEntry is what the index gets of a checkpoint.
type searchEntry struct {
	ordinal int64
	terms   string
}

// step reads the checkpoints after mark, outside of any transaction.
func (s *Store) step(ctx context.Context, mark int64, text func(piton.Checkpoint, []byte) string) ([]searchEntry, error) {
	var list []piton.Checkpoint
	err := s.rows(ctx, "search", func(rows *sql.Rows) error {
		c, err := scanCheckpoint(rows.Scan)
		list = append(list, c)
		return err
	}, `SELECT `+checkpointColumns+checkpointFrom+fmt.Sprintf(`WHERE c.ordinal > $1 ORDER BY c.ordinal LIMIT %d`, stepRows), mark)
	if err != nil {
		return nil, err
	}
	var step []searchEntry
	size := 0
	for _, c := range list {
		ts, err := s.termsOf(ctx, c, text)
		if err != nil {
			return nil, err
		}
		e := searchEntry{c.Ordinal, strings.Join(ts, " ")}
		step = append(step, e)
		if size += len(e.terms); size > stepBytes {
			break
		}
	}
	return step, nil
}

// termsOf is what a checkpoint is found by. What is damaged is set aside, and
// found by its record alone; so is what lies in an archive, or went meanwhile.
func (s *Store) termsOf(ctx context.Context, c piton.Checkpoint, text func(piton.Checkpoint, []byte) string) ([]string, error) {
	state, err := s.State(ctx, c.ID)
	switch piton.CodeOf(err) {
	case "", piton.NotFound:
	case piton.Corrupt:
		if c.Damaged == "" {
			_ = s.SetAside(ctx, c.ID, redact.Value(err.Error())) // a load will mark it else
		}
	default:
		return nil, err
	}
	if err != nil {
		state = nil
	}
	return words.Terms(text(c, state)), nil
}

// index adds a step's rows, as many as there is time for, and returns how many;
// 0 when another process has moved the mark meanwhile.
func (t *tx) index(ctx context.Context, mark int64, step []searchEntry) (done int, err error) {
	const op = "search"
	// The row is locked first of all, so that two processes take turns.
	var now int64
	err = t.q.QueryRowContext(ctx, `UPDATE counters SET value = value WHERE name = $1 RETURNING value`, searchMark).Scan(&now)
	if errors.Is(err, sql.ErrNoRows) || err == nil && now != mark {
		return 0, nil
	}
	if err != nil {
		return 0, t.d.Error(op, err)
	}
	for begin := time.Now(); done < len(step) && (done == 0 || time.Since(begin) < stepTime); done++ {
		if err := t.exec(ctx, op, t.d.Search.Put, step[done].ordinal, step[done].terms); err != nil {
			return 0, err
		}
	}
	return done, t.exec(ctx, op, `UPDATE counters SET value = $1 WHERE name = $2`, step[done-1].ordinal, searchMark)
}
