package repair_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/store/pages"
	"github.com/piton-project/piton/internal/testkit/need"
)

// TestLargeStore flips a bit in a page of every kind of a store of many
// checkpoints: PITON_LARGE=100000 go test ./repair -run TestLargeStore.
func TestLargeStore(t *testing.T) {
	checkpoints := need.Many(600, 4000)
	if n := os.Getenv("PITON_LARGE"); n != "" {
		fmt.Sscan(n, &checkpoints)
	} else if testing.Short() {
		t.Skip("long")
	}
	start := time.Now()
	w := build(t, checkpoints, max(5, checkpoints/50), 100)
	path := filepath.Join(t.TempDir(), "piton.db")
	if err := os.WriteFile(path, w.file, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d checkpoints in %d MB, made in %v", len(w.sums), len(w.file)>>20, time.Since(start).Round(time.Second))
	kinds := map[string][]int{"the header": {1}}
	for n := 2; n < len(w.owner); n++ {
		name := strings.TrimSuffix(w.owner[n], " (tree)")
		if name != "" && !strings.HasPrefix(name, "checkpoints") && !slices.Contains([]string{"blobs", "manifests", "events", "workflows", "sqlite_schema"}, name) {
			continue
		}
		kind := map[byte]string{2: "interior of ", 5: "interior of ", 10: "leaf of ", 13: "leaf of "}[w.file[(n-1)*pages.Size]]
		if name == "" {
			kind, name = "", "a map or free"
		}
		kinds[kind+name] = append(kinds[kind+name], n)
	}
	rnd := rand.New(rand.NewPCG(3, 3))
	var table strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		// The first, which is the root if it is interior, and any other.
		some := slices.Compact([]int{kinds[kind][0], kinds[kind][rnd.IntN(len(kinds[kind]))]})
		if checkpoints > 20000 {
			if some = some[:1]; strings.Contains(kind, "_") && !strings.HasSuffix(kind, "_id") {
				continue // each takes a minute
			}
		}
		for _, n := range some {
			at := (n-1)*pages.Size + rnd.IntN(60)
			bit := byte(1) << rnd.IntN(8)
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			flip := func(b byte) {
				if _, err := f.WriteAt([]byte{b}, int64(at)); err != nil {
					t.Fatal(err)
				}
			}
			flip(w.file[at] ^ bit)
			to := filepath.Join(filepath.Dir(path), "new.db")
			start := time.Now()
			r := w.mendAt(t, path, to)
			for _, suffix := range []string{"", ".lock", ".mark"} {
				os.Remove(to + suffix)
			}
			flip(w.file[at])
			f.Close()
			name := fmt.Sprintf("%s, page %d, byte %d", kind, n, at%pages.Size)
			if r.err != nil || len(r.wrong) > 0 {
				t.Errorf("%s: %v %q", name, r.err, r.wrong[:min(3, len(r.wrong))])
			}
			missing := len(w.sums) - r.intact
			if most := bound(w.owner[n]); missing > most {
				t.Errorf("%s: got %d lost, want at most %d", name, missing, most)
			}
			fmt.Fprintf(&table, "%-45s %6d not loadable: %d named as lost, %d marked  (%v)\n", name, missing, len(r.lost), len(r.damaged), time.Since(start).Round(time.Second))
		}
	}
	t.Logf("\n%s", table.String())
}
