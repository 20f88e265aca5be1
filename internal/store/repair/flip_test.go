package repair_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/store/pages"
	"github.com/piton-project/piton/internal/testkit/need"
)

func TestWholeStore(t *testing.T) {
	w := build(t, 400, 5, 600)
	r := w.mend(t, w.file)
	if r.err != nil || len(r.wrong) > 0 || r.intact != len(w.sums) || !r.Whole() {
		t.Fatalf("got %d of %d intact, %v, %q, %+v", r.intact, len(w.sums), r.err, r.wrong, r.Report)
	}
}

// TestFlips flips a bit in every page of a store, in several places of each.
func TestFlips(t *testing.T) {
	w := build(t, 400, 5, 600)
	rnd := rand.New(rand.NewPCG(1, 7))
	each, today := need.Many(1, 6), need.Share(t, 4)
	worst := map[string]int{}
	tried := 0
	for n := 1; n < len(w.owner); n++ {
		if !today(n) {
			continue
		}
		for i := range each {
			at := (n - 1) * pages.Size
			switch i % 3 {
			case 0:
				at += rnd.IntN(12) // the page's header
			case 1:
				at += rnd.IntN(150) // and what leads to its cells
			default:
				at += rnd.IntN(pages.Size)
			}
			bad := bytes.Clone(w.file)
			bad[at] ^= 1 << rnd.IntN(8)
			r := w.mend(t, bad)
			tried++
			name := fmt.Sprintf("page %d of %s, byte %d", n, w.owner[n], at%pages.Size)
			for _, x := range r.wrong {
				t.Errorf("%s: %s", name, x)
			}
			if r.err != nil {
				t.Errorf("%s: %v", name, r.err)
				continue
			}
			missing := len(w.sums) - r.intact
			worst[w.owner[n]] = max(worst[w.owner[n]], missing)
			if most := bound(w.owner[n]); missing > most {
				t.Errorf("%s: got %d checkpoints lost, want at most %d", name, missing, most)
			}
		}
	}
	t.Logf("%d flips; most checkpoints lost by a flip: %v", tried, worst)
}

// bound is how many checkpoints a page may cost.
func bound(owner string) int {
	switch {
	case owner == "checkpoints", owner == "manifests", owner == "blobs":
		return 64 // what lies on a leaf
	case strings.HasPrefix(owner, "checkpoints (tree)"):
		return 0
	}
	return 0
}
