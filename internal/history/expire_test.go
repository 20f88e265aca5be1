package history_test

import (
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

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
