// Package verbtest checks that the verbs of history do over any store what they
// promise: to fall back from what is damaged, to verify, to prune into an
// archive, to copy into another store. Each store's tests hand it a Fixture.
// Tests only.
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
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
)

// Fixture is an empty store, and what only its own tests can do to it.
type Fixture struct {
	Store store.Checkpoints
	// Damage spoils the state of a checkpoint where it lies; mend brings it
	// back.
	Damage func(id string) (mend func() error, err error)
	// Events are the kinds of a checkpoint's events, oldest first.
	Events func(id string) ([]store.EventKind, error)
}

// Run checks the verbs over a store. open returns an empty one and closes it
// when the test ends.
func Run(t *testing.T, open func(testing.TB) Fixture) {
	for _, c := range []struct {
		name  string
		check func(*desk)
	}{
		{"a damaged one is refused, and its nearest intact ancestor is taken", fallsBack},
		{"damage over the edge of an epoch", fallsBackFar},
		{"nothing intact is left", nothingLeft},
		{"a damaged fork falls back to where it began", forkFallsBack},
		{"parents in a circle", circle},
		{"a line without an end", endless},
		{"verify finds damage and takes marks away", verifies},
		{"detection offers what is unfinished", detects},

		{"a dry run says what the real one does", dryRun},
		{"what is archived is listed, loaded, resumed and exported", archived},
		{"an archive file goes with the last that names it", filesGo},
		{"a damaged file of the archive", archiveDamaged},
		{"named, phases and open heads stay", protected},
		{"a damaged one stays where it is", damagedStays},
		{"pruning beside savers loses nothing", pruneBesideSavers},
		{"pruning beside deletes goes on", pruneBesideDeletes},
		{"what is pruned while it is read is found", loadBesidePrune},
		{"a purge while a file is written", purgeBesidePrune},
		{"a pruning while a purge reads", pruneBesidePurge},
		{"a purge takes secrets out of what was deleted from a file", purgeDeleted},
		{"a purge goes on where a file is not there", purgeWithoutFile},
		{"prunings at once", prunesAtOnce},
		{"the log says what was done", logged},

		{"sources that grow and shrink are imported again", importsAgain},
		{"what is set aside takes no name's and no session's place", asideTakesNoPlace},

		{"a flush copies all, and twice changes nothing", flushes},
		{"a flush carries completions and deletions", flushCarries},
		{"flushes at once", flushesAtOnce},
		{"one archive for two stores", flushShares},
		{"a flush of what was deleted and came back", flushOfWhatCameBack},
		{"a flush leaves out what is damaged", flushLeavesDamage},
		{"what was completed in the store is completed here", flushFinishes},
		{"another machine's session is not written to", flushForeign},
		{"a workflow that has gone two ways keeps nothing from being carried", flushApart},
		{"flushes at once of what has gone two ways", flushApartAtOnce},
	} {
		t.Run(c.name, func(t *testing.T) { c.check(newDesk(t, open(t))) })
	}
}

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
		all = append(all, d.save(history.Draft{Workflow: workflow, StepName: fmt.Sprintf("step %d", i), State: stateOf(workflow, i)}))
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
