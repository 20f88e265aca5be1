package sqlstore

import (
	"context"
	"errors"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/words"
)

// Search returns the checkpoints that hold every one of the words and fit the
// query, newest first. The index catches up first. Where it cannot be written,
// or the database has none, every checkpoint that fits the query is read.
// Invalid when there is no word, or too many.
func (s *Store) Search(ctx context.Context, query string, q piton.Query, text func(piton.Checkpoint, []byte) string) (piton.Page, error) {
	list, err := words.Checked(query)
	if err != nil {
		return piton.Page{}, err
	}
	if s.D.Search == nil {
		return s.scan(ctx, list, q, text)
	}
	err = s.catchUp(ctx, text)
	if err == nil {
		var page piton.Page
		x := s.D.Search
		page, err = s.page(ctx, q, asked{from: x.From, ordinal: x.Ordinal, match: x.Match, arg: x.Question(list)})
		if err == nil {
			return page, nil
		}
	}
	if ctx.Err() != nil {
		return piton.Page{}, s.D.Error("search", err)
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

// scan searches without an index: it reads what fits the query, newest first.
func (s *Store) scan(ctx context.Context, list []words.Asked, q piton.Query, text func(piton.Checkpoint, []byte) string) (piton.Page, error) {
	var found piton.Page
	part := q
	for part.Limit = stepRows; ; {
		page, err := s.List(ctx, part)
		if err != nil {
			return found, err
		}
		for _, c := range page.Checkpoints {
			ts, err := s.termsOf(ctx, c, text)
			if err != nil {
				return found, err
			}
			if !words.Fits(list, ts) {
				continue
			}
			if q.Limit > 0 && len(found.Checkpoints) == q.Limit {
				found.Next = found.Checkpoints[q.Limit-1].Ordinal
				return found, nil
			}
			found.Checkpoints = append(found.Checkpoints, c)
		}
		if part.Before = page.Next; part.Before == 0 {
			return found, nil
		}
	}
}
