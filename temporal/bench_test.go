package temporal

import (
	"fmt"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/testkit/line"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// BenchmarkWorkers has workers, each a process, work through runs of 20 steps that do
// nothing, over PostgreSQL, which is near or 20 ms away.
func BenchmarkWorkers(b *testing.B) {
	for _, away := range []time.Duration{0, 10 * time.Millisecond} {
		for _, n := range []int{1, 4, 8, 16} {
			b.Run(fmt.Sprint(n, " workers, ", 2*away, " away"), func(b *testing.B) {
				l, err := line.New(pgtest.DSN(b), away)
				if err != nil {
					b.Fatal(err)
				}
				defer l.Close()
				r := newRig(b, l.DSN)
				for i := range n {
					r.work(i)
				}
				steps := ""
				for i := range 20 {
					steps += fmt.Sprintf("{id: s%d, action: do, effect: pure},", i)
				}
				do := func(runs int) time.Duration {
					var ids []string
					for range runs {
						ids = append(ids, r.begin("{name: b, type: chain, steps: ["+steps+"]}"))
					}
					begun := time.Now()
					for open := ids; len(open) > 0; time.Sleep(20 * time.Millisecond) {
						if run, _, _ := r.stands(open[0]); run.Status == piton.RunCompleted {
							open = open[1:]
						}
					}
					return time.Since(begun)
				}
				do(n)
				for b.Loop() {
					runs := 8 * n
					b.ReportMetric(float64(20*runs)/do(runs).Seconds(), "steps/s")
				}
			})
		}
	}
}
