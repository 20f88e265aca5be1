package verbtest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
)

// lost looks at everything that was saved beside a pruning.
func (d *desk) lost(saved map[string][]byte) {
	d.Helper()
	for id, want := range saved {
		got, err := d.Load(d.ctx, history.Selector{ID: id}, false)
		if err != nil || string(got.State) != string(want) {
			d.Fatalf("%s: got %.60s, %v, want what was acknowledged", id, got.State, err)
		}
	}
	seqs := map[string][]int64{}
	for _, c := range d.list(piton.Query{}) {
		seqs[c.WorkflowID] = append(seqs[c.WorkflowID], c.Seq)
	}
	for flow, list := range seqs {
		for i, n := range list {
			if n != int64(len(list)-i) {
				d.Fatalf("%s: got the numbers %v, want each once", flow, list)
			}
		}
	}
	v, err := d.Verify(d.ctx, history.VerifyOptions{})
	if err != nil || v.Intact != len(saved) || len(v.Damaged)+len(v.Store) > 0 {
		d.Errorf("verify: got %+v, %v, want %d intact", v, err, len(saved))
	}
}

func pruneBesideSavers(d *desk) {
	const savers, each = 3, 14
	saved := map[string][]byte{}
	for i, c := range d.line("flow 0", 8) {
		saved[c.ID] = stateOf("flow 0", i)
	}
	var mu sync.Mutex
	var working, pruning sync.WaitGroup
	var idle atomic.Bool
	for n := range savers {
		working.Go(func() {
			flow := fmt.Sprint("flow ", n%2) // two of them share one
			for i := range each {
				state := stateOf(flow, 1000*n+i)
				c, err := d.Save(d.ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: flow, InProject: piton.InProject{Project: project}, State: state}})
				if err != nil {
					d.Errorf("save: got %v, want no error", err)
					return
				}
				mu.Lock()
				saved[c.ID] = state
				mu.Unlock()
			}
		})
	}
	prunes, cold := 0, 0
	pruning.Go(func() {
		for last := false; !last; {
			last = idle.Load() // once more when all is saved
			p, err := d.Prune(d.ctx, history.PruneOptions{Policy: policy})
			if err != nil {
				d.Errorf("prune: got %v, want no error", err)
				return
			}
			prunes, cold = prunes+1, cold+p.Archived
		}
	})
	working.Wait()
	idle.Store(true)
	pruning.Wait()
	if want := 8 + savers*each - 2*3; cold != want {
		d.Errorf("got %d archived by %d prunings, want %d: all but a head and two", cold, prunes, want)
	}
	d.lost(saved)
}

// late deletes a checkpoint the moment before the archive is written.
type late struct {
	store.Archive
	before func()
}

func (l *late) Write(ctx context.Context, entries store.CleanEntries) (string, int64, error) {
	name, size, err := l.Archive.Write(ctx, entries)
	l.before()
	return name, size, err
}

func pruneBesideDeletes(d *desk) {
	all := d.line("import", 7)
	k := d.Keeper
	k.Archive = &late{d.cold, func() {
		if _, err := d.Delete(d.ctx, history.Selector{ID: all[1].ID}, history.DeleteOptions{}); err != nil {
			d.Errorf("delete: got %v, want no error", err)
		}
	}}
	p, err := k.Prune(d.ctx, history.PruneOptions{Policy: policy})
	if err != nil || p.Archived != 3 {
		d.Fatalf("got %+v, %v, want 3 archived and the other gone", p, err)
	}
	for _, i := range []int{0, 2, 3, 4, 5, 6} {
		d.loads(all[i], stateOf("import", i))
	}
}

// prunesAtOnce prunes the same several times at once, as the hooks of several
// sessions do.
func prunesAtOnce(d *desk) {
	old := d.line("old", 12)
	d.later(31)
	saved := map[string][]byte{}
	for i, c := range d.line("import", 12) {
		saved[c.ID] = stateOf("import", i)
	}
	var all sync.WaitGroup
	var deleted atomic.Int64
	for range 3 {
		all.Go(func() {
			p, err := d.Prune(d.ctx, history.PruneOptions{Policy: policy})
			if err != nil {
				d.Errorf("prune: got %v, want no error", err)
			}
			deleted.Add(int64(p.Deleted))
		})
	}
	all.Wait()
	if deleted.Load() != int64(len(old)) {
		d.Errorf("got %d deleted, want each once, %d", deleted.Load(), len(old))
	}
	cold := 0
	for _, c := range d.list(piton.Query{}) {
		if c.Archive != "" {
			cold++
		}
	}
	if cold != 9 {
		d.Errorf("got %d in the archive, want 9: all but a head and two", cold)
	}
	d.lost(saved)
}
