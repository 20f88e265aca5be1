package sqlstore

import (
	"bytes"
	"cmp"
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/pack"
)

// Prepare takes the state apart and compresses what the branch's head, as it is
// now, does not have. Where another save comes first Append does it again.
func (s *Store) Prepare(ctx context.Context, p store.Prepared) (store.Prepared, error) {
	op := "save to " + p.Record.Label()
	on, well, err := s.leansOn(ctx, op, p)
	if err != nil {
		return p, err
	}
	k, err := s.d.pack(op, p.State.Get(), on, well)
	if err != nil {
		return p, err
	}
	p.Packed = k
	return p, nil
}

// leansOn finds what the branch holds that the state may have in common with it. well:
// the state begins an epoch.
func (s *Store) leansOn(ctx context.Context, op string, p store.Prepared) (on *base, well bool, err error) {
	state := p.State.Get()
	small := len(state) < pack.Small
	forgotten := small && (!remembers(state) || !s.recent.any())
	if p.Fork || p.Record.WorkflowID == "" || forgotten {
		return nil, false, nil
	}
	name := cmp.Or(p.Record.Branch, piton.MainBranch)
	// Who saves the very same again may do so because it was damaged.
	same := func(on *base) bool { return bytes.Equal(on.layout.State, state) }
	// Without a question: the transaction looks whether it is still so.
	if on := s.recent.last([2]string{p.Record.WorkflowID, name}); on != nil && !same(on) {
		on, well = on.next()
		return on, well, nil
	}
	if small {
		return nil, false, nil
	}
	b, found, err := s.branchRow(ctx, p.Record.WorkflowID, name, "")
	if err != nil || !found {
		return nil, false, err
	}
	on, err = s.base(ctx, op, b)
	return on, b.renews(), err
}

// minRemembered is the size under which a state is taken apart again as quickly as
// its branch is looked up.
const minRemembered = 4 << 10

// remembers tells whether a state is remembered for the next append. From a small one
// that append leans on it only then: to read it takes longer than to pack it again.
func remembers(state []byte) bool { return len(state) >= minRemembered }

// pack takes a state apart; what it has in common with a base is left out. well is
// for a state that is worth the time (pack.Packer).
func (d *Dialect) pack(op string, state []byte, on *base, well bool) (*packed, error) {
	var layout *pack.Layout
	if on != nil {
		layout = on.layout
	}
	plan, err := pack.Packer{Plain: d.Plain, Well: well, Far: d.Pipelined}.Pack(state, layout)
	if err != nil {
		return nil, internal(op, err)
	}
	if !plan.Leans() {
		on = nil
	}
	return &packed{plan: plan, base: on}, nil
}

// base reads a branch's head as the base of its next append; nil when there is
// none in the epoch, or it is damaged.
func (r reader) base(ctx context.Context, op string, b branch) (*base, error) {
	if b.head == "" {
		return nil, nil
	}
	l := &base{of: b.of, epoch: b.epoch(), head: b.head}
	if err := r.ask(ctx, op, headManifest(l, &l.manifest)); err != nil || l.manifest == nil {
		return nil, err
	}
	numbers, err := pack.Numbers(l.manifest)
	if err != nil || len(numbers) == 0 {
		return nil, nil
	}
	blobs, err := r.blobs(ctx, op, l.epoch, numbers)
	if err != nil {
		return nil, err
	}
	contents := make([][]byte, len(numbers))
	for i, n := range numbers {
		if contents[i], err = pack.Content(blobs[n].sum, blobs[n].data); err != nil {
			return nil, nil
		}
	}
	l.layout = pack.NewLayout(contents, numbers)
	return l, nil
}

// headManifest asks for the manifest of a base's head; there is none where the head is
// not of the base's branch and epoch, or its state is no longer here.
func headManifest(on *base, manifest *[]byte) question {
	return one(new(bool), `SELECT m.data FROM checkpoints c JOIN manifests m ON m.checkpoint = c.ordinal WHERE c.id = $1 AND c.branch = $2 AND c.epoch = $3`,
		params{on.head, on.epoch.branch, on.epoch.n}, manifest)
}

// holds tells, with the branch locked, whether a base is still what the store
// has: the branch's head, in the epoch of the next append, with its manifest,
// so that none of its blobs can have been swept.
func (l *base) holds(b branch, manifest []byte) bool {
	return l.epoch == b.epoch() && l.head == b.head && manifest != nil && bytes.Equal(manifest, l.manifest)
}

// stored returns the manifest of a state whose blobs have these numbers, and
// remembers the state for the branch's next append.
func (t *tx) stored(b branch, state []byte, k *packed, numbers []uint64, id string) []byte {
	layout := k.plan.Layout(numbers)
	manifest := layout.Manifest()
	if remembers(state) {
		t.own.add(&base{of: b.of, appended: b.appended + 1, epoch: b.epoch(), head: id, manifest: manifest, layout: layout})
	}
	return manifest
}

// packNow does what Prepare does, with the branch locked.
func (t *tx) packNow(ctx context.Context, op string, b branch, state []byte) (*packed, error) {
	if len(state) < pack.Small || b.head == "" {
		return t.d.pack(op, state, nil, b.renews())
	}
	var manifest []byte
	var err error
	on := t.own.find(b)
	if on != nil {
		err = t.ask(ctx, op, headManifest(on, &manifest))
	}
	if err == nil && (on == nil || !on.holds(b, manifest)) {
		on, err = t.base(ctx, op, b)
	}
	if err != nil {
		return nil, err
	}
	return t.d.pack(op, state, on, b.renews())
}
