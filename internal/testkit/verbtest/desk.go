package verbtest

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/archive"
)

// project is where all work of these tests is done.
const project = "prj_0000000000000001"

// desk is a keeper over a store, with a clock of its own.
type desk struct {
	*testing.T
	history.Keeper
	Fixture
	ctx  context.Context
	time time.Time // moves on by a second with every save
	cold archive.Folder
}

func newDesk(t *testing.T, f Fixture) *desk {
	d := &desk{T: t, Fixture: f, ctx: t.Context(), time: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), cold: archive.Folder{Dir: filepath.Join(t.TempDir(), "cold")}}
	d.Keeper = history.Keeper{Store: f.Store, Archive: d.cold, Now: func() time.Time { return d.time }}
	return d
}

// save saves a draft.
func (d *desk) save(x history.Draft) piton.Checkpoint {
	d.Helper()
	d.time = d.time.Add(time.Second)
	x.Project = project
	c, err := d.Save(d.ctx, x)
	if err != nil {
		d.Fatalf("save %+v: got %v, want no error", x, err)
	}
	return c.Checkpoint
}

// line saves n checkpoints to a workflow, with the steps 0 and on.
func (d *desk) line(workflow string, n int) (all []piton.Checkpoint) {
	d.Helper()
	for i := range n {
		all = append(all, d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: workflow, StepName: fmt.Sprintf("step %d", i), State: stateOf(workflow, i)}}))
	}
	return all
}

// stateOf is the state of a step, as it comes back: much of it is the same in
// all of a workflow.
func stateOf(workflow string, i int) []byte {
	return fmt.Appendf(nil, `{"workflow":%q,"n":%d,"text":%q}`, workflow, i, strings.Repeat("all the same, over and over; ", 40))
}

// spoil damages checkpoints.
func (d *desk) spoil(cs ...piton.Checkpoint) {
	d.Helper()
	for _, c := range cs {
		if _, err := d.Damage(c.ID); err != nil {
			d.Fatalf("damage %s: %v", c.ID, err)
		}
	}
}

// later moves the clock on by days.
func (d *desk) later(days int) { d.time = d.time.Add(time.Duration(days) * 24 * time.Hour) }

// list returns what fits a query.
func (d *desk) list(q piton.Query) []piton.Checkpoint {
	d.Helper()
	page, err := d.List(d.ctx, q)
	if err != nil {
		d.Fatalf("list %+v: got %v, want no error", q, err)
	}
	return page.Checkpoints
}

// loads fails unless a checkpoint's state is that of a step.
func (d *desk) loads(c piton.Checkpoint, want []byte) {
	d.Helper()
	got, err := d.Load(d.ctx, history.Selector{ID: c.ID}, false)
	if err != nil || string(got.State) != string(want) || got.Checkpoint.ID != c.ID {
		d.Errorf("load %s (%s): got %.60s of %s, %v; want %.60s", c.ID, c.Step(), got.State, got.Checkpoint.ID, err, want)
	}
}

// wantCode fails unless err has the code.
func (d *desk) wantCode(what string, err error, want piton.Code) {
	d.Helper()
	if got := piton.CodeOf(err); got != want {
		d.Errorf("%s: got %q (%v), want %q", what, got, err, want)
	}
}

// equal fails unless got is want.
func equal[T any](d *desk, what string, got, want T, opts ...cmp.Option) {
	d.Helper()
	if diff := cmp.Diff(want, got, append(opts, cmpopts.EquateEmpty(), sameTime)...); diff != "" {
		d.Errorf("%s: got + , want -\n%s", what, diff)
	}
}

// sameTime compares moments, not their representation.
var sameTime = cmp.Comparer(func(a, b piton.Time) bool { return a.Time.Equal(b.Time) })

// steps are the names of checkpoints' steps.
func steps(cs []piton.Checkpoint) (list []string) {
	for _, c := range cs {
		list = append(list, c.Step())
	}
	return list
}

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

// files are the names of the archive's files.
func (d *desk) files() []string {
	d.Helper()
	names, err := d.cold.Files(d.ctx)
	if err != nil {
		d.Fatal(err)
	}
	return names
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
