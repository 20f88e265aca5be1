package verbtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/history"
)

// policy keeps little, so that a few checkpoints show all of it.
var policy = piton.Retention{Warm: 2, WarmFor: 7 * 24 * time.Hour, DeleteAt: 30 * 24 * time.Hour, NamedCap: 2, OpenFor: 30 * 24 * time.Hour, OpenCap: 50}

// prune applies the policy.
func (d *desk) prune() history.Pruning {
	d.Helper()
	p, err := d.Prune(d.ctx, history.PruneOptions{Policy: policy})
	if err != nil {
		d.Fatalf("prune: got %v, want no error", err)
	}
	return p
}

// said are the steps of all checkpoints with what is done to them, for
// checkpoints as they were listed before.
func said(before []piton.Checkpoint, p history.Pruning) string {
	var b strings.Builder
	for _, v := range p.Rows {
		for _, c := range before {
			if c.ID == v.ID {
				fmt.Fprintf(&b, "%s %s; ", v.Action, c.Step())
			}
		}
	}
	return strings.TrimSuffix(b.String(), "; ")
}

// files are the names of the archive's files.
func (d *desk) files() []string {
	d.Helper()
	names, err := d.cold.Files(d.ctx)
	if err != nil {
		d.Fatal(err)
	}
	return names
}

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

func archived(d *desk) {
	all := d.line("import", 6)
	other := d.save(history.Draft{Workflow: "other", State: []byte(`{"other":true}`)})
	before := d.list(piton.Query{})
	p := d.prune()
	equal(d, "what was said of each", said(before, p), "keep other; keep step 5; keep step 4; keep step 3; archive step 2; archive step 1; archive step 0")
	after := d.list(piton.Query{})
	var cold []string
	for _, c := range after {
		if c.Archive != "" {
			cold = append(cold, c.ID)
			equal(d, "its file", []string{c.Archive}, p.Files)
		}
	}
	equal(d, "in the archive", cold, []string{all[2].ID, all[1].ID, all[0].ID})
	equal(d, "the list", after, before, cmpopts.IgnoreFields(piton.Checkpoint{}, "Archive", "File", "StoredBytes"))
	for i, c := range all {
		d.loads(c, stateOf("import", i))
	}
	r, err := d.Resume(d.ctx, history.Selector{ID: all[1].ID[:14]})
	if err != nil || r.Checkpoint.ID != all[1].ID || string(r.State) != string(stateOf("import", 1)) || r.RecoveredFrom != "" {
		d.Errorf("resume: got %+v, %v, want the archived one", r.Checkpoint, err)
	}
	entries, n, err := d.Export(d.ctx, piton.Query{Workflow: "import", Project: project}, nil)
	if err != nil || n != 6 {
		d.Fatalf("export: got %d, %v, want 6", n, err)
	}
	i := 0
	for e, err := range entries {
		if err != nil || e.Checkpoint.ID != all[i].ID || string(e.State) != string(stateOf("import", i)) || e.Checkpoint.Archive != "" {
			d.Errorf("exported %d: got %s with %.60s, %v; want %s", i, e.Checkpoint.ID, e.State, err, all[i].ID)
		}
		i++
	}
	v, err := d.Verify(d.ctx, piton.Query{}, false, nil)
	if err != nil || v.Intact != 7 || len(v.Damaged)+len(v.Store) > 0 {
		d.Errorf("verify: got %+v, %v, want all intact", v, err)
	}
	f, err := d.Fork(d.ctx, history.ForkDraft{From: all[0].ID, Branch: "again"})
	if err != nil {
		d.Fatalf("fork from the archived one: got %v, want no error", err)
	}
	d.loads(f.Checkpoint, stateOf("import", 0))
	// What is intact in the archive stands in for what is damaged here.
	d.spoil(all[3])
	d.falls(all[3], all[2], stateOf("import", 2))
	d.loads(other, []byte(`{"other":true}`))
	// Without the archive nothing is damaged, only out of reach.
	k := d.Keeper
	k.Archive = nil
	_, err = k.Load(d.ctx, history.Selector{ID: all[0].ID}, true)
	d.wantCode("load without an archive", err, piton.Unavailable)
	d.marked(all[3])
}

func filesGo(d *desk) {
	old := d.line("import", 6)
	first := d.prune()
	d.later(20)
	d.save(history.Draft{Workflow: "import", StepName: "late", State: []byte(`{"late":1}`)})
	second := d.prune()
	if len(first.Files) != 1 || len(second.Files) != 1 || second.Archived != 3 || len(d.files()) != 2 {
		d.Fatalf("got the files %v, then %v, in the archive %v; want one each", first.Files, second.Files, d.files())
	}
	kept := d.save(history.Draft{Workflow: "kept", Name: "keeps its file", State: []byte(`{"kept":true}`)})
	// One of the second file's is moved to the first, as if two prunings had met.
	err := d.Fixture.Store.Save(d.ctx, func(tx piton.CheckpointTx) error {
		_, err := tx.Archive(d.ctx, []string{old[5].ID}, second.Files[0])
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
	d.later(11)
	third := d.prune()
	if third.Deleted != 6 {
		d.Errorf("got %+v, want the 6 old ones deleted", third)
	}
	for _, c := range old {
		_, err := d.Load(d.ctx, history.Selector{ID: c.ID}, false)
		d.wantCode("load what was deleted", err, piton.NotFound)
	}
	if names := d.files(); slices.Contains(names, first.Files[0]) || slices.Contains(names, second.Files[0]) {
		d.Errorf("got the files %v, want those gone that nothing names", names)
	}
	d.loads(kept, []byte(`{"kept":true}`))
	for _, c := range d.list(piton.Query{}) {
		if c.Archive != "" && !slices.Contains(d.files(), c.Archive) {
			d.Errorf("%s: got its file %s gone, want it there", c.Step(), c.Archive)
		}
	}
}

func protected(d *desk) {
	named := d.save(history.Draft{Workflow: "import", Name: "before the change", State: []byte(`{"n":1}`)})
	phase := d.save(history.Draft{Workflow: "import", Phase: "build", PhaseNumber: 1, PhaseTotal: 3, State: []byte(`{"n":2}`)})
	d.line("import", 4)
	d.later(8)
	open := d.save(history.Draft{Workflow: "open", StepName: "the head", State: []byte(`{"n":3}`)})
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

func archiveDamaged(d *desk) {
	all := d.line("import", 7)
	p := d.prune()
	if len(p.Files) != 1 || p.Archived != 4 {
		d.Fatalf("got %+v, want one file with 4", p)
	}
	file := filepath.Join(d.cold.Dir, p.Files[0])
	whole, err := os.ReadFile(file)
	if err != nil {
		d.Fatal(err)
	}
	if err := os.WriteFile(file, whole[:len(whole)/2], 0o600); err != nil {
		d.Fatal(err)
	}
	_, err = d.Load(d.ctx, history.Selector{ID: all[3].ID}, false)
	d.wantCode("load from a damaged file", err, piton.Corrupt)
	for range 2 {
		v, err := d.Verify(d.ctx, piton.Query{}, false, nil)
		if err != nil || len(v.Damaged) == 0 || v.Damaged[0].ID != all[3].ID || v.Damaged[0].Archive != p.Files[0] || v.Intact+len(v.Damaged) != 7 {
			d.Errorf("verify: got %+v, %v, want what lies in the file", v, err)
		}
	}
	var left []string
	entries, n, err := d.Export(d.ctx, piton.Query{}, func(c piton.Checkpoint, err error) { left = append(left, c.ID) })
	if err != nil || n != 7 {
		d.Fatalf("export: got %d, %v, want 7", n, err)
	}
	for e, err := range entries {
		if err != nil {
			d.Fatalf("export: got %v, want the damaged ones left out", err)
		}
		n--
		d.loads(e.Checkpoint, e.State)
	}
	if len(left) != n || !slices.Contains(left, all[3].ID) {
		d.Errorf("export: got %v left out of 7, %d missing, want just the damaged ones told", left, n)
	}
	if err := os.WriteFile(file, whole, 0o600); err != nil {
		d.Fatal(err)
	}
	v, err := d.Verify(d.ctx, piton.Query{}, false, nil)
	if err != nil || v.Intact != 7 || len(d.marks()) > 0 {
		d.Errorf("verify after the file came back: got %+v, %v, marked %v, want all intact", v, err, d.marks())
	}
	for i, c := range all {
		d.loads(c, stateOf("import", i))
	}
	// A file that is gone says nothing of the checkpoint.
	if err := os.Remove(file); err != nil {
		d.Fatal(err)
	}
	_, err = d.Load(d.ctx, history.Selector{ID: all[3].ID}, true)
	d.wantCode("load from a file that is gone", err, piton.Unavailable)
	if marks := d.marks(); len(marks) > 0 {
		d.Errorf("got %v marked, want none for a file out of reach", marks)
	}
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
		if _, err := d.Delete(d.ctx, history.Selector{ID: c.ID}, 0, false); err != nil {
			d.Fatal(err)
		}
	}
	d.take(file)
	d.later(31)
	d.prune()
	for name, x := range map[string]struct {
		c    piton.Checkpoint
		want []string
	}{
		"archived, deleted, imported": {all[0], []string{"checkpoint_created", "checkpoint_archived", "checkpoint_deleted", "checkpoint_imported", "checkpoint_pruned"}},
		"archived":                    {all[1], []string{"checkpoint_created", "checkpoint_archived", "checkpoint_pruned"}},
		"kept":                        {all[4], []string{"checkpoint_created", "checkpoint_pruned"}},
		"completed":                   {done, []string{"checkpoint_created", "checkpoint_completed", "checkpoint_deleted", "checkpoint_imported", "checkpoint_pruned"}},
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
