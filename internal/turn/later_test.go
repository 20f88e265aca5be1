package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/sqlite"
)

func TestPrunedOnceADay(t *testing.T) {
	ctx := context.Background()
	st, err := sqlite.Open(ctx, t.TempDir()+"/piton.db", sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var asked []string
	turns := Turns{Daily: true, Later: func(args ...string) { asked = append(asked, strings.Join(args, " ")) }}
	daily := func(at time.Time) { (&handler{Turns: turns, store: st.Local(), at: piton.At(at)}).daily(ctx) }
	start := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for i, after := range []time.Duration{0, time.Hour, 23 * time.Hour, 25 * time.Hour, 26 * time.Hour, 50 * time.Hour} {
		daily(start.Add(after))
		want := []int{0, 0, 0, 1, 1, 2}[i]
		if len(asked) != want {
			t.Errorf("after %v: got %v, want %d prunings", after, asked, want)
		}
	}
	daily(start.Add(-time.Hour)) // the clock has jumped
	if !slices.Equal(asked, slices.Repeat([]string{"prune --max-time 1m"}, 3)) {
		t.Errorf("after a jump of the clock: got %v", asked)
	}
	turns.Daily = false
	daily(start.Add(1000 * time.Hour))
	if len(asked) != 3 {
		t.Errorf("switched off: got %v", fmt.Sprint(asked))
	}
}
