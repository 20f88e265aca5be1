package repair_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/pages"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/testkit/need"
)

// TestNothingIsLeftOutSilently flips bits in the pages of the records and their
// indexes: a list of all and an export name every checkpoint, or fail.
func TestNothingIsLeftOutSilently(t *testing.T) {
	w := build(t, 600, 3, 200)
	rnd := rand.New(rand.NewPCG(2, 7))
	each := need.Many(1, 12)
	tried, failed, opened := 0, 0, 0
	for n := 1; n < len(w.owner); n++ {
		if !strings.HasPrefix(w.owner[n], "checkpoints") && !strings.HasPrefix(w.owner[n], "manifests") && n > 1 {
			continue
		}
		for i := range each {
			at := (n-1)*pages.Size + rnd.IntN(min(pages.Size, 12<<(i%10)))
			bad := bytes.Clone(w.file)
			bad[at] ^= 1 << rnd.IntN(8)
			tried++
			name := fmt.Sprintf("page %d of %s, byte %d", n, w.owner[n], at%pages.Size)
			ok, open := w.truthful(t, name, bad)
			if !ok {
				failed++
			}
			if open {
				opened++
			}
		}
	}
	t.Logf("%d flips, %d opened, %d with an error of a list or an export", tried, opened, failed)
}

// truthful lists and exports everything of a damaged store. ok: without errors.
func (w *world) truthful(t *testing.T, name string, file []byte) (ok, opened bool) {
	t.Helper()
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "piton.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	helpful := func(what string, err error) {
		var hint string
		if e, is := err.(*piton.Error); is {
			hint = e.Hint
		}
		if piton.CodeOf(err) != piton.Corrupt && !strings.Contains(hint, "piton repair") {
			t.Errorf("%s: %s: got %v (%s), want corrupt, or a hint to piton repair", name, what, err, hint)
		}
		if strings.Contains(err.Error(), "pragma") {
			t.Errorf("%s: %s: got %v, want no pragma in it", name, what, err)
		}
	}
	s, err := sqlite.Open(ctx, path, sqlite.Options{Existing: true})
	if err != nil {
		helpful("open", err)
		return false, false
	}
	defer s.Close()
	k := history.Keeper{Store: s, Local: s.Local()}
	ok = true
	project := ""
	if p, err := s.KnownProject(ctx, []piton.Alias{{Kind: piton.AliasPath, Value: "/p"}}); err == nil {
		project = p.ID
	}
	for _, q := range []piton.Query{{}, {Project: project}, {Workflow: "wf_0000000000000001"}} {
		var want []string
		for id, workflow := range w.workflow {
			if w.sums[id] != "" && (q.Workflow == "" || workflow == q.Workflow) {
				want = append(want, id)
			}
		}
		page, err := s.List(ctx, q)
		if err == nil && q.Project+q.Workflow == "" {
			named := map[string]bool{}
			for _, c := range page.Checkpoints {
				named[c.ID] = true
			}
			// A record whose id is damaged has its own bytes as id, and a mark.
			if missing := without(want, named); len(page.Checkpoints) < len(want) {
				t.Errorf("%s: a list: got %d of %d without an error", name, len(want)-missing, len(want))
			}
		} else if err != nil {
			helpful("list", err)
		}
		ok = ok && err == nil
		skipped := 0
		entries, n, err := k.Export(ctx, q, func(piton.Checkpoint, error) { skipped++ })
		if err != nil {
			helpful("export", err)
			ok = false
			continue
		}
		got := 0
		for _, err := range entries {
			if err != nil {
				helpful("export", err)
				got = -1
				break
			}
			got++
		}
		if got >= 0 && got+skipped < len(want) {
			t.Errorf("%s: an export of %+v: got %d and %d left out (of %d listed), want %d in all", name, q, got, skipped, n, len(want))
		}
	}
	return ok, true
}

func without(want []string, named map[string]bool) (missing int) {
	for _, id := range want {
		if !named[id] {
			missing++
		}
	}
	return missing
}
