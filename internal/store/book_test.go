package store_test

import (
	"cmp"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// book is a store of one workflow in memory: the rules of this package, and
// nothing else.
type book struct {
	w       piton.Workflow
	all     map[string]piton.Checkpoint
	begun   map[string]string // branches, and what they began from
	base    map[string]string // heads of branches that are empty now
	waiting map[string]string // the parent that an imported checkpoint waits for
}

func newBook(w piton.Workflow) *book {
	return &book{w: w, all: map[string]piton.Checkpoint{}, begun: map[string]string{}, base: map[string]string{}, waiting: map[string]string{}}
}

func (b *book) get(id string) (piton.Checkpoint, error) {
	c, ok := b.all[id]
	if !ok {
		return c, store.NoCheckpoint("find " + id)
	}
	return c, nil
}

// line is a branch's checkpoints, the highest number first.
func (b *book) line(branch string) (list []piton.Checkpoint) {
	for _, c := range b.all {
		if c.Branch == branch {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, c piton.Checkpoint) int { return cmp.Compare(c.Seq, a.Seq) })
	return list
}

func (b *book) branch(name string) store.Branched {
	_, exists := b.begun[name]
	if line := b.line(name); len(line) > 0 {
		return store.Branched{Exists: exists, Head: line[0].ID}
	}
	return store.Branched{Exists: exists, Head: b.base[name]}
}

func (b *book) head() (head piton.Checkpoint) {
	for _, c := range b.all {
		if head.ID == "" || store.Leads(c, head) {
			head = c
		}
	}
	return head
}

func (b *book) begin(branch, from string) {
	if _, ok := b.begun[branch]; !ok {
		b.begun[branch] = from
	}
}

// join notes from where the branch of a checkpoint begins that came before it.
func (b *book) join(c, parent piton.Checkpoint) {
	if line := b.line(c.Branch); parent.Branch != c.Branch && line[len(line)-1].ID == c.ID && b.begun[c.Branch] == "" {
		b.begun[c.Branch] = parent.ID
	}
}

func (b *book) append(p store.Prepared) (piton.Checkpoint, error) {
	c := p.NewRecord()
	at := b.branch(c.Branch)
	need := p.Needs(at.Head)
	_, err := b.get(need)
	if c, err = store.PlanAppend("save", p, c, at, need == "" || err == nil); err != nil {
		return c, err
	}
	b.begin(c.Branch, c.ParentID)
	b.w.Seq++
	c.Seq, c.WorkflowID = b.w.Seq, b.w.ID
	b.w.Closed = p.Closes(c, b.w.Closed)
	b.all[c.ID], b.w.HeadID = c, c.ID
	return c, nil
}

func (b *book) imports(e store.Entry) {
	var parent *piton.Checkpoint
	if p, err := b.get(e.Checkpoint.ParentID); err == nil {
		parent = &p
	}
	x := store.PlanImport(e, b.w.ID, parent)
	c := x.Record
	if c.Seq == 0 {
		c.Seq = b.w.Seq + 1
	}
	b.w.Seq = e.LastNumber(b.w.Seq, c.Seq)
	b.begin(c.Branch, x.From)
	b.all[c.ID] = c
	if x.From != "" {
		b.join(c, *parent)
	}
	if b.head().ID == c.ID {
		b.w.HeadID, b.w.Closed = c.ID, e.Closes()
	}
	if x.WaitsFor != "" {
		b.waiting[c.ID] = x.WaitsFor
	}
	for id, parent := range b.waiting {
		child, there := b.all[id]
		if parent != c.ID || !there {
			continue
		}
		delete(b.waiting, id)
		if ok, err := store.Adopts(c, child, b.get); err == nil && ok {
			child.ParentID = c.ID
			b.all[id] = child
			b.join(child, c)
		}
	}
}

func (b *book) delete(ids ...string) {
	var gone []piton.Checkpoint
	heads := map[string]string{}
	for name := range b.begun {
		heads[name] = b.branch(name).Head
	}
	for _, id := range ids {
		gone = append(gone, b.all[id])
		delete(b.all, id)
	}
	heirs := store.PlanDelete(gone)
	for id, c := range b.all {
		c.ParentID = heirs.Of(c.ParentID)
		b.all[id] = c
	}
	for name, from := range b.begun {
		b.begun[name], b.base[name] = heirs.Of(from), heirs.Of(heads[name])
	}
	b.w = store.Rehead(b.w, b.head())
}
