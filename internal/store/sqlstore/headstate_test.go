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
			want := func(by string, got piton.Checkpoint, state []byte, err error) {
				t.Helper()
				if err != nil || got.ID != c.ID || x.with && string(state) != x.state || !x.with && state != nil {
					t.Errorf("%s, by %s: got %s with %.40q, %v; want %s with its state %v", x.name, by, got.ID, state, err, c.ID, x.with)
				}
			}
			for _, branch := range []string{"", piton.MainBranch} {
				got, state, err := s.HeadState(t.Context(), w, "", branch)
				want("branch '"+branch+"'", got, state, err)
			}
			got, state, err := s.WithState(t.Context(), c.ID)
			want("id", got, state, err)
		}
		got, state, err := s.WithState(t.Context(), piton.NewID(piton.CheckpointPrefix))
		if piton.CodeOf(err) != piton.NotFound || state != nil {
			t.Errorf("an unknown checkpoint: got %s with %q, %v, want not found", got.ID, state, err)
		}
		if _, state, err := s.HeadState(t.Context(), piton.NewID(piton.WorkflowPrefix), "", ""); piton.CodeOf(err) != piton.NotFound || state != nil {
			t.Errorf("an unknown workflow: got %q, %v, want not found", state, err)
		}
	})
}
