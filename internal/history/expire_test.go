package history_test

import (
	"slices"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// TestPruneExpiresInASharedStore: what was counted in the store of several machines
// goes after as long as on one machine.
func TestPruneExpiresInASharedStore(t *testing.T) {
	own, shared := open(t), open(t)
	k := own.Keeper
	k.Store, k.StoreName = shared.store, "shared"
	for _, days := range []int{0, 399, 402, 700} {
		err := shared.store.Save(t.Context(), func(tx store.Tx) error {
			return tx.Count(t.Context(), piton.At(own.time.AddDate(0, 0, -days)), "", store.Counted{Name: "saves", N: int64(days + 1)})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := k.Prune(t.Context(), history.PruneOptions{Policy: piton.Retention{Warm: 10}, Project: "prj_1"}); err != nil {
		t.Fatal(err)
	}
	counted := func() (all []int64) {
		list, err := shared.store.Metrics(t.Context(), piton.Time{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			all = append(all, m.N)
		}
		return all
	}
	if got := counted(); len(got) != 4 {
		t.Errorf("one project's: got the counters %d, want all four", got)
	}
	if _, err := k.Prune(t.Context(), history.PruneOptions{Policy: piton.Retention{Warm: 10}}); err != nil {
		t.Fatal(err)
	}
	if got := counted(); !slices.Equal(got, []int64{400, 1}) {
		t.Errorf("all: got the counters %d, want those of 400 days", got)
	}
}

func TestPruneExpires(t *testing.T) {
	s := open(t)
	err := s.store.Update(t.Context(), func(tx store.LocalTx) error {
		for days := range 40 {
			if err := tx.Decide(t.Context(), redact.Value(agent.Decision{At: piton.At(s.time.AddDate(0, 0, -days)), Session: "ses_1"})); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	left := func() int {
		list, err := s.store.Decisions(t.Context(), "", 0)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	for _, c := range []struct {
		name string
		o    history.PruneOptions
		want int
	}{
		{"a dry run", history.PruneOptions{DryRun: true}, 40},
		{"one session's", history.PruneOptions{Session: "ses_1"}, 40},
		{"all", history.PruneOptions{}, 31}, // today's and those of thirty days before
	} {
		c.o.Policy = piton.Retention{Warm: 10, WarmFor: time.Hour, DeleteAt: time.Hour}
		if _, err := s.Prune(t.Context(), c.o); err != nil {
			t.Fatal(err)
		}
		if got := left(); got != c.want {
			t.Errorf("%s: got %d decisions left, want %d", c.name, got, c.want)
		}
	}
}
