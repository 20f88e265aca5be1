package verbtest

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
)

func archived(d *desk) {
	all := d.line("import", 6)
	other := d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "other", State: []byte(`{"other":true}`)}})
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
	for entry, err := range entries {
		e := entry.Get()
		if err != nil || e.Checkpoint.ID != all[i].ID || string(e.State) != string(stateOf("import", i)) || e.Checkpoint.Archive != "" {
			d.Errorf("exported %d: got %s with %.60s, %v; want %s", i, e.Checkpoint.ID, e.State, err, all[i].ID)
		}
		i++
	}
	reads := counting{Archive: d.Archive, reads: map[string]int{}}
	verifier := d.Keeper
	verifier.Archive = reads
	v, err := verifier.Verify(d.ctx, history.VerifyOptions{})
	if err != nil || v.Checked != 7 || v.Intact != 7 || len(v.Damaged)+len(v.Store) > 0 {
		d.Errorf("verify: got %+v, %v, want all intact", v, err)
	}
	equal(d, "how often verify has read each file", reads.reads, map[string]int{p.Files[0]: 1})
	f, err := d.Fork(d.ctx, history.ForkDraft{ForkRequest: piton.ForkRequest{From: all[0].ID, Branch: "again"}})
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

// counting counts how often each file of an archive is read.
type counting struct {
	store.Archive
	reads map[string]int
}

func (c counting) Entry(ctx context.Context, name, checkpoint string) (store.Entry, error) {
	c.reads[name]++
	return c.Archive.Entry(ctx, name, checkpoint)
}

func (c counting) Entries(ctx context.Context, name string) store.Entries {
	c.reads[name]++
	return c.Archive.Entries(ctx, name)
}

func filesGo(d *desk) {
	old := d.line("import", 6)
	first := d.prune()
	d.later(20)
	d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", StepName: "late", State: []byte(`{"late":1}`)}})
	second := d.prune()
	if len(first.Files) != 1 || len(second.Files) != 1 || second.Archived != 3 || len(d.files()) != 2 {
		d.Fatalf("got the files %v, then %v, in the archive %v; want one each", first.Files, second.Files, d.files())
	}
	kept := d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "kept", Name: "keeps its file", State: []byte(`{"kept":true}`)}})
	// One of the second file's is moved to the first, as if two prunings had met.
	err := d.Fixture.Store.Save(d.ctx, func(tx store.Tx) error {
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
		v, err := d.Verify(d.ctx, history.VerifyOptions{})
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
		d.loads(e.Get().Checkpoint, e.Get().State)
	}
	if len(left) != n || !slices.Contains(left, all[3].ID) {
		d.Errorf("export: got %v left out of 7, %d missing, want just the damaged ones told", left, n)
	}
	if err := os.WriteFile(file, whole, 0o600); err != nil {
		d.Fatal(err)
	}
	v, err := d.Verify(d.ctx, history.VerifyOptions{})
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
