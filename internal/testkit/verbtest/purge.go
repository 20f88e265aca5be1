package verbtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// token is what an older program would have stored.
const token = "ghp_0123456789abcdefghij0123456789abcdef"

// leaky saves n checkpoints, of which some, by their number, hold a secret.
func (d *desk) leaky(workflow string, n int, with ...int) (all []piton.Checkpoint) {
	d.Helper()
	first := d.save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: workflow, StepName: "first"}})
	for i := range n {
		d.time = d.time.Add(1e9)
		p, _, err := d.Prepare(history.Draft{SaveRequest: piton.SaveRequest{InProject: piton.InProject{Project: project}, StepName: fmt.Sprintf("step %d", i), State: stateOf(workflow, i)}})
		if err != nil {
			d.Fatal(err)
		}
		for _, k := range with {
			if i == k {
				p.State = redact.Unchecked(json.RawMessage(bytes.Replace(p.State.Get(), []byte("all the same"), []byte(token), 1)))
			}
		}
		p.Record.WorkflowID, p.Record.SHA256 = first.WorkflowID, fmt.Sprintf("%x", sha256.Sum256(p.State.Get()))
		err = d.Fixture.Store.Save(d.ctx, func(tx store.Tx) error {
			c, err := tx.Append(d.ctx, redact.Unchecked(p))
			all = append(all, c)
			return err
		})
		if err != nil {
			d.Fatal(err)
		}
	}
	return all
}

// clean fails unless what was saved is there without its secret, in the
// archive's files too.
func (d *desk) clean(all []piton.Checkpoint, workflow string) {
	d.Helper()
	for i, c := range all {
		got, err := d.Load(d.ctx, history.Selector{ID: c.ID}, false)
		want := stateOf(workflow, i)
		if err != nil || len(got.State) < len(want)/2 || bytes.Contains(got.State, []byte(token)) {
			d.Errorf("%s: got %.120s, %v; want %.60s", c.ID, got.State, err, want)
		}
	}
	for _, file := range d.files() {
		for e, err := range d.cold.Entries(d.ctx, file) {
			if err != nil || bytes.Contains(e.State, []byte(token)) {
				d.Errorf("%s in %s: got %.120s, %v; want no secret", e.Checkpoint.ID, file, e.State, err)
			}
		}
	}
	v, err := d.Verify(d.ctx, history.VerifyOptions{})
	if err != nil || len(v.Damaged)+len(v.Store) > 0 {
		d.Errorf("verify: got %+v, %v, want all intact", v, err)
	}
}

func (d *desk) purge(k history.Keeper) history.Purged {
	d.Helper()
	p, err := k.Purge(d.ctx, false, nil)
	if err != nil {
		d.Errorf("purge: got %v, want no error", err)
	}
	return p
}

func purgeBesidePrune(d *desk) {
	all := d.leaky("import", 7, 1)
	k := d.Keeper
	k.Archive = &late{d.cold, func() { d.purge(d.Keeper) }}
	if _, err := k.Prune(d.ctx, history.PruneOptions{Policy: policy}); err != nil {
		d.Fatalf("prune: got %v, want no error", err)
	}
	d.prune()
	d.purge(d.Keeper)
	d.clean(all, "import")
}

// slow does something once, when a record or a state has been read.
type slow struct {
	store.Checkpoints
	after func()
}

func (s *slow) once() {
	if f := s.after; f != nil {
		s.after = nil
		f()
	}
}

func (s *slow) State(ctx context.Context, id string) ([]byte, error) {
	defer s.once()
	return s.Checkpoints.State(ctx, id)
}

func pruneBesidePurge(d *desk) {
	all := d.leaky("import", 7, 0, 1, 6)
	k := d.Keeper
	k.Store = &slow{d.Fixture.Store, func() { d.prune() }}
	d.purge(k)
	d.clean(all, "import")
}

// lateRecord does something once, when a record has been read.
type lateRecord struct{ *slow }

func (l lateRecord) Checkpoint(ctx context.Context, ref string) (piton.Checkpoint, error) {
	defer l.once()
	return l.Checkpoints.Checkpoint(ctx, ref)
}

func loadBesidePrune(d *desk) {
	all := d.line("import", 7)
	k := d.Keeper
	k.Store = lateRecord{&slow{d.Fixture.Store, func() { d.prune() }}}
	got, err := k.Load(d.ctx, history.Selector{ID: all[0].ID}, false)
	if err != nil || string(got.State) != string(stateOf("import", 0)) {
		d.Errorf("load: got %.60s, %v; want the state", got.State, err)
	}
}

func purgeDeleted(d *desk) {
	all := d.leaky("import", 7, 1)
	if p := d.prune(); len(p.Files) != 1 {
		d.Fatalf("got %+v, want one file", p)
	}
	if _, err := d.Delete(d.ctx, history.Selector{ID: all[1].ID}, history.DeleteOptions{}); err != nil {
		d.Fatal(err)
	}
	// Another file that nothing names, as a killed pruning leaves it.
	for e, err := range d.cold.Entries(d.ctx, d.files()[0]) {
		if e.Checkpoint.ID != all[1].ID || err != nil {
			continue
		}
		if _, _, err := d.cold.Write(d.ctx, func(yield func(redact.Clean[store.Entry], error) bool) { yield(redact.Unchecked(e), nil) }); err != nil {
			d.Fatal(err)
		}
	}
	p := d.purge(d.Keeper)
	if p.Taken != 1 || len(p.Files) != 1 || len(p.Beyond) == 0 || !strings.Contains(p.Beyond[0], "no checkpoint here names") {
		d.Errorf("got %+v, want the secret taken out of the file, and the other file named", p)
	}
	for _, file := range d.files() {
		if strings.Contains(fmt.Sprint(p.Beyond), file) {
			if err := d.cold.Remove(d.ctx, file); err != nil {
				d.Fatal(err)
			}
		}
	}
	d.clean(all[:1], "import")
}

func purgeWithoutFile(d *desk) {
	d.leaky("import", 7, 1)
	warm := d.leaky("warm", 1, 0)
	p := d.prune()
	if err := d.cold.Remove(d.ctx, p.Files[0]); err != nil {
		d.Fatal(err)
	}
	got := d.purge(d.Keeper)
	if got.Taken != 1 || len(got.Checkpoints) != 1 || got.Checkpoints[0] != warm[0].ID || !strings.Contains(fmt.Sprint(got.Beyond), p.Files[0]) {
		d.Errorf("got %+v, want %s purged and the file named", got, warm[0].ID)
	}
}
