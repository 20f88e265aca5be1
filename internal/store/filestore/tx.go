package filestore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	ids     map[string]bool             // checkpoints whose files are to be written
	damaged map[string]bool             // those of them that cannot be written again
	notes   map[string][]noting         // by workflow
	removes map[string]piton.Checkpoint // by file
	flows   map[string]bool             // workflows to write; true: whether it is closed is decided here
	names   map[string]bool             // files that it has made
	added   map[string]bool             // checkpoints that are new
	log     []store.LogEvent
	counts  []store.Counted
	seed    seedChange
}

func newTx(s *Store) *tx {
	t := &tx{
		ids: map[string]bool{}, damaged: map[string]bool{}, notes: map[string][]noting{},
		removes: map[string]piton.Checkpoint{}, flows: map[string]bool{}, names: map[string]bool{}, added: map[string]bool{},
	}
	t.reader = reader{s: s, of: map[string][]byte{}, read: func(ctx context.Context, op string, _ bool, fn func(snap) ([]piton.Checkpoint, error)) ([]piton.Checkpoint, error) {
		if err := ctx.Err(); err != nil {
			return nil, fail(op, err)
		}
		list, err := fn(t.x)
		for i, c := range list {
			list[i] = given(c)
		}
		return list, err
	}}
	return t
}

// noting is what a workflow's file is to note of a checkpoint: always, or where the
// checkpoint's own file is damaged, and so is never written again.
type noting struct {
	id     string
	alter  func(*note)
	always bool
}

// change notes that a checkpoint has another record.
func (t *tx) change(c piton.Checkpoint, alter func(*note)) {
	t.ids[c.ID] = true
	t.notes[c.WorkflowID] = append(t.notes[c.WorkflowID], noting{c.ID, alter, false})
}

// touch has a workflow's file written.
func (t *tx) touch(workflow string) {
	if !t.flows[workflow] {
		t.flows[workflow] = false
	}
}

// note changes what a workflow's file notes of a checkpoint.
func (t *tx) note(c piton.Checkpoint, alter func(*note)) {
	t.touch(c.WorkflowID)
	t.notes[c.WorkflowID] = append(t.notes[c.WorkflowID], noting{c.ID, alter, true})
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
	op := "save to " + c.Label()
	if err := t.mayAdd(ctx, op, &c, p.State.Get()); err != nil {
		return c, err
	}
	p.Record = c
	c, err := t.x.Append(ctx, p)
	if err != nil {
		return c, err
	}
	raw, err := t.add(ctx, &c, p.State.Get())
	if err != nil {
		return c, err
	}
	if accepted(raw) {
		t.seed.Set = c.ID
	}
	t.log[len(t.log)-1] = createdEvent(c)
	return c, nil
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
	switch _, err := t.x.Checkpoint(ctx, c.ID); {
	case err == nil:
		return piton.Errorf(piton.Conflict, op, "leave the id to the store", "the id %s is taken", c.ID)
	case piton.CodeOf(err) != piton.NotFound:
		return err
	}
	sum := sha256.Sum256(state)
	if got := hex.EncodeToString(sum[:]); c.SHA256 == "" {
		c.SHA256 = got
	} else if got != c.SHA256 {
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
	if raw, err = encode(*c, "", state); err == nil {
		c.StoredBytes = int64(len(raw))
		raw, err = encode(*c, "", state)
	}
	if err != nil {
		return nil, &piton.Error{Code: piton.Internal, Op: "write " + c.ID, Err: err}
	}
	t.names[name], t.added[c.ID], t.ids[c.ID], t.of[c.ID] = true, true, true, slices.Clone(state)
	t.flows[c.WorkflowID] = true
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
		if _, gone := t.removes[name]; !gone && !t.names[name] && !t.s.disk.exists(checkpoints+"/"+name) {
			return name
		}
	}
}

// Import adds a checkpoint of another store.
func (t *tx) Import(ctx context.Context, clean redact.Clean[store.Entry]) (bool, error) {
	e := clean.Get()
	c := &e.Checkpoint
	op := "import " + c.ID
	if _, err := t.x.Checkpoint(ctx, c.ID); err == nil {
		return false, nil
	}
	if e.Workflow.ID = cmp.Or(c.WorkflowID, e.Workflow.ID); !piton.IsWholeID(piton.WorkflowPrefix, e.Workflow.ID) {
		return false, piton.Errorf(piton.Invalid, op, "an id looks like wf_0123456789abcdef", "%q is not a workflow's id", e.Workflow.ID)
	}
	if err := t.mayAdd(ctx, op, c, e.State); err != nil {
		return false, err
	}
	c.File = ""
	parent := c.ParentID
	added, err := t.x.Import(ctx, e)
	if err != nil || !added {
		return false, err
	}
	is, err := t.x.Checkpoint(ctx, c.ID)
	if err != nil {
		return false, err
	}
	if parent != "" && is.ParentID == "" {
		t.note(is, func(n *note) { n.Waits = parent })
	}
	// Whoever is its child by now has waited for it.
	children, err := t.x.Children(ctx, is.ID)
	if err != nil {
		return false, err
	}
	for _, child := range children {
		t.change(child, func(n *note) { n.Parent = &is.ID })
	}
	if _, err = t.add(ctx, &is, e.State); err != nil {
		return false, err
	}
	imported := createdEvent(is)
	imported.At, imported.Kind = now(), store.CheckpointImported
	t.log[len(t.log)-1] = imported
	return true, nil
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
	return t.ended(ctx, c)
}

// ended notes that a checkpoint is not the current one any more, by whatever id.
func (t *tx) ended(ctx context.Context, c piton.Checkpoint) error {
	list, err := t.x.rows(ctx, `path = $1`, checkpoints+"/"+nameOf(c))
	t.seed.clear(c.ID)
	for _, r := range list {
		t.seed.clear(r.alias)
	}
	return err
}

// Delete removes checkpoints; children get the nearest surviving ancestor.
func (t *tx) Delete(ctx context.Context, ids []string) (int64, error) {
	gone := map[string]bool{}
	var doomed []piton.Checkpoint
	for _, id := range ids {
		c, err := t.x.find(ctx, id)
		if err != nil {
			return 0, err
		}
		if !gone[c.ID] {
			gone[c.ID], doomed = true, append(doomed, c)
		}
	}
	freed, err := t.s.wouldFree(ctx, t.x, doomed, nil, "")
	if err != nil {
		return 0, err
	}
	heirs := store.PlanDelete(doomed)
	for _, c := range doomed {
		children, err := t.x.Children(ctx, c.ID)
		if err == nil {
			err = t.ended(ctx, c)
		}
		if err != nil {
			return 0, err
		}
		for _, child := range children {
			if parent := heirs.Of(c.ID); !gone[child.ID] {
				t.change(child, func(n *note) { n.Parent = &parent })
			}
		}
		t.flows[c.WorkflowID] = true
	}
	if _, err := t.x.Delete(ctx, sorted(gone)); err != nil {
		return 0, err
	}
	for _, c := range doomed {
		if !t.added[c.ID] {
			t.removes[nameOf(c)] = c
		}
		delete(t.ids, c.ID)
	}
	return freed, nil
}

// Archive notes that states lie in a file of the archive and drops them here.
func (t *tx) Archive(ctx context.Context, ids []string, file string) (int64, error) {
	if file == "" {
		return 0, piton.Errorf(piton.Invalid, "archive", "give the archive's file", "the file has no name")
	}
	var cold []piton.Checkpoint
	var found []string
	for _, id := range ids {
		c, err := t.x.find(ctx, id)
		if err != nil {
			return 0, err
		}
		if c.Archive == file {
			continue
		}
		if err := t.whole("archive "+id, "leave it out; 'verify' shows what is damaged", c); err != nil {
			return 0, err
		}
		cold, found = append(cold, c), append(found, c.ID)
		t.ids[c.ID] = true
	}
	freed, err := t.s.wouldFree(ctx, t.x, nil, cold, file)
	if err == nil {
		_, err = t.x.Archive(ctx, found, file)
	}
	return freed, err
}

// whole fails where a checkpoint's file is damaged.
func (t *tx) whole(op, hint string, c piton.Checkpoint) error {
	if t.added[c.ID] {
		return nil
	}
	d, err := t.s.load(nameOf(c))
	if err != nil {
		return fail(op, err)
	}
	if d.why != "" {
		return piton.Errorf(piton.Corrupt, op, hint, "the file %s: %s", nameOf(c), d.why)
	}
	return nil
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
	if t.ids[c.ID] = true; c.Archive == "" {
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
