package sqlstore_test

import (
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// TestReclaimCompressesWhatCameWhole: a state that has nothing of the one before it lies as
// it came until the store is pruned. One that is damaged stays for whoever looks at it.
func TestReclaimCompressesWhatCameWhole(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		w := workflow(t, s)
		state := func(word string) string { return `{"` + word + `":"` + strings.Repeat(word+" ", 2000) + `"}` }
		var cs []piton.Checkpoint
		for _, word := range []string{"one", "two", "three", "four", "five"} {
			cs = append(cs, ready(t, s, w, state(word)))
		}
		size := func(c piton.Checkpoint) int64 {
			return number(t, s, `SELECT LENGTH(data) FROM manifests WHERE checkpoint = $1`, c.Ordinal)
		}
		for i, c := range cs {
			if held := size(c) > 7000; held != (i > 0) {
				t.Errorf("state %d: got %d bytes in its manifest", i, size(c))
			}
		}
		damaged := append([]byte{2, 0}, strings.Repeat("x", 9000)...)
		run(t, s, `UPDATE manifests SET data = $1 WHERE checkpoint = $2`, damaged, cs[3].Ordinal)
		for range 2 {
			if _, err := s.Reclaim(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			for i, c := range cs {
				if i == 3 {
					if _, err := s.State(t.Context(), c.ID); piton.CodeOf(err) != piton.Corrupt || size(c) != int64(len(damaged)) {
						t.Errorf("the damaged one: got %d bytes, %v", size(c), err)
					}
					continue
				}
				wantState(t, s, c.ID, state([]string{"one", "two", "three", "four", "five"}[i]))
				if size(c) > 1000 {
					t.Errorf("state %d: got %d bytes in its manifest", i, size(c))
				}
			}
		}
		if at := number(t, s, `SELECT value FROM counters WHERE name = 'squeezed'`); at != cs[4].Ordinal {
			t.Errorf("got %d, want that it has come to the last", at)
		}
		next := ready(t, s, w, state("six"))
		if size(next) < 7000 || next.StoredBytes < 7000 {
			t.Errorf("the next one: got %d bytes in its manifest, %d stored", size(next), next.StoredBytes)
		}
	})
}
