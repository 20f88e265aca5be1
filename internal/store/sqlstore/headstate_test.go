package sqlstore_test

import (
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

func TestSmallStateComesWithItsRecord(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		sized := func(n int) string { return `{"a":"` + strings.Repeat("x", n-len(`{"a":""}`)) + `"}` }
		for _, x := range []struct {
			name, state string
			with        bool
			then        func(c piton.Checkpoint)
		}{
			{"the smallest", `{}`, true, nil},
			{"the largest", sized(2<<10 - 1), true, nil},
			{"one of several blobs", `{"a":"` + noise(1, 5000) + `"}`, false, nil},
			{"one that is in the archive only", sized(100), false, func(c piton.Checkpoint) {
				update(t, s, func(tx store.LocalTx) error {
					_, err := tx.Archive(t.Context(), []string{c.ID}, "file")
					return err
				})
			}},
		} {
			w := workflow(t, s)
			add(t, s, w, `{"before":1}`)
			c := add(t, s, w, x.state)
			if x.then != nil {
				x.then(c)
			}
			for _, branch := range []string{"", piton.MainBranch} {
				got, state, err := s.HeadState(t.Context(), w, "", branch)
				if err != nil || got.ID != c.ID || x.with && string(state) != x.state || !x.with && state != nil {
					t.Errorf("%s, branch %q: got %s with %.40q, %v; want %s with its state %v", x.name, branch, got.ID, state, err, c.ID, x.with)
				}
			}
		}
		if _, state, err := s.HeadState(t.Context(), piton.NewID(piton.WorkflowPrefix), "", ""); piton.CodeOf(err) != piton.NotFound || state != nil {
			t.Errorf("an unknown workflow: got %q, %v, want not found", state, err)
		}
	})
}
