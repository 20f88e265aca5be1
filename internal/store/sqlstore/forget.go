package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/piton-project/piton"
)

// In a store with more checkpoints than countAlways, the index's rows are counted
// once for every countEvery new ones.
const (
	countAlways = 5000
	countEvery  = 1000
)

// forget drops the rows of checkpoints that are gone: those that were noted and,
// once in a while, what a count finds. That takes a look at every row.
func (s *Store) forget(ctx context.Context, mark int64) error {
	const op = "search"
	if err := s.forgetThese(ctx, -1, `SELECT ordinal FROM search_gone`); err != nil {
		return err
	}
	var counted int64
	found, err := s.get(ctx, op, `SELECT value FROM counters WHERE name = $1`, params{searchCounted}, &counted)
	if err != nil || found && mark > countAlways && mark-counted < countEvery {
		return err
	}
	// The ordinal is hidden from SQLite, so that it counts in an index, whose
	// rows are short.
	var have, want int64
	err = s.row(ctx, op, `SELECT (SELECT COUNT(*) FROM (`+s.D.Search.Ordinals+`) AS i WHERE i.ordinal <= $1), (SELECT COUNT(*) FROM checkpoints WHERE ordinal + 0 <= $1)`, params{mark}, &have, &want)
	if err != nil {
		return err
	}
	if have < want {
		// Rows are missing: somebody has meddled with it.
		if err := s.DropSearch(ctx); err != nil {
			return err
		}
		return piton.Errorf(piton.Unavailable, op, "search again", "the search index was incomplete and is made anew")
	}
	if have > want {
		err := s.forgetThese(ctx, have-want, `SELECT i.ordinal FROM (`+s.D.Search.Ordinals+`) AS i WHERE NOT EXISTS (SELECT 1 FROM checkpoints c WHERE c.ordinal = i.ordinal)`)
		if err != nil {
			return err
		}
	}
	if mark == counted {
		return nil
	}
	return s.write(ctx, op, func(t *tx) error { return t.SetMark(ctx, searchCounted, mark) })
}

// forgetThese drops the rows that a query names, at most so many; -1: all.
func (s *Store) forgetThese(ctx context.Context, most int64, query string) error {
	const op = "search"
	for most != 0 {
		gone, err := collect(ctx, s.reader, op, value[int64], query+fmt.Sprintf(` LIMIT %d`, stepRows))
		if err != nil || len(gone) == 0 {
			return err
		}
		done := 0
		err = s.write(ctx, op, func(t *tx) error {
			done = 0
			for begin := time.Now(); done < len(gone) && (done == 0 || time.Since(begin) < stepTime); done++ {
				if err := t.exec(ctx, op, t.d.Search.Remove, gone[done]); err != nil {
					return err
				}
				if err := t.exec(ctx, op, `DELETE FROM search_gone WHERE ordinal = $1`, gone[done]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		most = max(most-int64(done), -1)
	}
	return nil
}
