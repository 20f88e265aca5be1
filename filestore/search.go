package filestore

import (
	"context"
	"strings"
	"sync"
	"unicode"

	"github.com/piton-project/piton"
)

// words are the words of each checkpoint that has been asked for, kept as long
// as the store is open.
type words struct {
	mu sync.Mutex
	of map[string]map[string]bool // by checkpoint
}

// Search returns the checkpoints that hold every one of the words, newest
// first. A word is a run of letters and digits, in any case. The first search
// of an open store reads every state.
func (s *Store) Search(ctx context.Context, query string, q piton.Query, text func(piton.Checkpoint, []byte) string) (piton.Page, error) {
	want := wordsIn(query)
	if len(want) == 0 {
		return piton.Page{}, piton.Errorf(piton.Invalid, "search", "give a word to search for", "there is no word in %q", query)
	}
	x, err := s.at(ctx)
	if err != nil {
		return piton.Page{}, err
	}
	s.words.mu.Lock()
	defer s.words.mu.Unlock()
	if s.words.of == nil {
		s.words.of = map[string]map[string]bool{}
	}
	for _, e := range x.order {
		if err := ctx.Err(); err != nil {
			return piton.Page{}, fail("search", err)
		}
		if s.words.of[e.c.ID] != nil {
			continue
		}
		state, err := s.State(ctx, e.c.ID)
		if code := piton.CodeOf(err); err != nil && code != piton.Corrupt && code != piton.NotFound {
			return piton.Page{}, err
		}
		s.words.of[e.c.ID] = wordsIn(text(e.given(), state))
	}
	for id := range s.words.of {
		if x.byID[id] == nil {
			delete(s.words.of, id)
		}
	}
	return x.list(q, func(e *entry) bool {
		for word := range want {
			if !s.words.of[e.c.ID][word] {
				return false
			}
		}
		return true
	}), nil
}

func wordsIn(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
		set[strings.ToLower(word)] = true
	}
	return set
}
