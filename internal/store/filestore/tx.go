package filestore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// tx is one transaction: a copy of the index that it changes, and what the
// changes mean for the files. Nothing is written before it commits.
type tx struct {
	reader
	x       *index
	puts    map[string][]byte // checkpoint files to write, by name
	removes map[string]bool
	dirty   map[string]bool // workflows to write
	log     []store.LogEvent
	counted bool
	erases  bool // texts that must not be found in the cache any more
	moved   bool // another program has changed a file that was to be written: fn runs again
	seed    seedChange
}

func newTx(s *Store, x *index) *tx {
	t := &tx{x: x.clone(), puts: map[string][]byte{}, removes: map[string]bool{}, dirty: map[string]bool{}}
	t.x.private = true
	t.reader = reader{s: s, inside: true, at: func(ctx context.Context) (*index, error) {
		if err := ctx.Err(); err != nil {
			return nil, fail("read the file store", err)
		}
		return t.x, nil
	}}
	return t
}

// changed reports whether there is anything to write. If so, numbers that were
// given to another program's files are written too and so become lasting.
func (t *tx) changed() bool {
	if len(t.puts)+len(t.removes)+len(t.dirty)+len(t.log) == 0 && !t.counted {
		return false
	}
	for id, w := range t.x.workflows {
		if t.x.wfs[id].lacksNumbers(w) {
			t.own(w)
		}
	}
	return true
}

// own marks a workflow's file to be written.
func (t *tx) own(w *workflow) {
	w.lost = false
	if !t.dirty[w.ID] { // the maps are still those of the index that others read
		t.dirty[w.ID], w.Marks, w.Numbers = true, maps.Clone(w.Marks), maps.Clone(w.Numbers)
	}
}

// mark changes what a workflow's file notes of a checkpoint.
func (t *tx) mark(w *workflow, id string, alter func(*note)) {
	t.own(w)
	n := w.Marks[id]
	if alter(&n); n == (note{}) {
		delete(w.Marks, id)
		return
	}
	if w.Marks == nil {
		w.Marks = map[string]note{}
	}
	w.Marks[id] = n
}

// PutWorkflow adds a workflow, or changes its closed mark and session.
func (t *tx) PutWorkflow(ctx context.Context, clean redact.Clean[piton.Workflow]) error {
	w := clean.Get()
	op := "write workflow " + w.Label()
	if !piton.IsWholeID(piton.WorkflowPrefix, w.ID) {
		return piton.Errorf(piton.Invalid, op, "an id looks like wf_0123456789abcdef", "%q is not a workflow's id", w.ID)
	}
	if have := t.x.flow(w.ID); have != nil {
		t.own(have)
		have.Closed, have.SessionID, have.ClosedAt = w.Closed, w.SessionID, 0
		if w.Closed {
			have.ClosedAt = have.Seq
		}
		return nil
	}
	if t.x.named(w.Name, w.Project) != nil {
		return store.NameTaken(op)
	}
	w.Seq, w.HeadID, w.CreatedAt = 0, "", piton.At(w.CreatedAt.Time)
	made := &workflow{Workflow: w}
	t.x.workflows[w.ID] = made
	t.own(made)
	return nil
}

// Append adds a checkpoint as the head of its branch.
func (t *tx) Append(ctx context.Context, clean redact.Clean[store.Prepared]) (piton.Checkpoint, error) {
	p := clean.Get()
	c := p.NewRecord()
	op := "save to " + c.Label()
	if err := t.mayAdd(ctx, op, &c, p.State.Get()); err != nil {
		return c, err
	}
	w := t.x.flow(c.WorkflowID)
	b := store.Branched{Exists: w.branch(c.Branch) != nil, Head: w.branchHead(c.Branch)}
	needs := p.Needs(b.Head)
	c, err := store.PlanAppend(op, p, c, b, needs == "" || t.x.entry(needs) != nil)
	if err != nil {
		return c, err
	}
	w.Seq++
	c.Seq = w.Seq
	e, err := t.add(c, p.State.Get())
	if err != nil {
		return c, &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	if w.Closed = p.Closes(e.c, w.Closed); !p.Keep {
		w.ClosedAt = 0
	}
	t.own(w)
	if accepted(t.puts[e.name]) {
		t.seed.Set = e.c.ID
	}
	t.log = append(t.log, createdEvent(e.c))
	return e.given(), nil
}

// mayAdd checks what every new checkpoint needs: an id of its own, a sum that
// fits, a workflow.
func (t *tx) mayAdd(ctx context.Context, op string, c *piton.Checkpoint, state []byte) error {
	if err := ctx.Err(); err != nil {
		return fail(op, err)
	}
	if !piton.IsWholeID(piton.CheckpointPrefix, c.ID) {
		return piton.Errorf(piton.Invalid, op, "an id looks like chk_0123456789abcdef", "%q is not a checkpoint's id", c.ID)
	}
	if t.x.entry(c.ID) != nil {
		return piton.Errorf(piton.Conflict, op, "leave the id to the store", "the id %s is taken", c.ID)
	}
	if t.x.flow(c.WorkflowID) == nil {
		return store.NoWorkflow(op)
	}
	sum := sha256.Sum256(state)
	if got := hex.EncodeToString(sum[:]); c.SHA256 == "" {
		c.SHA256 = got
	} else if got != c.SHA256 {
		return piton.Errorf(piton.Invalid, op, "", "the state has the sum %s, not %s", got, c.SHA256)
	}
	c.StateBytes, c.Damaged, c.Archive = int64(len(state)), "", ""
	return nil
}

// add puts a checkpoint into the index under the next ordinal and its file
// among what is to be written.
func (t *tx) add(c piton.Checkpoint, state []byte) (*entry, error) {
	w := t.x.flow(c.WorkflowID)
	t.x.store.Ordinal++
	c.Ordinal, c.Workflow, c.WorkflowType = t.x.store.Ordinal, w.Name, w.Type
	c.CreatedAt, c.CompletedAt, c.Tags = piton.At(c.CreatedAt.Time), piton.At(c.CompletedAt.Time), slices.Clone(c.Tags)
	if len(c.Tags) == 0 {
		c.Tags = nil
	}
	name := t.freeName(c)
	c.File, c.StoredBytes = checkpoints+"/"+name, 0
	raw, err := encode(c, "", state)
	if err != nil {
		return nil, err
	}
	c.StoredBytes = int64(len(raw))
	if raw, err = encode(c, "", state); err != nil {
		return nil, err
	}
	e := &entry{c: c, name: name, own: true, size: int64(len(raw)), state: slices.Clone(state)}
	t.puts[name] = raw
	t.x.files[name], t.x.byID[c.ID] = e, e
	t.x.names.add(name)
	if t.x.base == nil {
		t.x.order = append(t.x.order, e)
	}
	w.count(e)
	return e, nil
}

// freeName is a file name that nothing has, nor had in this transaction.
func (t *tx) freeName(c piton.Checkpoint) string {
	stem := stem(c)
	for n := 1; ; n++ {
		name := stem + ".json"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.json", stem, n)
		}
		if t.puts[name] == nil && !t.removes[name] && !t.s.disk.exists(checkpoints+"/"+name) {
			return name
		}
	}
}

// change gives a checkpoint another record: in its file where that is whole,
// else in the marks of its workflow, for a damaged file is never written
// again.
func (t *tx) change(id string, alter func(*piton.Checkpoint), mark func(*note)) error {
	e := *t.x.entry(id)
	if err := t.unmoved(&e); err != nil {
		return err
	}
	w := t.x.flowOf(&e)
	alter(&e.c)
	state := e.state
	whole := e.why == ""
	if whole && state == nil && e.c.Archive == "" {
		d, err := t.s.read(e.name)
		if err != nil {
			return fail("change "+id, err)
		}
		state, whole = d.state, d.state != nil && d.SHA256 == e.c.SHA256
	}
	if !whole {
		t.mark(w, id, mark)
		t.replace(&e)
		return nil
	}
	changed, raw, err := e.rewritten(e.c, state)
	if err == nil {
		t.rewrite(changed, raw)
	}
	return err
}

// rewrite gives a checkpoint another record and its file another content.
func (t *tx) rewrite(e *entry, raw []byte) {
	t.puts[e.name] = raw
	t.replace(e)
}

// find finds a checkpoint as index.find does.
func (t *tx) find(op, ref string) (*entry, error) {
	e, err := t.x.find(op, ref)
	if errors.Is(err, errPart) {
		t.x.fill()
		e, err = t.x.find(op, ref)
	}
	return e, err
}

// unmoved fails where a file that is to be written again or removed is not the
// one that was read: the transaction then runs again on what is there now.
func (t *tx) unmoved(e *entry) error {
	if t.s.asRead(e) {
		return nil
	}
	t.moved = true
	return piton.Errorf(piton.Conflict, "write "+e.name, "try again", "another program has just changed it")
}

// replace replaces an entry of the index with its changed copy.
func (t *tx) replace(e *entry) {
	if t.x.base == nil {
		i, found := slices.BinarySearchFunc(t.x.order, e, byOrdinal)
		if !found {
			t.x.doubt()
			return
		}
		t.x.order[i] = e
	}
	t.x.byID[e.c.ID] = e
	if t.puts[e.name] != nil {
		t.x.files[e.name] = e
	}
	w := t.x.flowOf(e)
	if w.HeadID == e.c.ID {
		w.head = e
	}
	if b := w.branch(e.c.Branch); b != nil && b.head != nil && b.head.c.ID == e.c.ID {
		b.head = e
	}
}

// Complete marks a checkpoint as completed and closes its workflow.
func (t *tx) Complete(ctx context.Context, id string, at piton.Time) error {
	x, err := t.at(ctx)
	if err != nil {
		return err
	}
	e, err := t.find("complete "+id, id)
	if err != nil || e.c.Completed {
		return err
	}
	at = piton.At(at.Time)
	id, c := e.c.ID, e.c
	err = t.change(id, func(c *piton.Checkpoint) { c.Completed, c.CompletedAt = true, at }, func(n *note) { n.CompletedAt = at })
	if err != nil {
		return err
	}
	w := x.flowOf(e)
	w.Closed, w.ClosedAt = true, w.Seq
	t.own(w)
	t.seed.clear(id, e.alias)
	t.log = append(t.log, store.EventOf(store.CheckpointCompleted, at, c))
	return nil
}

// Log adds an event to the stream.
func (t *tx) Log(ctx context.Context, clean redact.Clean[store.LogEvent]) error {
	e := clean.Get()
	if _, err := plain(e); err != nil {
		return &piton.Error{Code: piton.Internal, Op: "log an event", Err: err}
	}
	t.log = append(t.log, e)
	return nil
}

// Count adds to counters, of all days together: their file is written at each
// save, and stays small.
func (t *tx) Count(_ context.Context, _ piton.Time, _ string, counts ...store.Counted) error {
	for _, c := range store.Sum(counts) {
		t.x.store.Counters[c.Name] += min(c.N, math.MaxInt64-t.x.store.Counters[c.Name])
	}
	t.counted = true
	return nil
}
