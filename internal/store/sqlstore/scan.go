package sqlstore

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/words"
)

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
