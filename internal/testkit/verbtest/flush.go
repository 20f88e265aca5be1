package verbtest

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// here is a keeper over a store of this machine, from which d's store is
// filled.
func (d *desk) here() *desk {
	d.Helper()
	s := d.sqlite("piton.db")
	if _, err := s.Project(d.ctx, redact.Name("here"), redact.Value([]piton.Alias{{Kind: piton.AliasPath, Value: "/here"}})); err != nil {
		d.Fatal(err)
	}
	local := newDesk(d.T, Fixture{Store: s})
	local.Local = s.Local()
	d.Local, d.StoreName, d.cold, d.Keeper.Archive = local.Local, "far", local.cold, local.cold
	return local
}

// sqlite is an empty store in a file of the test's own.
func (d *desk) sqlite(name string) *sqlstore.Store {
	d.Helper()
	s, err := sqlite.Open(d.ctx, filepath.Join(d.TempDir(), name), sqlite.Options{})
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { s.Close() })
	return s
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
		if _, err := local.Save(local.ctx, history.Draft{SaveRequest: piton.SaveRequest{Session: "mine", Type: piton.TypeSession, Workflow: "of a session", InProject: piton.InProject{Project: project}, State: fmt.Appendf(nil, `{"turn":%d}`, n)}}); err != nil {
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
	if _, err := local.Delete(d.ctx, history.Selector{ID: all[4].ID}, history.DeleteOptions{}); err != nil {
		d.Fatal(err)
	}
	if _, err := local.Delete(d.ctx, history.Selector{ID: all[1].ID}, history.DeleteOptions{}); err != nil {
		d.Fatal(err)
	}
	local.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", StepName: "next", State: []byte(`{"next":1}`)}})
	d.flush("what came since", history.Flushed{Copied: 1, Completed: 1, Deleted: 2})
	alike(d, local)
	d.flush("again", history.Flushed{})
	alike(d, local)
	local.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "done", StepName: "opened", State: []byte(`{}`)}})
	d.flush("after a later save", history.Flushed{Copied: 1})
	alike(d, local)
}

// flushLate carries everything to a store that is reached for the first time when the
// events which would tell of it have expired.
func flushLate(d *desk) {
	local := d.here()
	local.line("import", 70) // more than are carried at once
	local.line("done", 2)
	if _, err := local.Complete(d.ctx, history.Selector{Workflow: "done", Project: project}); err != nil {
		d.Fatal(err)
	}
	if err := d.Local.Expire(d.ctx, piton.At(local.time.AddDate(0, 0, 1))); err != nil {
		d.Fatal(err)
	}
	if events, err := d.Local.Events(d.ctx, 0, 100); err != nil || len(events) != 1 {
		d.Fatalf("got %d events, %v, want the newest alone", len(events), err)
	}
	f, err := d.Flush(d.ctx, nil)
	if err != nil || f.Copied != 72 {
		d.Fatalf("got %+v, %v, want all 72 copied", f, err)
	}
	alike(d, local)
	d.flush("again", history.Flushed{})
	local.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", StepName: "next", State: []byte(`{"next":1}`)}})
	d.flush("after a later save", history.Flushed{Copied: 1})
	alike(d, local)
}

// flushFinishes completes in the store, as another machine does, and looks for
// it here.
func flushFinishes(d *desk) {
	local := d.here()
	local.line("import", 3)
	d.flush("all", history.Flushed{Copied: 3})
	far := d.Keeper
	far.Local = nil // another machine
	w, err := far.Store.Workflow(d.ctx, "import", project)
	if err != nil {
		d.Fatal(err)
	}
	if _, err := far.Complete(d.ctx, history.Selector{Workflow: w.ID}); err != nil {
		d.Fatal(err)
	}
	d.flush("completed there", history.Flushed{})
	if open, _, err := local.Detect(d.ctx, project, "", 10); err != nil || len(open) > 0 {
		d.Errorf("open here: got %d, %v, want none", len(open), err)
	}
	alike(d, local)
}

// flushRunAtWork looks from here at a run that another machine works on, and then does
// not. A store without runs has its plan only, which nobody works on.
func flushRunAtWork(d *desk) {
	local := d.here()
	list, err := local.Local.Projects(d.ctx)
	if err != nil || len(list) != 1 {
		d.Fatalf("got %d projects, %v, want one", len(list), err)
	}
	theirs := d.Keeper
	theirs.Local = nil
	c, err := theirs.Save(d.ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "research", Type: piton.TypePlan, InProject: piton.InProject{Project: list[0].SharedID()}, State: []byte(`{"current_step_index":0,"plan":[{"id":"a","status":"running"}]}`)}})
	if err != nil {
		d.Fatal(err)
	}
	alive := d.Keeper.Store.Runs() != nil
	if alive {
		r := piton.Run{ID: piton.NewID(piton.RunPrefix), WorkflowID: c.WorkflowID, Branch: c.Branch, Project: c.Project, CheckpointID: c.ID, Status: piton.RunRunning, Owner: piton.Owner{PID: 7, Host: "there"}, Fence: 1}
		err := d.Keeper.Store.Save(d.ctx, func(tx store.Tx) error {
			return tx.Runs.AddRun(d.ctx, redact.Value(r), redact.Unchecked(json.RawMessage(`{}`)))
		})
		if err != nil {
			d.Fatal(err)
		}
	}
	d.RunAlive = func(r piton.Run) bool { return alive && r.Owner.Host == "there" }
	k := local.Keeper
	k.StoreName = d.StoreName
	for range 2 {
		want := 1
		if alive {
			want = 0
		}
		if f, err := d.Flush(d.ctx, nil); err != nil || f.Offered != want {
			d.Errorf("alive %t: got %d offered, %v, want %d", alive, f.Offered, err, want)
		}
		if open, more, err := k.Detect(d.ctx, list[0].ID, "", 10); err != nil || len(open) != want || more != 0 {
			d.Errorf("alive %t: got %d open and %d more, %v, want %d", alive, len(open), more, err, want)
		}
		alive = false
	}
}

// flushForeign refuses to write to a session's workflow of another machine.
func flushForeign(d *desk) {
	d.here()
	theirs := d.Keeper
	theirs.Local = nil
	c, err := theirs.Save(d.ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "theirs", Type: piton.TypeSession, InProject: piton.InProject{Project: project}, State: []byte(`{}`)}})
	if err != nil {
		d.Fatal(err)
	}
	d.flush("nothing here", history.Flushed{Offered: 1})
	_, err = d.Keeper.Save(d.ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: c.WorkflowID, State: []byte(`{}`)}})
	d.wantCode("a save to it", err, piton.Conflict)
	_, err = d.Keeper.Fork(d.ctx, history.ForkDraft{ForkRequest: piton.ForkRequest{From: c.ID}})
	d.wantCode("a fork of it", err, piton.Conflict)
}

func flushOfWhatCameBack(d *desk) {
	local := d.here()
	all := local.line("import", 4)
	file := local.exported()
	for _, c := range all[1:3] {
		if _, err := local.Delete(d.ctx, history.Selector{ID: c.ID}, history.DeleteOptions{}); err != nil {
			d.Fatal(err)
		}
	}
	local.take(file)
	d.flush("saved, deleted and imported", history.Flushed{Copied: 4})
	alike(d, local)
	if _, err := local.Delete(d.ctx, history.Selector{ID: all[3].ID}, history.DeleteOptions{}); err != nil {
		d.Fatal(err)
	}
	d.flush("deleted", history.Flushed{Deleted: 1})
	local.take(file)
	d.flush("imported again", history.Flushed{Copied: 1})
	alike(d, local)
}

func flushLeavesDamage(d *desk) {
	local := d.here()
	all := local.line("import", 5)
	local.Damage = SQL(local.Fixture.Store.(*sqlstore.Store)).Damage
	local.spoil(all[2])
	d.flush("one is damaged", history.Flushed{Copied: 4, LeftOut: 1})
	for i, c := range all {
		if i == 2 {
			_, err := d.Load(d.ctx, history.Selector{ID: c.ID}, true)
			d.wantCode("the damaged one", err, piton.NotFound)
			continue
		}
		d.loads(c, stateOf("import", i))
	}
	d.flush("again", history.Flushed{})
}

// flushesAtOnce carries the same over several times at once, as the hooks of
// several sessions do.
func flushesAtOnce(d *desk) {
	local := d.here()
	n := 0
	for round := range 4 {
		n += len(local.line(fmt.Sprint("round ", round), 6))
		line := local.line("all", 6)
		n += len(line)
		if _, err := local.Fork(d.ctx, history.ForkDraft{ForkRequest: piton.ForkRequest{From: line[2].ID, Branch: fmt.Sprint("fork ", round)}}); err != nil {
			d.Fatal(err)
		}
		n++
		if _, err := local.Complete(d.ctx, history.Selector{Workflow: "all", Project: project}); err != nil {
			d.Fatal(err)
		}
		local.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "all", State: []byte(`{}`)}})
		n++
		copied := d.flushAtOnce()
		if d.Failed() {
			return
		}
		if copied != int64(n) {
			d.Errorf("got %d copied, want each once, %d", copied, n)
		}
		n = 0
		alike(d, local)
	}
}

// flushShares prunes both stores into one archive, where the same checkpoints
// lie in one file.
func flushShares(d *desk) {
	local := d.here()
	all := local.line("import", 8)
	d.flush("all", history.Flushed{Copied: 8})
	local.prune()
	d.time = local.time
	d.prune()
	if _, err := d.Delete(d.ctx, history.Selector{ID: all[7].ID}, history.DeleteOptions{}); err != nil {
		d.Fatal(err)
	}
	d.later(31)
	if p := d.prune(); p.Deleted != 7 {
		d.Errorf("got %+v, want all of the far store deleted", p)
	}
	for i, c := range all[:7] { // the eighth was deleted, in both
		local.loads(c, stateOf("import", i))
	}
}

// flushApart saves to one workflow here and in the store: each side keeps what
// it has, and the store gets both.
func flushApart(d *desk) {
	local := d.here()
	local.line("import", 2)
	d.flush("the first time", history.Flushed{Copied: 2})
	d.time = local.time
	there := d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", StepName: "there", State: []byte(`{"there":1}`)}})
	here := local.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", StepName: "here", State: []byte(`{"here":1}`)}})
	local.line("other", 2)
	aside := func(n int) []history.Aside {
		return []history.Aside{{WorkflowID: there.WorkflowID, Workflow: "import", Branches: []string{"imported/main"}, Count: n}}
	}
	d.flush("what came since", history.Flushed{Copied: 3, Aside: aside(1)})
	again := local.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", StepName: "here again", State: []byte(`{"here":2}`)}})
	third := local.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", StepName: "and again", State: []byte(`{"here":3}`)}})
	late := local.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "other", StepName: "late", State: []byte(`{"late":1}`)}})
	d.flush("what came then", history.Flushed{Copied: 3, Aside: aside(2)})
	d.flush("again", history.Flushed{})
	d.StoreName = "far, by another name" // as if no mark had been written
	d.flush("from the beginning", history.Flushed{})
	d.StoreName = "far"
	d.loads(there, []byte(`{"there":1}`))
	d.loads(late, []byte(`{"late":1}`))
	for i, c := range []piton.Checkpoint{here, again, third} {
		state, err := d.Load(d.ctx, history.Selector{ID: c.ID}, false)
		if err != nil || string(state.State) != fmt.Sprintf(`{"here":%d}`, i+1) || state.Checkpoint.Branch != "imported/main" {
			d.Errorf("saved here: got %s on %s, %v, want it on a branch set aside", state.State, state.Checkpoint.Branch, err)
		}
	}
	if head, err := d.Fixture.Store.Head(d.ctx, there.WorkflowID, ""); err != nil || head.ID != there.ID {
		d.Errorf("the head: got %s, %v, want the store's own", head.ID, err)
	}
	if head, err := local.Fixture.Store.Head(d.ctx, there.WorkflowID, ""); err != nil || head.ID != third.ID {
		d.Errorf("the head here: got %s, %v, want what was saved here", head.ID, err)
	}
	if _, err := local.Delete(d.ctx, history.Selector{ID: third.ID}, history.DeleteOptions{}); err != nil {
		d.Fatal(err)
	}
	if _, err := local.Complete(d.ctx, history.Selector{ID: again.ID}); err != nil {
		d.Fatal(err)
	}
	d.flush("deleted and completed", history.Flushed{Completed: 1, Deleted: 1})
	if c, err := d.Fixture.Store.Checkpoint(d.ctx, again.ID); err != nil || !c.Completed {
		d.Errorf("completed here: got %v, %v, want it completed in the store", c.Completed, err)
	}
}

// flushApartAtOnce carries what cannot keep its numbers several times at once.
func flushApartAtOnce(d *desk) {
	local := d.here()
	local.line("import", 2)
	d.flush("the first time", history.Flushed{Copied: 2})
	d.time = local.time
	d.line("import", 3)
	for range 4 {
		mine := local.line("import", 6)
		copied := d.flushAtOnce()
		if copied != int64(len(mine)) {
			d.Errorf("got %d copied, want each once, %d", copied, len(mine))
		}
		for i, c := range mine {
			d.loads(c, stateOf("import", i))
		}
	}
	if faults, err := d.Fixture.Store.Upkeep().Check(d.ctx); err != nil || len(faults) > 0 {
		d.Errorf("check: got %q, %v, want nothing", faults, err)
	}
}

// flushAtOnce flushes three times at once and returns how many were copied.
func (d *desk) flushAtOnce() int64 {
	var copied atomic.Int64
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			f, err := d.Flush(d.ctx, nil)
			if err != nil {
				d.Errorf("flush: got %v, want no error", err)
			}
			copied.Add(int64(f.Copied))
		})
	}
	all.Wait()
	return copied.Load()
}
