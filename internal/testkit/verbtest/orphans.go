package verbtest

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
)

func orphansInAFolder(d *desk) {
	dir := filepath.Join(d.TempDir(), "shared")
	d.orphans(func(owner string) store.Archive { return archive.Folder{Dir: dir, Owner: owner} })
}

// Orphans checks what a prune does about the files of an archive that no checkpoint
// names. at opens the place, which is empty, for an owner.
func Orphans(t *testing.T, f Fixture, at func(owner string) store.Archive) {
	newDesk(t, f).orphans(at)
}

// torn is an archive whose place breaks off at some calls.
type torn struct {
	store.Archive
	open, remove error
}

func (x *torn) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if x.open != nil {
		return nil, x.open
	}
	return x.Archive.Open(ctx, name)
}

func (x *torn) Remove(ctx context.Context, name string) error {
	if x.remove != nil {
		return x.remove
	}
	return x.Archive.Remove(ctx, name)
}

var errTorn = piton.Errorf(piton.Unavailable, "", "", "the place is gone")

// orphan leaves a file that was written and that nothing names, as a kill does.
func (d *desk) orphan(workflow string) string {
	d.Helper()
	d.line(workflow, 5)
	before := d.stored()
	k := d.Keeper
	k.Archive = &torn{Archive: d.Archive, open: errTorn}
	if _, err := k.Prune(d.ctx, history.PruneOptions{Policy: policy}); !errors.Is(err, errTorn) {
		d.Fatalf("got %v, want the prune to break off", err)
	}
	// The next one finds more to write, to a file of another name.
	d.line(workflow, 1)
	d.pruneOrphans(policy, false)
	var left []string
	for _, file := range d.stored() {
		if len(d.list(piton.Query{Archive: file})) == 0 && !slices.Contains(before, file) {
			left = append(left, file)
		}
	}
	if len(left) != 1 {
		d.Fatalf("got the files %v that nothing names, want one", left)
	}
	return left[0]
}

func (d *desk) stored() []string {
	d.Helper()
	files, err := d.Archive.Files(d.ctx)
	if err != nil {
		d.Fatal(err)
	}
	return files
}

func (d *desk) pruneOrphans(p piton.Retention, dry bool) history.Pruning {
	d.Helper()
	got, err := d.Prune(d.ctx, history.PruneOptions{Policy: p, Orphans: true, DryRun: dry})
	if err != nil {
		d.Fatal(err)
	}
	return got
}

func (d *desk) hasFile(file string, want bool) {
	d.Helper()
	if got := slices.Contains(d.stored(), file); got != want {
		d.Errorf("%s: got it there %t, want %t", file, got, want)
	}
}

// said1 fails unless one orphan is named, with an action and words of its reason.
func (d *desk) said1(what string, p history.Pruning, file string, action piton.Action, words string) {
	d.Helper()
	if len(p.Orphans) != 1 || p.Orphans[0].File != file || p.Orphans[0].Action != action || !strings.Contains(p.Orphans[0].Reason, words) {
		d.Errorf("%s: got %+v, want %s of %s with %q", what, p.Orphans, action, file, words)
	}
}

func (d *desk) saidNone(what string, p history.Pruning) {
	d.Helper()
	if len(p.Orphans) > 0 {
		d.Errorf("%s: got %+v, want none", what, p.Orphans)
	}
}

func (d *desk) orphans(at func(owner string) store.Archive) {
	d.here()
	d.Archive = at("mine/")
	keep := piton.Retention{Warm: 2, WarmFor: 7 * 24 * time.Hour}
	file := d.orphan("work")

	// Another owner's, and one that nobody noted, are not ours to remove.
	theirs := d.write(at("theirs/"))
	unnoted := d.write(at("mine/"))
	d.saidNone("young", d.pruneOrphans(keep, false))
	d.later(31)
	for what, o := range map[string]history.PruneOptions{"not asked for": {}, "of a project": {Orphans: true, Project: project}} {
		o.Policy, o.DryRun = keep, true
		p, err := d.Prune(d.ctx, o)
		if err != nil {
			d.Fatal(err)
		}
		d.saidNone(what, p)
	}
	once := d.Keeper
	once.OneOff = true
	if p, err := once.Prune(d.ctx, history.PruneOptions{Policy: keep, Orphans: true, DryRun: true}); err != nil || len(p.Orphans) > 0 {
		d.Errorf("a store of one command: got %+v, %v, want no orphans", p.Orphans, err)
	}

	// What it holds lies in another file, or is to be loaded from there.
	named := d.list(piton.Query{Workflow: "work", Project: project})
	dry := d.pruneOrphans(keep, true)
	d.said1("a dry run", dry, file, piton.DeleteForever, "no checkpoint names it")
	d.hasFile(file, true)

	k := d.Keeper
	k.Archive = &torn{Archive: d.Archive, remove: errTorn}
	p, err := k.Prune(d.ctx, history.PruneOptions{Policy: keep, Orphans: true})
	if err != nil {
		d.Fatal(err)
	}
	d.said1("the place is gone", p, file, piton.Keep, "cannot be removed now")
	d.hasFile(file, true)
	dry = d.pruneOrphans(keep, true)
	real := d.pruneOrphans(keep, false)
	equal(d, "the dry run's answer", dry, real, cmpopts.IgnoreFields(history.Pruning{}, "DryRun", "Files"))
	d.hasFile(file, false)
	for _, f := range []string{theirs, unnoted} {
		d.hasFile(f, true)
	}
	for _, c := range named {
		if _, err := d.Load(d.ctx, history.Selector{ID: c.ID}, false); err != nil {
			d.Errorf("load %s: got %v, want its state", c.ID, err)
		}
	}
	d.saidNone("again", d.pruneOrphans(keep, false))

	d.orphanOfTheUnknown(keep)
	d.claimed()
}

// orphanOfTheUnknown: where the store does not know what a file holds, the policy
// decides.
func (d *desk) orphanOfTheUnknown(keep piton.Retention) {
	file := d.orphan("lost")
	if _, err := d.Delete(d.ctx, history.Selector{Workflow: "lost", Project: project}, history.DeleteOptions{}); err != nil {
		d.Fatal(err)
	}
	d.later(31)
	d.said1("the policy keeps all", d.pruneOrphans(keep, true), file, piton.Keep, "the store does not know")
	d.said1("the policy deletes", d.pruneOrphans(policy, true), file, piton.DeleteForever, "")
	d.said1("the policy keeps all", d.pruneOrphans(keep, false), file, piton.Keep, "the store does not know")
	d.hasFile(file, true)
	d.saidNone("looked at a while ago", d.pruneOrphans(policy, false))
	d.later(31)
	d.pruneOrphans(policy, false)
	d.hasFile(file, false)
}

// claimed writes a file again that a prune is about to remove: nothing names it before
// it is written anew.
func (d *desk) claimed() {
	all := d.line("claimed", 5)
	d.later(8)
	k := d.Keeper
	k.Archive = &torn{Archive: d.Archive, open: errTorn}
	if _, err := k.Prune(d.ctx, history.PruneOptions{Policy: policy}); !errors.Is(err, errTorn) {
		d.Fatalf("got %v, want the prune to break off", err)
	}
	before := d.stored()
	var marked []string
	err := d.Local.Update(d.ctx, func(tx store.LocalTx) error {
		for _, file := range before {
			if n, err := tx.Mark(d.ctx, store.ArchivedMark+file); err != nil || n == 0 || len(d.list(piton.Query{Archive: file})) > 0 {
				continue
			}
			marked = append(marked, file)
			if err := tx.SetMark(d.ctx, store.ArchivedMark+file, -d.time.AddDate(0, 0, -31).UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(marked) != 1 {
		d.Fatalf("got %v, %v, want one file claimed", marked, err)
	}
	p := d.pruneOrphans(policy, false)
	d.said1("claimed", p, marked[0], piton.DeleteForever, "")
	if p.Archived != 0 || len(p.Files) > 0 {
		d.Errorf("got %d archived to %v, want none to a file that goes", p.Archived, p.Files)
	}
	d.hasFile(marked[0], false)
	d.pruneOrphans(policy, false)
	cold := 0
	for _, c := range d.list(piton.Query{Workflow: "claimed", Project: project}) {
		if c.Archive != "" {
			cold++
		}
	}
	if cold != 4 {
		d.Errorf("got %d in the archive, want all that waited, without the head", cold)
	}
	for i, c := range all {
		d.loads(c, stateOf("claimed", i))
	}
}

// write writes a file that no store has noted.
func (d *desk) write(a store.Archive) string {
	d.Helper()
	name := "noted by nobody"
	c := d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: name, State: []byte(`{}`)}})
	w, err := d.Fixture.Store.Workflow(d.ctx, c.WorkflowID, "")
	if err != nil {
		d.Fatal(err)
	}
	state, _, err := (*redact.Rules)(nil).Find([]byte(`{}`))
	if err != nil {
		d.Fatal(err)
	}
	clean, _ := redact.By((*redact.Rules)(nil), store.Entry{Workflow: w, Checkpoint: c, State: state.Get()}, state)
	file, _, err := a.Write(d.ctx, func(yield func(redact.Clean[store.Entry], error) bool) { yield(clean, nil) })
	if err != nil {
		d.Fatal(err)
	}
	return file
}
