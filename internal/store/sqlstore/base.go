package sqlstore

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/pack"
)

// epochLength is how many checkpoints of a branch share blobs.
const epochLength = 64

// branch is a row of branches.
type branch struct {
	of       [2]string // its workflow and name
	id       int64
	head     string
	appended int64
}

const addBranch = `INSERT INTO branches (workflow_id, name, head_id, appended, from_id) VALUES ($1, $2, '', 0, $3) ON CONFLICT (workflow_id, name) DO NOTHING`

// epoch is the one that the next checkpoint of the branch belongs to.
func (b branch) epoch() epoch { return epoch{b.id, b.appended / epochLength} }

// renews tells whether the next checkpoint begins another epoch of the branch. A state
// that grows is stored as a whole then, and only then.
func (b branch) renews() bool { return b.appended > 0 && b.appended%epochLength == 0 }

// epoch names an epoch of a branch.
type epoch struct{ branch, n int64 }

// base is the head of a branch with its state. The next append on the branch
// leans on it: what has not changed keeps its blobs.
type base struct {
	of       [2]string // workflow and name of the branch
	appended int64     // checkpoints ever appended to it, as far as this process knows
	epoch    epoch
	head     string // a checkpoint id
	manifest []byte
	layout   *pack.Layout
}

// next is what the next append leans on, as far as this process knows; well: it begins an
// epoch, and leans on nothing.
func (l *base) next() (on *base, well bool) {
	if (branch{appended: l.appended}).renews() {
		return nil, true
	}
	return l, false
}

// maxBases bounds how many states a process remembers.
const maxBases = 2

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
		r.bases = slices.DeleteFunc(r.bases, func(had *base) bool { return had.epoch.branch == b.epoch.branch })
		r.bases = append(r.bases, b)
	}
	if n := len(r.bases) - maxBases; n > 0 {
		r.bases = slices.Delete(r.bases, 0, n)
	}
}

// any tells whether anything is remembered.
func (r *recent) any() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bases) > 0
}

// find returns the base that the next append to a branch can lean on; nil where
// none is remembered.
func (r *recent) find(next branch) *base {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.bases {
		if b.epoch == next.epoch() && b.head == next.head {
			return b
		}
	}
	return nil
}

// last returns the base of a branch that this process appended to last; nil where
// none is remembered.
func (r *recent) last(of [2]string) *base {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.bases {
		if b.of == of && b.of[0] != "" {
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

// sortedEpochs are the epochs in the order in which they are locked.
func sortedEpochs(all map[epoch]bool) []epoch {
	return slices.SortedFunc(maps.Keys(all), func(a, b epoch) int {
		return cmp.Or(cmp.Compare(a.branch, b.branch), cmp.Compare(a.n, b.n))
	})
}
