package sqlstore_test

import (
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// BenchmarkGrown appends a state of 2 MB that grew by 2 KB, as the process that
// saved the one before and as one that did not, and loads it.
func BenchmarkGrown(b *testing.B) {
	var states []string
	for i, state := range growing(1010) {
		if i >= 1000 {
			states = append(states, strings.Clone(state))
		}
	}
	for _, how := range []string{"append", "append cold", "load"} {
		b.Run(how, func(b *testing.B) {
			s := sqliteStore(b)
			w := workflow(b, s)
			c := ready(b, s, w, states[0])
			for i := 0; b.Loop(); i++ {
				if how == "load" {
					if _, err := s.State(b.Context(), c.ID); err != nil {
						b.Fatal(err)
					}
					continue
				}
				b.StopTimer()
				p, on := prepared(w, states[i%len(states)]), s
				if how == "append cold" {
					on = storeCopy(s)
				}
				b.StartTimer()
				p, err := on.Prepare(b.Context(), p)
				if err != nil {
					b.Fatal(err)
				}
				update(b, on, func(tx store.LocalTx) error { _, err := tx.Append(b.Context(), redact.Value(p)); return err })
			}
		})
	}
}
