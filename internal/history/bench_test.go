package history_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// element is an entry of about 2 KB.
func element(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":%d,"role":"assistant","text":"`, i)
	for n := i * 7919; b.Len() < 1950; n = n*1103515245 + 12345 {
		fmt.Fprintf(&b, "the tests of part %d failed in line %d, ", n>>16&0xfff, n>>8&0xff)
	}
	return b.String() + `","files":["a.go","b.go"]}`
}

// grown returns the states of a list of n elements of 2 KB that grows, with
// counters at the front.
func grown(n int) func() []byte {
	var list bytes.Buffer
	for i := range n {
		if i > 0 {
			list.WriteByte(',')
		}
		list.WriteString(element(i))
	}
	return func() []byte {
		list.WriteString("," + element(n))
		n++
		return fmt.Appendf(nil, `{"step":%d,"task":"build","run":{"turns":%d,"agents":[{"name":"a","log":{"messages":[%s]}},{"name":"b"}]},"end":true}`, n, n*3, list.Bytes())
	}
}

// p50 is the middle of some durations.
func p50(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// BenchmarkSaveGrown saves a state of 2 MB that grew by 2 KB and reports how
// often one sha256 over its bytes would fit into that, and a load into reading
// it as one plain row.
func BenchmarkSaveGrown(b *testing.B) {
	for _, remembers := range []bool{true, false} {
		b.Run(fmt.Sprintf("remembers=%v", remembers), func(b *testing.B) {
			ctx := context.Background()
			st, err := sqlite.Open(ctx, filepath.Join(b.TempDir(), "piton.db"), sqlite.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer st.Close()
			k := history.Keeper{Store: st, Local: st.Local()}
			if remembers {
				k.Recent = &states.Recent{}
			}
			next := grown(1000)
			save := func(state []byte) history.Saved {
				c, err := k.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "bench", State: state}})
				if err != nil {
					b.Fatal(err)
				}
				return c
			}
			last := save(next())
			plain, err := sqlite.Open(ctx, filepath.Join(b.TempDir(), "plain.db"), sqlite.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer plain.Close()
			if _, err := plain.DB.ExecContext(ctx, `CREATE TABLE plain AS SELECT CAST($1 AS BLOB) AS data`, next()); err != nil {
				b.Fatal(err)
			}
			var saves, sums, loads, rows []time.Duration
			for b.Loop() {
				b.StopTimer()
				state := next()
				start := time.Now()
				sha256.Sum256(state)
				sums = append(sums, time.Since(start))
				b.StartTimer()
				start = time.Now()
				last = save(state)
				saves = append(saves, time.Since(start))
				b.StopTimer()
				start = time.Now()
				var row []byte
				if err := plain.DB.QueryRowContext(ctx, `SELECT data FROM plain`).Scan(&row); err != nil {
					b.Fatal(err)
				}
				rows = append(rows, time.Since(start))
				start = time.Now()
				got, err := st.State(ctx, last.ID)
				loads = append(loads, time.Since(start))
				if err != nil || !bytes.Equal(got, state) {
					b.Fatalf("got %d bytes, %v, want %d", len(got), err, len(state))
				}
				b.StartTimer()
			}
			b.ReportMetric(float64(p50(saves))/float64(p50(sums)), "sha256/save")
			b.ReportMetric(float64(p50(loads))/float64(p50(rows)), "rows/load")
			b.ReportMetric(float64(p50(saves).Microseconds()), "save-µs")
			b.ReportMetric(float64(p50(sums).Microseconds()), "sha256-µs")
			b.ReportMetric(float64(p50(loads).Microseconds()), "load-µs")
			b.ReportMetric(float64(p50(rows).Microseconds()), "row-µs")
		})
	}
}
