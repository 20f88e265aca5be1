package sqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/pack"
)

// base is the head of a branch with its state. The next append on the branch
// leans on it: what has not changed keeps its blobs.
type base struct {
	branch, epoch int64
	head          string // a checkpoint id
	manifest      []byte
	layout        *pack.Layout
}

// basesKept bounds how many states a process remembers.
const basesKept = 2

// recent remembers what was appended last, so that the next append need not
// read it. That the store still has it is looked up in each transaction
// (tx.holds); that its bytes are sound is not: this process has written or
// checked them.
type recent struct {
	mu    sync.Mutex
	bases []*base // the newest last
}

func (r *recent) add(bases ...*base) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range bases {
		r.bases = slices.DeleteFunc(r.bases, func(had *base) bool { return had.branch == b.branch })
		r.bases = append(r.bases, b)
	}
	if n := len(r.bases) - basesKept; n > 0 {
		r.bases = slices.Delete(r.bases, 0, n)
	}
}

func (r *recent) find(branch, epoch int64, head string) *base {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.bases {
		if b.branch == branch && b.epoch == epoch && b.head == head {
			return b
		}
	}
	return nil
}

// packed is what Prepare makes of a state.
type packed struct {
	store.IsPacked
	plan *pack.Plan
	base *base // what the plan leans on; nil: nothing
}

// Prepare takes the state apart and compresses what the branch's head, as it is
// now, does not have. Where another save comes first Append does it again.
func (s *Store) Prepare(ctx context.Context, p store.Prepared) (store.Prepared, error) {
	op, state := "save to "+p.Record.Label(), p.State.Get()
	var lean *base
	if !p.Fork && len(state) >= pack.Small && p.Record.WorkflowID != "" {
		name := p.Record.Branch
		if name == "" {
			name = piton.MainBranch
		}
		b, ok, err := s.branchRow(ctx, p.Record.WorkflowID, name, "")
		if err != nil {
			return p, err
		}
		if ok {
			lean = s.recent.find(b.id, b.appended/epochLength, b.head)
			// Who saves the very same again may do so because it was damaged.
			if lean == nil || bytes.Equal(lean.layout.State, state) {
				if lean, err = s.base(ctx, op, b); err != nil {
					return p, err
				}
			}
		}
	}
	k, err := lay(op, s.d, state, lean)
	if err != nil {
		return p, err
	}
	p.Packed = k
	return p, nil
}

// lay takes a state apart.
func lay(op string, d *Dialect, state []byte, lean *base) (*packed, error) {
	var layout *pack.Layout
	if lean != nil {
		layout = lean.layout
	}
	plan, err := pack.Packer{Plain: d.Plain}.Pack(state, layout)
	if err != nil {
		return nil, &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	return &packed{plan: plan, base: lean}, nil
}

// base reads a branch's head as the base of its next append; nil when there is
// none in the epoch, or it is damaged.
func (r reader) base(ctx context.Context, op string, b branch) (*base, error) {
	l := &base{branch: b.id, epoch: b.appended / epochLength, head: b.head}
	if b.head == "" {
		return nil, nil
	}
	var err error
	if l.manifest, err = r.manifest(ctx, op, l); err != nil || l.manifest == nil {
		return nil, err
	}
	numbers, err := pack.Numbers(l.manifest)
	if err != nil {
		return nil, nil
	}
	blobs, err := r.blobs(ctx, op, l.branch, l.epoch, numbers)
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

// manifest is the manifest of a base's head; nil when the head is not of the
// base's branch and epoch, or its state is no longer here.
func (r reader) manifest(ctx context.Context, op string, l *base) (manifest []byte, err error) {
	err = r.q.QueryRowContext(ctx, `SELECT m.data FROM checkpoints c JOIN manifests m ON m.checkpoint = c.ordinal WHERE c.id = $1 AND c.branch = $2 AND c.epoch = $3`,
		l.head, l.branch, l.epoch).Scan(&manifest)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, r.d.fail(op, err)
	}
	return manifest, nil
}

// holds tells, with the branch locked, whether a base is still what the store
// has: the branch's head, in the epoch of the next append, with its manifest,
// so that none of its blobs can have been swept.
func (t *tx) holds(ctx context.Context, op string, l *base, b branch, epoch int64) (bool, error) {
	if l == nil {
		return true, nil
	}
	if l.branch != b.id || l.epoch != epoch || l.head != b.head {
		return false, nil
	}
	m, err := t.manifest(ctx, op, l)
	return m != nil && bytes.Equal(m, l.manifest), err
}
