package filestore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// tx is one transaction: the index does it, and what it means for the files is noted
// here. No file is written before it commits.
type tx struct {
	reader
	x       snap
	files   map[string]bool             // checkpoints whose files are to be written; true: new ones
	changes map[string][]func(*note)    // what has changed in a checkpoint, should its file be damaged
	removes map[string]piton.Checkpoint // by file
	flows   map[string]bool             // workflows to write; true: whether it is closed is decided here
	notes   map[string][]func(*workflow)
	names   map[string]bool // files that it has made
	log     []store.LogEvent
	counts  []store.Counted
	seed    seedChange
}

func newTx(d *disk) *tx {
	t := &tx{files: map[string]bool{}, changes: map[string][]func(*note){}, removes: map[string]piton.Checkpoint{}, flows: map[string]bool{}, notes: map[string][]func(*workflow){}, names: map[string]bool{}}
	t.reader = reader{d: d, of: map[string][]byte{}, again: func(context.Context, string) error { return errMoved }}
	t.reader.read = func(ctx context.Context, op string, _ bool, fn func(snap) ([]piton.Checkpoint, error)) ([]piton.Checkpoint, error) {
		if err := ctx.Err(); err != nil {
			return nil, fail(op, err)
		}
		list, err := fn(t.x)
		for i, c := range list {
			list[i] = given(c)
		}
		return list, err
	}
	return t
}

// change notes that a checkpoint has another record.
func (t *tx) change(c piton.Checkpoint, alter func(*note)) {
	keep(t.files, c.ID)
	t.changes[c.ID] = append(t.changes[c.ID], alter)
}

// note changes what a workflow's file notes of a checkpoint.
func (t *tx) note(c piton.Checkpoint, alter func(*note)) {
	keep(t.flows, c.WorkflowID)
	t.notes[c.WorkflowID] = append(t.notes[c.WorkflowID], func(w *workflow) { w.mark(c.ID, alter) })
}

// keep adds a key that is not there yet.
func keep(set map[string]bool, key string) {
	if !set[key] {
		set[key] = false
	}
}

// PutWorkflow adds a workflow, or changes its closed mark and session.
func (t *tx) PutWorkflow(ctx context.Context, clean redact.Clean[piton.Workflow]) error {
	w := clean.Get()
	if !piton.IsWholeID(piton.WorkflowPrefix, w.ID) {
		return piton.Errorf(piton.Invalid, "write workflow "+w.Label(), "an id looks like wf_0123456789abcdef", "%q is not a workflow's id", w.ID)
	}
	err := t.x.PutWorkflow(ctx, clean)
	if err == nil {
		t.flows[w.ID] = true
	}
	return err
}

// Append adds a checkpoint as the head of its branch.
func (t *tx) Append(ctx context.Context, clean redact.Clean[store.Prepared]) (piton.Checkpoint, error) {
	p := clean.Get()
	c := p.NewRecord()
	err := t.mayAdd(ctx, "save to "+c.Label(), &c, p.State.Get())
	if err != nil {
		return c, err
	}
	p.Record = c
	if c, err = t.x.Append(ctx, p); err != nil {
		return c, err
	}
	raw, err := t.add(ctx, &c, p.State.Get())
	if accepted(raw) {
		t.seed.Set = c.ID
	}
	t.log[len(t.log)-1] = createdEvent(c)
	return c, err
}

// mayAdd checks what every new checkpoint needs, an id of its own and a sum that fits,
// and gives it its file.
func (t *tx) mayAdd(ctx context.Context, op string, c *piton.Checkpoint, state []byte) error {
	if err := ctx.Err(); err != nil {
		return fail(op, err)
	}
	if !piton.IsWholeID(piton.CheckpointPrefix, c.ID) {
		return piton.Errorf(piton.Invalid, op, "an id looks like chk_0123456789abcdef", "%q is not a checkpoint's id", c.ID)
	}
	_, err := t.x.Checkpoint(ctx, c.ID)
	if err == nil {
		return piton.Errorf(piton.Conflict, op, "leave the id to the store", "the id %s is taken", c.ID)
	}
	if piton.CodeOf(err) != piton.NotFound {
		return err
	}
	sum := sha256.Sum256(state)
	got := hex.EncodeToString(sum[:])
	if c.SHA256 = cmp.Or(c.SHA256, got); got != c.SHA256 {
		return piton.Errorf(piton.Invalid, op, "", "the state has the sum %s, not %s", got, c.SHA256)
	}
	c.StateBytes, c.Damaged, c.Archive = int64(len(state)), "", ""
	c.CreatedAt, c.CompletedAt = piton.At(c.CreatedAt.Time), piton.At(c.CompletedAt.Time)
	return nil
}

// add gives a checkpoint that came into the index its file, and returns its content.
func (t *tx) add(ctx context.Context, c *piton.Checkpoint, state []byte) (raw []byte, err error) {
	name := t.freeName(*c)
	c.File, c.StoredBytes = checkpoints+"/"+name, 0
	if len(c.Tags) == 0 {
		c.Tags = nil
	}
	if raw, err = encode(*c, "", state); err != nil {
		return nil, &piton.Error{Code: piton.Internal, Op: "write " + c.ID, Err: err}
	}
	c.StoredBytes = int64(len(raw))
	t.names[name], t.files[c.ID], t.flows[c.WorkflowID], t.of[c.ID] = true, true, true, slices.Clone(state)
	return raw, t.x.Put(ctx, *c)
}

// freeName is a file name that nothing has, nor had in this transaction.
func (t *tx) freeName(c piton.Checkpoint) string {
	stem := stem(c)
	for n := 1; ; n++ {
		name := stem + ".json"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.json", stem, n)
		}
		if _, gone := t.removes[name]; !gone && !t.names[name] && !t.d.exists(checkpoints+"/"+name) {
			return name
		}
	}
}

// Import adds a checkpoint of another store.
func (t *tx) Import(ctx context.Context, clean redact.Clean[store.Entry]) (bool, error) {
	e := clean.Get()
	c := &e.Checkpoint
	op := "import " + c.ID
	if err := t.mayAdd(ctx, op, c, e.State); err != nil {
		if piton.CodeOf(err) == piton.Conflict { // it is here
			err = nil
		}
		return false, err
	}
	if e.Workflow.ID = cmp.Or(c.WorkflowID, e.Workflow.ID); !piton.IsWholeID(piton.WorkflowPrefix, e.Workflow.ID) {
		return false, piton.Errorf(piton.Invalid, op, "an id looks like wf_0123456789abcdef", "%q is not a workflow's id", e.Workflow.ID)
	}
	c.File = ""
	if added, err := t.x.Import(ctx, e); err != nil || !added {
		return false, err
	}
	is, err := t.x.Checkpoint(ctx, c.ID)
	if err != nil {
		return false, err
	}
	if c.ParentID != "" && is.ParentID == "" {
		t.note(is, func(n *note) { n.Waits = c.ParentID })
	}
	// Whoever is its child by now has waited for it.
	t.reparent(ctx, is.ID, nil)
	_, err = t.add(ctx, &is, e.State)
	imported := createdEvent(is)
	imported.At, imported.Kind = now(), store.CheckpointImported
	t.log[len(t.log)-1] = imported
	return err == nil, err
}

// reparent notes that the children of a checkpoint have the parent that they are left.
func (t *tx) reparent(ctx context.Context, id string, heirs store.Heirs) {
	children, err := t.x.Children(ctx, id)
	t.x.must(err)
	parent := heirs.Of(id)
	for _, child := range children {
		if _, gone := heirs[child.ID]; !gone {
			t.change(child, func(n *note) { n.Parent = &parent })
		}
	}
}

// Complete marks a checkpoint as completed and closes its workflow.
func (t *tx) Complete(ctx context.Context, id string, at piton.Time) error {
	c, err := t.x.find(ctx, id)
	if err != nil || c.Completed {
		return err
	}
	at = piton.At(at.Time)
	if err := t.x.Complete(ctx, c.ID, at); err != nil {
		return err
	}
	t.change(c, func(n *note) { n.CompletedAt = at })
	t.flows[c.WorkflowID] = true
	t.ended(ctx, c)
	return nil
}

// ended notes that a checkpoint is not the current one any more, by whatever id.
func (t *tx) ended(ctx context.Context, c piton.Checkpoint) {
	t.seed.clear(c.ID)
	for _, r := range t.x.rows(ctx, `path = $1`, given(c).File) {
		t.seed.clear(r.alias)
	}
}

// Delete removes checkpoints; children get the nearest surviving ancestor.
func (t *tx) Delete(ctx context.Context, ids []string) (int64, error) {
	doomed, err := t.findAll(ctx, ids)
	if err != nil {
		return 0, err
	}
	freed, _ := t.WouldFree(ctx, doomed, nil, "")
	heirs := store.PlanDelete(doomed)
	for _, c := range doomed {
		t.reparent(ctx, c.ID, heirs)
		t.ended(ctx, c)
		t.flows[c.WorkflowID] = true
	}
	if _, err := t.x.Delete(ctx, slices.Collect(maps.Keys(heirs))); err != nil {
		return 0, err
	}
	for _, c := range doomed {
		if !t.files[c.ID] {
			t.removes[nameOf(c)] = c
		}
		delete(t.files, c.ID)
	}
	return freed, nil
}

// findAll finds checkpoints, each once.
func (t *tx) findAll(ctx context.Context, ids []string) (list []piton.Checkpoint, err error) {
	seen := map[string]bool{}
	for _, id := range ids {
		c, err := t.x.find(ctx, id)
		if err != nil {
			return nil, err
		}
		if !seen[c.ID] {
			seen[c.ID], list = true, append(list, c)
		}
	}
	return list, nil
}

// Archive notes that states lie in a file of the archive and drops them here.
func (t *tx) Archive(ctx context.Context, ids []string, file string) (int64, error) {
	cold, err := t.findAll(ctx, ids)
	if err == nil {
		cold, err = store.PlanArchive(cold, file)
	}
	if err != nil {
		return 0, err
	}
	freed, _ := t.WouldFree(ctx, nil, cold, "")
	var found []string
	for _, c := range cold {
		if err := t.whole("archive "+c.ID, "leave it out; 'verify' shows what is damaged", c); err != nil {
			return 0, err
		}
		found = append(found, c.ID)
		keep(t.files, c.ID)
	}
	_, err = t.x.Archive(ctx, found, file)
	return freed, err
}

// whole fails where a checkpoint's file is damaged.
func (t *tx) whole(op, hint string, c piton.Checkpoint) error {
	if t.files[c.ID] {
		return nil
	}
	e, err := t.d.file(nameOf(c), true)
	if err == nil && (e.why != "" || e.c.ID != c.ID) {
		return piton.Errorf(piton.Corrupt, op, hint, "the file %s: %s", e.name, cmp.Or(e.why, c.Damaged))
	}
	return fail(op, err)
}

// Rewrite replaces a checkpoint's texts and its state.
func (t *tx) Rewrite(ctx context.Context, clean redact.Clean[store.Prepared]) error {
	p := clean.Get()
	op := "rewrite " + p.Record.ID
	c, err := t.x.find(ctx, p.Record.ID)
	if err != nil {
		return err
	}
	if err := t.whole(op, "remove the file by hand", c); err != nil {
		return err
	}
	p.Record.ID = c.ID
	if err := t.x.Rewrite(ctx, p); err != nil {
		return err
	}
	if keep(t.files, c.ID); c.Archive == "" {
		t.of[c.ID] = slices.Clone([]byte(p.State.Get()))
	}
	return t.x.DropSearch(ctx)
}

// Log adds an event to the stream.
func (t *tx) Log(ctx context.Context, clean redact.Clean[store.LogEvent]) error {
	if _, err := plain(clean.Get()); err != nil {
		return &piton.Error{Code: piton.Internal, Op: "log an event", Err: err}
	}
	return t.x.Log(ctx, clean)
}

// Count adds to counters, of all days together: their file is written at each
// save, and stays small.
func (t *tx) Count(_ context.Context, _ piton.Time, _ string, counts ...store.Counted) error {
	t.counts = append(t.counts, counts...)
	return nil
}
