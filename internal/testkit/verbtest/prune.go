package verbtest

import (
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
)

func dryRun(d *desk) {
	d.line("old", 5)
	d.later(20)
	d.line("new", 5)
	d.later(11)
	before := d.list(piton.Query{})
	dry, err := d.Prune(d.ctx, history.PruneOptions{Policy: policy, DryRun: true})
	if err != nil {
		d.Fatal(err)
	}
	if len(d.files()) > 0 || len(dry.Files) > 0 || !dry.DryRun {
		d.Errorf("got the files %v and %+v, want nothing written", d.files(), dry)
	}
	equal(d, "the list after the dry run", d.list(piton.Query{}), before)
	for i, c := range d.list(piton.Query{Workflow: "new", Project: project}) {
		d.loads(c, stateOf("new", 4-i))
	}
	real := d.prune()
	equal(d, "what was said of each", said(before, real), "keep step 4; archive step 3; archive step 2; archive step 1; archive step 0; "+
		"delete step 4; delete step 3; delete step 2; delete step 1; delete step 0")
	if real.Deleted != 5 || real.Archived != 4 || len(real.Files) == 0 || real.FreedBytes <= 0 {
		d.Errorf("got %+v, want 5 deleted, 4 archived, and space", real)
	}
	equal(d, "the dry run's answer", dry, real, cmpopts.IgnoreFields(history.Pruning{}, "DryRun", "Files"))
	equal(d, "the archive's files", d.files(), slices.Sorted(slices.Values(real.Files)))
	again := d.prune()
	if again.Deleted+again.Archived > 0 || len(again.Files) > 0 {
		d.Errorf("pruned again: got %+v, want nothing done", again)
	}
}

func protected(d *desk) {
	named := d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", Name: "before the change", State: []byte(`{"n":1}`)}})
	phase := d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", Phase: "build", PhaseNumber: 1, PhaseTotal: 3, State: []byte(`{"n":2}`)}})
	d.line("import", 4)
	d.later(8)
	open := d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "open", StepName: "the head", State: []byte(`{"n":3}`)}})
	d.line("closed", 2)
	if _, err := d.Complete(d.ctx, history.Selector{Workflow: "closed", Project: project}); err != nil {
		d.Fatal(err)
	}
	d.later(23)
	before := d.list(piton.Query{})
	p := d.prune()
	equal(d, "what was said of each", said(before, p), "archive step 1; archive step 0; keep the head; "+
		"delete step 3; delete step 2; delete step 1; delete step 0; keep build; keep before the change")
	for c, state := range map[*piton.Checkpoint]string{&named: `{"n":1}`, &phase: `{"n":2}`, &open: `{"n":3}`} {
		if got, err := d.Fixture.Store.State(d.ctx, c.ID); err != nil || string(got) != state {
			d.Errorf("%s: got %s, %v, want it here with its state", c.Step(), got, err)
		}
	}
}

func damagedStays(d *desk) {
	all := d.line("import", 6)
	d.spoil(all[1]) // nobody knows of it yet
	p := d.prune()
	if p.Archived != 2 {
		d.Errorf("got %+v, want 2 of 3 archived", p)
	}
	for _, v := range p.Rows {
		if v.ID == all[1].ID && (v.Action != piton.Keep || !strings.Contains(v.Reason, "damaged")) {
			d.Errorf("got %+v, want it kept because it is damaged", v)
		}
	}
	d.marked(all[1])
	d.falls(all[1], all[0], stateOf("import", 0))
	d.later(31)
	d.prune()
	equal(d, "what is left", steps(d.list(piton.Query{})), []string{"step 1"})
}

func logged(d *desk) {
	all := d.line("import", 5)
	done := d.line("done", 1)[0]
	d.prune()
	if _, err := d.Complete(d.ctx, history.Selector{ID: done.ID}); err != nil {
		d.Fatal(err)
	}
	file := d.exported()
	for _, c := range []piton.Checkpoint{all[0], done} {
		if _, err := d.Delete(d.ctx, history.Selector{ID: c.ID}, history.DeleteOptions{}); err != nil {
			d.Fatal(err)
		}
	}
	d.take(file)
	d.later(31)
	d.prune()
	for name, x := range map[string]struct {
		c    piton.Checkpoint
		want []store.EventKind
	}{
		"archived, deleted, imported": {all[0], []store.EventKind{store.CheckpointCreated, store.CheckpointArchived, store.CheckpointDeleted, store.CheckpointImported, store.CheckpointPruned}},
		"archived":                    {all[1], []store.EventKind{store.CheckpointCreated, store.CheckpointArchived, store.CheckpointPruned}},
		"kept":                        {all[4], []store.EventKind{store.CheckpointCreated, store.CheckpointPruned}},
		"completed":                   {done, []store.EventKind{store.CheckpointCreated, store.CheckpointCompleted, store.CheckpointDeleted, store.CheckpointImported, store.CheckpointPruned}},
	} {
		kinds, err := d.Events(x.c.ID)
		if err != nil {
			d.Fatal(err)
		}
		// A store may keep its log by days, and has a clock of its own.
		slices.Sort(kinds)
		slices.Sort(x.want)
		equal(d, name, kinds, x.want)
	}
}
