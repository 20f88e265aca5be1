package verbtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// falls fails unless a damaged checkpoint is refused with its nearest intact
// ancestor in the hint, and that one is loaded and resumed in its place.
func (d *desk) falls(c, good piton.Checkpoint, state []byte) {
	d.Helper()
	got, err := d.Load(d.ctx, history.Selector{ID: c.ID}, false)
	d.wantCode("load", err, piton.Corrupt)
	var e *piton.Error
	if !errors.As(err, &e) || !strings.Contains(e.Hint, good.ID) || !strings.Contains(e.Hint, good.Step()) || got.State != nil {
		d.Errorf("load: got %.60s, %+v; want no state, and a hint at %s (%s)", got.State, err, good.ID, good.Step())
	}
	got, err = d.Load(d.ctx, history.Selector{ID: c.ID}, true)
	if err != nil || got.Checkpoint.ID != good.ID || string(got.State) != string(state) || got.RecoveredFrom != c.ID || got.Why == "" {
		d.Fatalf("load the nearest: got %.60s of %s for %q because of %q, %v; want that of %s", got.State, got.Checkpoint.ID, got.RecoveredFrom, got.Why, err, good.ID)
	}
	r, err := d.Resume(d.ctx, history.Selector{ID: c.ID})
	if err != nil || r.Checkpoint.ID != good.ID || string(r.State) != string(state) || r.RecoveredFrom != c.ID || !strings.Contains(r.Brief, c.ID) {
		d.Errorf("resume: got %s for %q, %v, with the brief %.300s; want %s", r.Checkpoint.ID, r.RecoveredFrom, err, r.Brief, good.ID)
	}
}

// marked fails unless just these checkpoints are marked as damaged, each
// logged once.
func (d *desk) marked(want ...piton.Checkpoint) {
	d.Helper()
	for _, c := range d.list(piton.Query{}) {
		hurt := slices.ContainsFunc(want, func(w piton.Checkpoint) bool { return w.ID == c.ID })
		kinds, err := d.Events(c.ID)
		if err != nil {
			d.Fatal(err)
		}
		logged := 0
		for _, k := range kinds {
			if k == store.CheckpointDamaged {
				logged++
			}
		}
		if (c.Damaged != "") != hurt || hurt != (logged == 1) || !hurt && logged > 0 {
			d.Errorf("%s: got it marked %q and logged %d times (%v), want it marked: %t", c.Step(), c.Damaged, logged, kinds, hurt)
		}
	}
}

func fallsBack(d *desk) {
	all := d.line("import", 6)
	d.spoil(all[5], all[4], all[2], all[1]) // below an intact one nothing matters
	d.falls(all[5], all[3], stateOf("import", 3))
	d.marked(all[5], all[4])
	d.falls(all[2], all[0], stateOf("import", 0))
	d.marked(all[5], all[4], all[2], all[1])
	d.loads(all[3], stateOf("import", 3))
	d.loads(all[0], stateOf("import", 0))
	for name, s := range map[string]history.Selector{"the newest open one": {Project: project}, "a workflow": {Workflow: "import", Project: project}, "a branch": {Workflow: all[0].WorkflowID, Branch: piton.MainBranch}} {
		r, err := d.Resume(d.ctx, s)
		if err != nil || r.Checkpoint.ID != all[3].ID || r.RecoveredFrom != all[5].ID {
			d.Errorf("resume %s: got %s for %q, %v; want %s", name, r.Checkpoint.ID, r.RecoveredFrom, err, all[3].ID)
		}
	}
	x, err := d.Inspect(d.ctx, all[5].ID)
	if err != nil || x.State != nil || piton.CodeOf(x.Damage) != piton.Corrupt || x.Parent == nil || x.Parent.ID != all[4].ID {
		d.Errorf("inspect: got %+v, %v; want what is known, without a state", x, err)
	}
	// Work goes on behind a damaged head.
	next := d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", StepName: "next", State: []byte(`{"next":true}`)}})
	equal(d, "parent of the next", next.ParentID, all[5].ID)
	d.loads(next, []byte(`{"next":true}`))
}

func fallsBackFar(d *desk) {
	all := d.line("long", 140)
	d.spoil(all[2:]...) // two whole epochs and more
	d.falls(all[139], all[1], stateOf("long", 1))
	d.falls(all[64], all[1], stateOf("long", 1))
	d.loads(all[0], stateOf("long", 0))
	d.marked(all[2:]...)
}

func nothingLeft(d *desk) {
	all := d.line("import", 3)
	d.spoil(all...)
	for _, nearest := range []bool{false, true} {
		_, err := d.Load(d.ctx, history.Selector{ID: all[2].ID}, nearest)
		d.wantCode("load", err, piton.Corrupt)
		var e *piton.Error
		if !errors.As(err, &e) || !strings.Contains(e.Hint, "no intact ancestor") {
			d.Errorf("load: got %+v, want a hint that nothing is left", err)
		}
	}
	_, err := d.Resume(d.ctx, history.Selector{ID: all[2].ID})
	d.wantCode("resume", err, piton.Corrupt)
	d.marked(all...)
}

func forkFallsBack(d *desk) {
	all := d.line("import", 3)
	f, err := d.Fork(d.ctx, history.ForkDraft{ForkRequest: piton.ForkRequest{From: all[1].ID, Branch: "try", State: []byte(`{"fork":1}`)}})
	if err != nil {
		d.Fatal(err)
	}
	g := d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", Branch: "try", State: []byte(`{"fork":2}`)}})
	d.spoil(f.Checkpoint, g)
	d.falls(g, all[1], stateOf("import", 1))
	d.marked(f.Checkpoint, g)
}

// bent is a store whose lines of ancestors are not what they should be.
type bent struct {
	store.Checkpoints
	parent func(c piton.Checkpoint) string
	looked int
}

func (b *bent) Checkpoint(ctx context.Context, id string) (piton.Checkpoint, error) {
	b.looked++
	c, err := b.Checkpoints.Checkpoint(ctx, id)
	if err == nil {
		c.ParentID = b.parent(c)
	}
	return c, err
}

func cycle(d *desk) {
	all := d.line("import", 4)
	d.spoil(all...)
	for name, parent := range map[string]map[string]string{
		"over all":       {all[3].ID: all[2].ID, all[2].ID: all[1].ID, all[1].ID: all[0].ID, all[0].ID: all[3].ID},
		"its own parent": {all[3].ID: all[3].ID},
		"further up":     {all[3].ID: all[2].ID, all[2].ID: all[1].ID, all[1].ID: all[2].ID},
	} {
		k := d.Keeper
		k.Store = &bent{Checkpoints: d.Fixture.Store, parent: func(c piton.Checkpoint) string { return parent[c.ID] }}
		_, err := k.Load(d.ctx, history.Selector{ID: all[3].ID}, true)
		d.wantCode(name, err, piton.Corrupt)
	}
}

// deep is a store in which every checkpoint is damaged and has a parent.
type deep struct {
	store.Checkpoints
	n int
}

func (s *deep) Checkpoint(_ context.Context, id string) (piton.Checkpoint, error) {
	s.n++
	return piton.Checkpoint{ID: id, InWorkflow: piton.InWorkflow{WorkflowID: "wf_0000000000000000", ParentID: fmt.Sprintf("chk_%016d", s.n)}, InStore: piton.InStore{Damaged: "torn"}}, nil
}

func (s *deep) State(_ context.Context, id string) ([]byte, error) {
	return nil, piton.Errorf(piton.Corrupt, "load "+id, "", "torn")
}

func endless(d *desk) {
	k := d.Keeper
	s := &deep{Checkpoints: d.Fixture.Store}
	k.Store = s
	_, err := k.Load(d.ctx, history.Selector{ID: "chk_0000000000000000"}, true)
	d.wantCode("load", err, piton.Corrupt)
	if s.n < 1000 || s.n > 20_000 {
		d.Errorf("got %d ancestors looked at, want very many, and an end", s.n)
	}
}

func verifies(d *desk) {
	all := d.line("import", 6)
	mend, err := d.Damage(all[4].ID)
	if err != nil {
		d.Fatal(err)
	}
	d.spoil(all[3])
	if err := d.Fixture.Store.Upkeep().MarkDamaged(d.ctx, all[1].ID, redact.Value("somebody was wrong")); err != nil {
		d.Fatal(err)
	}
	look := func(what string, want ...history.Damage) {
		d.Helper()
		v, err := d.Verify(d.ctx, history.VerifyOptions{})
		if err != nil {
			d.Fatalf("%s: got %v, want no error", what, err)
		}
		if v.Checked != 6 || v.Intact != 6-len(want) || len(v.Damaged) != len(want) {
			d.Fatalf("%s: got %+v, want 6 checked and %d damaged", what, v, len(want))
		}
		for i, w := range want {
			if g := v.Damaged[i]; g.ID != w.ID || g.Nearest != w.Nearest || g.Step != w.Step || g.Label != "import" || g.Why == "" {
				d.Errorf("%s: got %+v, want %+v", what, g, w)
			}
		}
	}
	hurt := func(i, nearest int) history.Damage {
		return history.Damage{ID: all[i].ID, Step: all[i].Step(), Nearest: all[nearest].ID}
	}
	look("verify", hurt(4, 2), hurt(3, 2))
	if marks := d.marks(); !slices.Equal(marks, []string{"step 4", "step 3"}) {
		d.Errorf("marked: got %q, want those that are damaged and no other", marks)
	}
	if err := mend(); err != nil {
		d.Fatal(err)
	}
	look("verify after one was brought back", hurt(3, 2))
	if marks := d.marks(); !slices.Equal(marks, []string{"step 3"}) {
		d.Errorf("marked: got %q, want the one that is still damaged", marks)
	}
	d.loads(all[4], stateOf("import", 4))
	d.falls(all[3], all[2], stateOf("import", 2))
}

// marks are the steps that are marked as damaged, newest first.
func (d *desk) marks() []string {
	d.Helper()
	return steps(slices.DeleteFunc(d.list(piton.Query{}), func(c piton.Checkpoint) bool { return c.Damaged == "" }))
}

func detects(d *desk) {
	d.line("one", 3)
	two := d.line("two", 2)
	phase := func(n int) piton.Checkpoint {
		return d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "phases", Phase: fmt.Sprint("phase ", n), PhaseNumber: n, PhaseTotal: 2, State: []byte(`{}`)}})
	}
	offers := func(what string, want ...string) {
		d.Helper()
		open, more, err := d.Detect(d.ctx, project, "", 10)
		if got := steps(open); err != nil || more != 0 || !slices.Equal(got, want) {
			d.Errorf("%s: got %q and %d more, %v; want %q", what, got, more, err, want)
		}
	}
	phase(1)
	offers("three", "phase 1", "step 1", "step 2")
	if _, more, err := d.Detect(d.ctx, project, "", 1); err != nil || more != 2 {
		d.Errorf("one of three: got %d more, %v, want 2", more, err)
	}
	phase(2)
	offers("after the last phase", "step 1", "step 2")
	// An older one is asked for; its branch's newest is completed, and with it
	// the workflow.
	if c, err := d.Complete(d.ctx, history.Selector{ID: two[0].ID}); err != nil || c.ID != two[1].ID || !c.Completed {
		d.Errorf("complete: got %s, %v, want the newest %s", c.ID, err, two[1].ID)
	}
	offers("after the newest was completed", "step 2")
	d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "two", StepName: "again", State: []byte(`{}`)}})
	offers("after a later save", "again", "step 2")
	if _, err := d.Delete(d.ctx, history.Selector{Workflow: "one", Project: project}, history.DeleteOptions{}); err != nil {
		d.Fatal(err)
	}
	offers("after all of one was deleted", "again")
}
