package filestore

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/words"
)

// Search returns the checkpoints that hold every one of the words and fit the
// query, newest first. The first search of an open store reads every state.
// Invalid when there is no word, or too many.
func (s *Store) Search(ctx context.Context, query string, q piton.Query, text func(piton.Checkpoint, []byte) string) (piton.Page, error) {
	list, err := words.Checked(query)
	if err != nil {
		return piton.Page{}, err
	}
	x, err := s.whole(ctx)
	if err != nil {
		return piton.Page{}, err
	}
	s.terms.mu.Lock()
	defer s.terms.mu.Unlock()
	if err := s.catchUp(ctx, x, text); err != nil {
		return piton.Page{}, err
	}
	found, next := x.list(q, func(e *entry) bool { return words.Fits(list, s.terms.of[e.c.ID]) })
	return piton.Page{Checkpoints: given(found), Next: next}, nil
}

// catchUp cuts the texts of what came since the last search, and forgets what
// went.
func (s *Store) catchUp(ctx context.Context, x *index, text func(piton.Checkpoint, []byte) string) error {
	if s.terms.of == nil {
		s.terms.of = map[string][]string{}
	}
	for _, e := range x.order {
		if err := ctx.Err(); err != nil {
			return fail("search", err)
		}
		if _, known := s.terms.of[e.c.ID]; known {
			continue
		}
		state, err := s.State(ctx, e.c.ID)
		if code := piton.CodeOf(err); err != nil && code != piton.Corrupt && code != piton.NotFound {
			return err
		}
		s.terms.of[e.c.ID] = words.Terms(text(e.given(), state))
	}
	for id := range s.terms.of {
		if x.byID[id] == nil {
			delete(s.terms.of, id)
		}
	}
	return nil
}
