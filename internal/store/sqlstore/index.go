package sqlstore

import (
	"context"
	"strings"
	"time"
)

// searchCounted is the counter that holds the mark at which the index's rows
// were counted last.
const searchCounted = "search_counted"

// searchForm is the counter that says what checkpoints are found by. An index of an earlier
// form is made anew.
const (
	searchForm    = "search_form"
	searchFormNow = 2
)

// Bounds of the steps by which the index catches up. A transaction adds rows for
// stepTime and then commits, which with the largest texts took 30 ms more.
const (
	stepRows  = 200
	stepBytes = 1 << 20
	stepTime  = 10 * time.Millisecond
)

// mark reads the ordinal up to which the index goes; found is false where there
// is not an index yet.
func (r reader) mark(ctx context.Context, op string) (mark int64, found bool, err error) {
	found, err = r.get(ctx, op, `SELECT c.value FROM counters c, counters v WHERE c.name = $1 AND v.name = $2 AND v.value = $3`, params{r.d.Numbers.Searched, searchForm, searchFormNow}, &mark)
	return mark, found, err
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
	if _, found, err := t.mark(ctx, op); err != nil || !found {
		return err
	}
	if err := t.exec(ctx, op, t.d.Search.Drop); err != nil {
		return err
	}
	if err := t.exec(ctx, op, `DELETE FROM search_gone`); err != nil {
		return err
	}
	return t.exec(ctx, op, `DELETE FROM counters WHERE name IN ($1, $2, $3)`, t.d.Numbers.Searched, searchCounted, searchForm)
}

// createSearch makes the index where it is missing.
func (t *tx) createSearch(ctx context.Context) error {
	const op = "make the search index"
	if _, found, err := t.mark(ctx, op); err != nil || found {
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
	if err := t.exec(ctx, op, `DELETE FROM counters WHERE name IN ($1, $2, $3)`, t.d.Numbers.Searched, searchCounted, searchForm); err != nil {
		return err
	}
	return t.exec(ctx, op, `INSERT INTO counters (name, value) VALUES ($1, 0), ($2, $3)`, t.d.Numbers.Searched, searchForm, searchFormNow)
}

// searchEntry is what the index gets of a checkpoint.
type searchEntry struct {
	ordinal int64
	terms   string
}

// index adds a step's rows, as many as there is time for, and returns how many; 0 when
// another process has moved the mark meanwhile. The mark goes up to what is settled.
func (t *tx) index(ctx context.Context, mark, settled int64, step []searchEntry) (done int, err error) {
	const op = "search"
	// The row is locked first of all, so that two processes take turns.
	var now int64
	found, err := t.get(ctx, op, `UPDATE counters SET value = value WHERE name = $1 RETURNING value`, params{t.d.Numbers.Searched}, &now)
	if err != nil || !found || now != mark {
		return 0, err
	}
	for begin := time.Now(); done < len(step) && (done == 0 || time.Since(begin) < stepTime); done++ {
		if err := t.exec(ctx, op, t.d.Search.Put, step[done].ordinal, step[done].terms); err != nil {
			return 0, err
		}
	}
	return done, t.exec(ctx, op, `UPDATE counters SET value = $1 WHERE name = $2`, max(mark, min(step[done-1].ordinal, settled)), t.d.Numbers.Searched)
}

// unsearch notes that a checkpoint which is in the search index has gone. Its
// row goes with the next search: a program that never searches does not know
// the index.
func (t *tx) unsearch(ctx context.Context, ordinal int64) error {
	return t.exec(ctx, "delete", `INSERT INTO search_gone (ordinal) SELECT CAST($1 AS BIGINT) FROM counters WHERE name = $2 AND value >= $1 ON CONFLICT (ordinal) DO NOTHING`, ordinal, t.d.Numbers.Searched)
}
