package verbtest

import (
	"fmt"
	"path/filepath"
	"sync"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/history"
	"github.com/piton-project/piton/sqlite"
)

// here is a keeper over a store of this machine, from which d's store is
// filled.
func (d *desk) here() *desk {
	d.Helper()
	s, err := sqlite.Open(d.ctx, filepath.Join(d.TempDir(), "piton.db"), sqlite.Options{})
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { s.Close() })
	if _, err := s.Project(d.ctx, "here", []piton.Alias{{Kind: piton.AliasPath, Value: "/here"}}); err != nil {
		d.Fatal(err)
	}
	local := newDesk(d.T, Fixture{Store: s})
	local.Local = s
	d.Local, d.StoreName, d.cold, d.Keeper.Archive = s, "far", local.cold, local.cold
	return local
}

// flush carries over what is new and fails unless it was so much.
func (d *desk) flush(what string, want history.Flushed) {
	d.Helper()
	f, err := d.Flush(d.ctx, nil)
	if err != nil {
		d.Fatalf("%s: got %v, want no error", what, err)
	}
	equal(d, what, f, want, cmpopts.IgnoreFields(history.Flushed{}, "Offered"))
}

func flushes(d *desk) {
	local := d.here()
	local.furnish()
	for n := range 3 {
		local.time = local.time.Add(1e9)
		if _, err := local.Save(local.ctx, history.Draft{Session: "mine", Type: piton.TypeSession, Workflow: "of a session", Project: project, State: fmt.Appendf(nil, `{"turn":%d}`, n)}); err != nil {
			d.Fatal(err)
		}
	}
	n := len(local.list(piton.Query{}))
	d.flush("the first time", history.Flushed{Copied: n})
	alike(d, local)
	before := d.list(piton.Query{})
	for range 2 {
		d.flush("again", history.Flushed{})
		equal(d, "the list", d.list(piton.Query{}), before)
	}
	// As if the mark had not been written: everything is carried again.
	d.StoreName = "far, by another name"
	f, err := d.Flush(d.ctx, nil)
	if err != nil || f.Copied+f.Completed+f.Deleted > 0 {
		d.Errorf("from the beginning: got %+v, %v, want nothing new", f, err)
	}
	equal(d, "the list", d.list(piton.Query{}), before)
	alike(d, local)
}

func flushCarries(d *desk) {
	local := d.here()
	all := local.line("import", 5)
	local.line("done", 2)
	d.flush("the first time", history.Flushed{Copied: 7})
	if _, err := local.Complete(d.ctx, history.Selector{Workflow: "done", Project: project}); err != nil {
		d.Fatal(err)
	}
	if _, err := local.Delete(d.ctx, history.Selector{ID: all[4].ID}, 0, false); err != nil {
		d.Fatal(err)
	}
	if _, err := local.Delete(d.ctx, history.Selector{ID: all[1].ID}, 0, false); err != nil {
		d.Fatal(err)
	}
	local.save(history.Draft{Workflow: "import", StepName: "next", State: []byte(`{"next":1}`)})
	d.flush("what came since", history.Flushed{Copied: 1, Completed: 1, Deleted: 2})
	alike(d, local)
	d.flush("again", history.Flushed{})
	alike(d, local)
	local.save(history.Draft{Workflow: "done", StepName: "opened", State: []byte(`{}`)})
	d.flush("after a later save", history.Flushed{Copied: 1})
	alike(d, local)
}

func flushApart(d *desk) {
	local := d.here()
	local.line("import", 2)
	d.flush("the first time", history.Flushed{Copied: 2})
	d.time = local.time
	there := d.save(history.Draft{Workflow: "import", StepName: "there", State: []byte(`{"there":1}`)})
	local.save(history.Draft{Workflow: "import", StepName: "here", State: []byte(`{"here":1}`)})
	local.line("other", 2)
	d.flush("what came since", history.Flushed{Copied: 2, LeftOut: 1})
	local.save(history.Draft{Workflow: "import", StepName: "here again", State: []byte(`{"here":2}`)})
	late := local.save(history.Draft{Workflow: "other", StepName: "late", State: []byte(`{"late":1}`)})
	d.flush("what came then", history.Flushed{Copied: 1, LeftOut: 1})
	d.loads(there, []byte(`{"there":1}`))
	d.loads(late, []byte(`{"late":1}`))
	if head, err := d.Fixture.Store.Head(d.ctx, there.WorkflowID, ""); err != nil || head.ID != there.ID {
		d.Errorf("the head: got %s, %v, want the store's own", head.ID, err)
	}
}

func flushesAtOnce(d *desk) {
	local := d.here()
	for round := range 6 {
		local.line(fmt.Sprint("flow ", round%4), 3)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if f, err := d.Flush(d.ctx, nil); err != nil || f.LeftOut > 0 {
					d.Errorf("got %+v, %v, want no error and none left out", f, err)
				}
			})
		}
		all.Wait()
	}
	alike(d, local)
}
