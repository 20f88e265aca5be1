package verbtest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
)

// Kind is a kind of store.
type Kind struct {
	Name string
	Open func(testing.TB) Fixture
}

// Exchange exports from each kind of store and imports into each, its own kind
// too.
func Exchange(t *testing.T, kinds ...Kind) {
	for _, from := range kinds {
		for _, to := range kinds {
			t.Run(from.Name+" to "+to.Name, func(t *testing.T) {
				exchange(newDesk(t, from.Open(t)), newDesk(t, to.Open(t)))
			})
		}
	}
}

// elsewhere is what a checkpoint has from the store it lies in.
var elsewhere = cmpopts.IgnoreFields(piton.Checkpoint{}, "Ordinal", "StoredBytes", "File", "Archive", "ImportedAt")

// furnish makes work of every kind: named and nameless workflows, branches,
// what is completed, finished, archived, deleted, and odd states.
func (d *desk) furnish() {
	d.Helper()
	all := d.line("import", 9)
	step, progress := 3, 42
	d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", StepName: "Bauen & prüfen", Step: &step, Progress: &progress, Name: "before the change", Description: "two\nlines", Task: "Übung 🧗", Tags: []string{"b", "a"}, DurationMS: 1 << 40, TokenUsage: &piton.TokenUsage{Input: 1, CacheWrite: 1 << 50}, Trigger: piton.TriggerPreRisky, State: []byte(`{"n":1e400,"z":-0,"s":"\u003c","big":12345678901234567890123}`)}, Origin: piton.Origin{Agent: "claude", ClientVersion: "2.1", Host: "höhle", GitHead: "abc", GitBranch: "main"}})
	for _, branch := range []string{"zebra", "ant"} {
		if _, err := d.Fork(d.ctx, history.ForkDraft{ForkRequest: piton.ForkRequest{From: all[4].ID, Branch: branch}}); err != nil {
			d.Fatal(err)
		}
		d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", Branch: branch, State: fmt.Appendf(nil, `{"on":%q}`, branch)}})
	}
	d.line("done", 3)
	if _, err := d.Complete(d.ctx, history.Selector{Workflow: "done", Project: project}); err != nil {
		d.Fatal(err)
	}
	d.line("goes on", 2)
	if _, err := d.Complete(d.ctx, history.Selector{Workflow: "goes on", Project: project}); err != nil {
		d.Fatal(err)
	}
	d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "goes on", State: []byte(`{}`)}})
	for n := 1; n <= 3; n++ {
		d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "phases", Phase: fmt.Sprint("phase ", n), PhaseNumber: n, PhaseTotal: 3, State: []byte(`{"phase":true}`)}})
	}
	d.save(history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{"text":"` + strings.Repeat("a large one ", 20_000) + `"}`)}})
	if _, err := d.Delete(d.ctx, history.Selector{ID: all[6].ID}, history.DeleteOptions{}); err != nil {
		d.Fatal(err)
	}
	if p := d.prune(); p.Archived == 0 {
		d.Fatalf("got %+v, want some in the archive", p)
	}
}

// exported is a store as an export file.
func (d *desk) exported() []byte {
	d.Helper()
	entries, _, err := d.Export(d.ctx, piton.Query{}, func(c piton.Checkpoint, err error) { d.Errorf("%s was left out: %v", c.ID, err) })
	if err != nil {
		d.Fatal(err)
	}
	var file bytes.Buffer
	if err := archive.Encode(&file, entries); err != nil {
		d.Fatalf("export: got %v, want no error", err)
	}
	return file.Bytes()
}

// take imports an export file.
func (d *desk) take(file []byte) history.Imported {
	d.Helper()
	r, err := d.Import(d.ctx, archive.Decode(bytes.NewReader(file)), history.ImportOptions{Project: ownProject})
	if err != nil {
		d.Fatalf("import: got %v, want no error", err)
	}
	return r
}

// ownProject leaves an entry in its project.
func ownProject(e store.Entry) (string, error) { return e.Checkpoint.Project, nil }

// alike fails unless two stores hold the same.
func alike(d, want *desk) {
	d.Helper()
	byID := func(a, b piton.Checkpoint) int { return strings.Compare(a.ID, b.ID) }
	got, all := d.list(piton.Query{}), want.list(piton.Query{})
	slices.SortFunc(got, byID)
	slices.SortFunc(all, byID)
	equal(d, "records", got, all, elsewhere)
	seen := map[string]bool{}
	for _, c := range all {
		a, err := want.Load(d.ctx, history.Selector{ID: c.ID}, false)
		b, err2 := d.Load(d.ctx, history.Selector{ID: c.ID}, false)
		if err != nil || err2 != nil || string(a.State) != string(b.State) {
			d.Errorf("state of %s: got %.60s, %v; want %.60s, %v", c.ID, b.State, err2, a.State, err)
		}
		if seen[c.WorkflowID] {
			continue
		}
		seen[c.WorkflowID] = true
		w, err := want.Fixture.Store.Workflow(d.ctx, c.WorkflowID, "")
		v, err2 := d.Fixture.Store.Workflow(d.ctx, c.WorkflowID, "")
		if err != nil || err2 != nil {
			d.Fatal(err, err2)
		}
		equal(d, "workflow "+w.Label(), v, w)
		bs, err := want.Branches(d.ctx, w.ID, "")
		cs, err2 := d.Branches(d.ctx, w.ID, "")
		if err != nil || err2 != nil {
			d.Fatal(err, err2)
		}
		equal(d, "branches of "+w.Label(), cs, bs)
	}
	faults, err := d.Fixture.Store.Upkeep().Check(d.ctx)
	if err != nil || len(faults) > 0 {
		d.Errorf("check: got %q, %v, want nothing", faults, err)
	}
}

func exchange(from, to *desk) {
	from.furnish()
	file := from.exported()
	n := len(from.list(piton.Query{}))
	if r := to.take(file); r.Added != n || r.Known != 0 || r.Redacted != 0 {
		to.Errorf("got %d added, %d known, %d redacted; want %d, all new", r.Added, r.Known, r.Redacted, n)
	}
	alike(to, from)
	before := to.list(piton.Query{})
	if r := to.take(file); r.Added != 0 || r.Known != n {
		to.Errorf("again: got %d added, %d known; want %d known", r.Added, r.Known, n)
	}
	equal(to, "the list after importing again", to.list(piton.Query{}), before)
	alike(to, from)
	// Work goes on in the other store as it would have here.
	for _, d := range []*desk{from, to} {
		d.time = from.time
		c := d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", State: []byte(`{"next":1}`)}})
		head, err := from.Fixture.Store.Workflow(d.ctx, c.WorkflowID, "")
		if err != nil || head.Seq != c.Seq {
			d.Errorf("the next number: got %d, %v, want that of the other store, %d", c.Seq, err, head.Seq)
		}
	}
}
