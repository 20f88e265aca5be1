package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/archive"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/filltest"
	"github.com/piton-project/piton/internal/testkit/need"
)

// steps counts what SQLite does: the steps of its virtual machine, which grow
// with every row that is looked at, whatever the machine's speed.
type steps struct {
	mu      sync.Mutex
	n       map[string]int // by statement
	most    int            // in one write transaction
	in      int            // in the one that is open
	commits int
}

// watch makes a connection count.
func (s *steps) watch(c *sqlite3.Conn) error {
	if err := fts5.Register(c); err != nil {
		return err
	}
	c.CommitHook(func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.in, s.commits = 0, s.commits+1
		return true
	})
	return c.Trace(sqlite3.TRACE_PROFILE, func(_ sqlite3.TraceEvent, arg, _ any) error {
		stmt, ok := arg.(*sqlite3.Stmt)
		if !ok {
			return nil
		}
		n := stmt.Status(sqlite3.STMTSTATUS_VM_STEP, true)
		s.mu.Lock()
		defer s.mu.Unlock()
		text := stmt.SQL()
		s.n[text] += n
		if c.TxnState("main") == sqlite3.TXN_WRITE {
			s.in += n
			s.most = max(s.most, s.in)
		}
		return nil
	})
}

func (s *steps) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n, s.most, s.in, s.commits = map[string]int{}, 0, 0, 0
}

func (s *steps) sum() (sum int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.n {
		sum += n
	}
	return sum
}

// worst are the statements that cost most.
func (s *steps) worst() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var texts []string
	for text := range s.n {
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(a, b string) int { return s.n[b] - s.n[a] })
	var b strings.Builder
	for _, text := range texts[:min(3, len(texts))] {
		fmt.Fprintf(&b, "\n%8d  %.300s", s.n[text], text)
	}
	return b.String()
}

// filled is a keeper over a store of a size that counts its steps.
func filled(t *testing.T, checkpoints int) (history.Keeper, *sqlstore.Store, *steps) {
	t.Helper()
	dir := t.TempDir()
	s := &steps{n: map[string]int{}}
	st, err := Open(t.Context(), filepath.Join(dir, "piton.db"), Options{FTS5: s.watch, pragmas: []string{"synchronous(off)"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	size := filltest.Size{Checkpoints: checkpoints, Workflows: checkpoints / 50, Now: time.Now(), Over: 40 * 24 * time.Hour}
	if err := filltest.Fill(t.Context(), st, st.Local(), size); err != nil {
		t.Fatal(err)
	}
	return history.Keeper{Store: st, Local: st.Local(), Archive: archive.Folder{Dir: filepath.Join(dir, "archive")}}, st, s
}

// verbs are what is done to one checkpoint, workflow or session, and must not
// cost more in a store that has grown. i is the workflow.
var verbs = []struct {
	name string
	do   func(context.Context, history.Keeper, int) error
}{
	{"save", func(ctx context.Context, k history.Keeper, i int) error {
		_, err := k.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: filltest.Workflow(i), Session: filltest.Session(i), State: []byte(`{"n":1}`)}})
		return err
	}},
	{"save to a new workflow", func(ctx context.Context, k history.Keeper, i int) error {
		_, err := k.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "new", InProject: piton.InProject{Project: filltest.Project(i)}, State: []byte(`{"n":1}`)}})
		return err
	}},
	{"load", func(ctx context.Context, k history.Keeper, i int) error {
		_, err := k.Load(ctx, history.Selector{ID: filltest.Checkpoint(i, 20)}, false)
		return err
	}},
	{"load by session", func(ctx context.Context, k history.Keeper, i int) error {
		_, err := k.Load(ctx, history.Selector{Session: filltest.Session(i)}, false)
		return err
	}},
	{"list", listing(piton.Query{Limit: 20})},
	{"list of a workflow", func(ctx context.Context, k history.Keeper, i int) error {
		return listing(piton.Query{Limit: 20, Workflow: filltest.Workflow(i)})(ctx, k, i)
	}},
	{"list of a workflow in a project", func(ctx context.Context, k history.Keeper, i int) error {
		return listing(piton.Query{Limit: 20, Workflow: filltest.Workflow(i), Project: filltest.Project(i)})(ctx, k, i)
	}},
	{"list of a session", func(ctx context.Context, k history.Keeper, i int) error {
		return listing(piton.Query{Limit: 20, Session: filltest.Session(i)})(ctx, k, i)
	}},
	{"list of a session in a project", func(ctx context.Context, k history.Keeper, i int) error {
		return listing(piton.Query{Limit: 20, Session: filltest.Session(i), Project: filltest.Project(i)})(ctx, k, i)
	}},
	{"list of a project", func(ctx context.Context, k history.Keeper, i int) error {
		return listing(piton.Query{Limit: 20, Project: filltest.Project(i)})(ctx, k, i)
	}},
	{"list of a file of the archive", listing(piton.Query{Limit: 1, Archive: "piton-20260101-0123456789abcdef.jsonl.zst"})},
	{"list --open of a project", func(ctx context.Context, k history.Keeper, i int) error {
		return listing(piton.Query{Limit: 20, Open: true, Project: filltest.Project(i)})(ctx, k, i)
	}},
	{"search for a rare word", searching("digest")},
	{"search for words that are everywhere", searching("part")},
	{"inspect", func(ctx context.Context, k history.Keeper, i int) error {
		_, err := k.Inspect(ctx, filltest.Checkpoint(i, 20))
		return err
	}},
	{"branches", func(ctx context.Context, k history.Keeper, i int) error {
		_, err := k.Branches(ctx, filltest.Workflow(i), "")
		return err
	}},
	{"fork", func(ctx context.Context, k history.Keeper, i int) error {
		_, err := k.Fork(ctx, history.ForkDraft{ForkRequest: piton.ForkRequest{From: filltest.Checkpoint(i, 20)}})
		return err
	}},
	{"complete", func(ctx context.Context, k history.Keeper, i int) error {
		_, err := k.Complete(ctx, history.Selector{Workflow: filltest.Workflow(i)})
		return err
	}},
	{"delete --dry-run", func(ctx context.Context, k history.Keeper, i int) error {
		_, err := k.Delete(ctx, history.Selector{ID: filltest.Checkpoint(i, 30)}, history.DeleteOptions{DryRun: true})
		return err
	}},
	{"delete", func(ctx context.Context, k history.Keeper, i int) error {
		_, err := k.Delete(ctx, history.Selector{ID: filltest.Checkpoint(i, 30)}, history.DeleteOptions{})
		return err
	}},
	{"delete of a head", func(ctx context.Context, k history.Keeper, i int) error {
		_, err := k.Delete(ctx, history.Selector{ID: filltest.Checkpoint(i, 49)}, history.DeleteOptions{})
		return err
	}},
	{"prune of a session", func(ctx context.Context, k history.Keeper, i int) error {
		_, err := k.Prune(ctx, history.PruneOptions{Session: filltest.Session(i), Policy: piton.Retention{PerSession: 40, NamedCap: 50, OpenCap: 2}})
		return err
	}},
	{"archive of a session", func(ctx context.Context, k history.Keeper, i int) error {
		_, err := k.Prune(ctx, history.PruneOptions{Session: filltest.Session(i), Policy: piton.Retention{Warm: 5, OpenCap: 2}})
		return err
	}},
	{"delete of what is archived", func(ctx context.Context, k history.Keeper, i int) error {
		_, err := k.Delete(ctx, history.Selector{ID: filltest.Checkpoint(i, 25)}, history.DeleteOptions{})
		return err
	}},
}

// long are what looks at everything: the cost of each must grow with the store
// and no faster, and no write transaction may grow with it. dry: nothing may be
// locked at all.
var long = []struct {
	name string
	dry  bool
	do   func(context.Context, history.Keeper) error
}{
	{"first search", false, func(ctx context.Context, k history.Keeper) error {
		_, err := k.Search(ctx, "parser", piton.Query{Limit: 20})
		return err
	}},
	{"prune --dry-run", true, func(ctx context.Context, k history.Keeper) error {
		_, err := k.Prune(ctx, history.PruneOptions{Policy: piton.DefaultRetention, DryRun: true})
		return err
	}},
	{"prune", false, func(ctx context.Context, k history.Keeper) error {
		_, err := k.Prune(ctx, history.PruneOptions{Policy: piton.DefaultRetention})
		return err
	}},
	{"prune again", false, func(ctx context.Context, k history.Keeper) error {
		_, err := k.Prune(ctx, history.PruneOptions{Policy: piton.DefaultRetention})
		return err
	}},
	{"search after it", false, func(ctx context.Context, k history.Keeper) error {
		_, err := k.Search(ctx, "parser", piton.Query{Limit: 20})
		return err
	}},
}

// TestCostIsLinear does what looks at everything in a small store and in one of
// five times its size.
func TestCostIsLinear(t *testing.T) {
	sizes := []int{1_000, 5_000}
	var keepers [2]history.Keeper
	var counts [2]*steps
	for i, n := range sizes {
		keepers[i], _, counts[i] = filled(t, n)
	}
	for _, v := range long {
		var sums [2]int
		for i := range sizes {
			counts[i].begin()
			if err := v.do(t.Context(), keepers[i]); err != nil {
				t.Fatalf("%s: %v", v.name, err)
			}
			sums[i] = counts[i].sum()
		}
		t.Logf("%-32s %8d %8d, in one of %d transactions %6d %6d", v.name, sums[0], sums[1], counts[1].commits, counts[0].most, counts[1].most)
		if sums[1] > sums[0]*6+1000 {
			t.Errorf("%s: got %d steps among %d checkpoints and %d among %d, want five times as many:%s", v.name, sums[0], sizes[0], sums[1], sizes[1], counts[1].worst())
		}
		if most := counts[1].most; most > 40_000 || v.dry && counts[1].commits > 0 {
			t.Errorf("%s: got %d steps in one write transaction, want at most 40000, and none in a dry run", v.name, most)
		}
	}
}

func searching(words string) func(context.Context, history.Keeper, int) error {
	return func(ctx context.Context, k history.Keeper, _ int) error {
		_, err := k.Search(ctx, words, piton.Query{Limit: 20})
		return err
	}
}

func listing(q piton.Query) func(context.Context, history.Keeper, int) error {
	return func(ctx context.Context, k history.Keeper, i int) error {
		_, err := k.List(ctx, q)
		return err
	}
}

// TestCostDoesNotGrow does each verb in a small store and in one of ten times
// its size.
func TestCostDoesNotGrow(t *testing.T) {
	sizes := []int{need.Many(1_000, 2_000), need.Many(5_000, 20_000)}
	var keepers [2]history.Keeper
	var counts [2]*steps
	for i, n := range sizes {
		keepers[i], _, counts[i] = filled(t, n)
	}
	for i := range keepers {
		if err := searching("word")(t.Context(), keepers[i], 0); err != nil { // the first one makes the index
			t.Fatal(err)
		}
	}
	for _, v := range verbs {
		var sums [2]int
		for i, n := range sizes {
			counts[i].begin()
			if err := v.do(t.Context(), keepers[i], n/50*3/4); err != nil {
				t.Fatalf("%s: %v", v.name, err)
			}
			sums[i] = counts[i].sum()
		}
		t.Logf("%-32s %6d %6d", v.name, sums[0], sums[1])
		if sums[1] > sums[0]*3/2+500 {
			t.Errorf("%s: got %d steps among %d checkpoints and %d among %d, want about as many:%s", v.name, sums[0], sizes[0], sums[1], sizes[1], counts[1].worst())
		}
	}
}
