package sqlstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/pack"
)

// ahead is all that an append asks of the store, in one round trip: it locks the
// branch, takes the numbers of the checkpoint, and finds what the branch's epoch has
// of the state. What it writes goes together with the commit.
type ahead struct {
	branch   branch
	found    bool   // the branch
	numbered bool   // ordinal and number were taken
	counted  bool   // the workflow is there
	manifest []byte // of the base's head, as base.manifest
	next     int64  // number of a blob in the epoch
	had      map[[32]byte]had
}

// had is a blob that the epoch has: its number, and the sum of its bytes as they lie.
type had struct {
	n    int64
	data [32]byte
}

// ofBranch finds the row of the branch whose workflow and name are $1 and $2.
const ofBranch = `branches b WHERE b.workflow_id = $1 AND b.name = $2`

// lockedIs notes for the rest of the transaction which branch was found and locked.
const lockedIs = `set_config('piton.locked', CAST(b.id AS TEXT), true)`

// ifHead holds where the branch has the head that is expected, $3, or none is. A branch
// that another has made since ours was looked for does not count: nobody has locked it.
const ifHead = `EXISTS (SELECT 1 FROM ` + ofBranch + ` AND (CAST($3 AS TEXT) = '' OR b.head_id = $3) AND CAST(b.id AS TEXT) = current_setting('piton.locked', true))`

// appendAhead is Append in one round trip and one that goes with the commit. done is
// false, and nothing but a lock was taken, where the branch is not there or does not
// have the expected head: then Append finds out what is to be done.
func (t *tx) appendAhead(ctx context.Context, op string, p store.Prepared) (c piton.Checkpoint, done bool, err error) {
	c = p.NewRecord()
	k, ok := p.Packed.(*packed)
	if !ok || !k.plan.Of(p.State.Get()) {
		if k, err = t.packAhead(op, c, p.State.Get()); k == nil {
			return c, false, err
		}
	}
	a, err := t.look(ctx, op, p, &c, k)
	if err != nil || !a.found || !a.numbered {
		return c, false, err
	}
	if !a.counted {
		return c, false, store.NoWorkflow(op)
	}
	if c, err = store.PlanAppend(op, p, c, store.Branched{Exists: true, Head: a.branch.head}, true); err != nil {
		return c, false, err
	}
	b, state := a.branch, p.State.Get()
	manifest, stored, err := t.storeAhead(ctx, op, a, state, k, c.ID)
	if err != nil {
		return c, false, err
	}
	c.StateBytes, c.StoredBytes = int64(len(state)), stored
	return c, true, t.becomeHead(ctx, op, b, c, manifest)
}

// packAhead is packNow without a question; nil where that would have to ask.
func (t *tx) packAhead(op string, c piton.Checkpoint, state []byte) (*packed, error) {
	if len(state) < pack.Small {
		return t.d.pack(op, state, nil, false)
	}
	if on := t.own.last([2]string{c.WorkflowID, c.Branch}); on != nil {
		if next := (branch{appended: on.appended}); next.renews() {
			return t.d.pack(op, state, nil, true)
		}
		return t.d.pack(op, state, on, false)
	}
	return nil, nil
}

// look asks. What it writes to the workflow and the counter it writes only where the
// branch has the expected head, so that nothing is to be taken back.
func (t *tx) look(ctx context.Context, op string, p store.Prepared, c *piton.Checkpoint, k *packed) (a ahead, err error) {
	on := func(more ...any) []any { return append([]any{c.WorkflowID, c.Branch}, more...) }
	a.branch.of = [2]string{c.WorkflowID, c.Branch}
	counter, into := `UPDATE counters SET value = value + 1 WHERE name = 'ordinal' AND `+ifHead+` RETURNING value`, []any{&c.Ordinal}
	if t.d.Xact != "" {
		counter, into = counter+`, `+t.d.Xact, append(into, &t.xact)
	}
	var seq int64
	var name, kind, locked string
	var inEpoch bool
	asked := []question{
		one(&a.found, `SELECT b.id, b.head_id, b.appended, `+lockedIs+` FROM `+ofBranch+t.d.Lock, on(), &a.branch.id, &a.branch.head, &a.branch.appended, &locked),
		one(&a.numbered, counter, on(p.Parent), into...),
		one(&a.counted, `UPDATE workflows SET seq = seq + 1, head_id = $4, head_ordinal = (SELECT value FROM counters WHERE name = 'ordinal'), head_session = $5,
			closed = CASE closed WHEN 0 THEN CAST($6 AS BIGINT) ELSE CAST($7 AS BIGINT) END WHERE id = $1 AND `+ifHead+` RETURNING seq, name, type`,
			on(p.Parent, c.ID, c.SessionID, boolInt(p.Closes(*c, false)), boolInt(p.Closes(*c, true))), &seq, &name, &kind),
	}
	if k.base != nil {
		var there bool
		asked = append(asked, one(&there, headManifest, params{k.base.head, k.base.epoch.branch, k.base.epoch.n}, &a.manifest))
	}
	if len(k.plan.New) > 0 {
		asked = append(asked, a.blobs(k.plan.New, on), one(&inEpoch, fmt.Sprintf(`SELECT e.next_blob FROM epochs e JOIN `+
			`branches b ON e.branch = b.id AND e.n = b.appended / %d WHERE b.workflow_id = $1 AND b.name = $2`, epochLength), on(), &a.next))
	}
	t.appended = c.ID
	if err = t.ask(ctx, op, asked...); err == nil && a.counted {
		c.Seq, c.Workflow, c.WorkflowType = seq, name, kind
	}
	return a, err
}

// blobs asks which of the blobs the epoch has.
func (a *ahead) blobs(blobs []pack.Blob, on func(...any) []any) question {
	sums := make([][]byte, len(blobs))
	for i := range blobs {
		sums[i] = blobs[i].Sum[:]
	}
	a.had = map[[32]byte]had{}
	return question{Asked{fmt.Sprintf(`SELECT x.n, x.sum, sha256(x.data) FROM branches b JOIN blobs x ON x.branch = b.id AND x.epoch = b.appended / %d
		AND x.sum = ANY($3::bytea[]) WHERE b.workflow_id = $1 AND b.name = $2`, epochLength), on(sums)}, func(scan scanner) error {
		var h had
		var sum, data []byte
		if err := scan(&h.n, &sum, &data); err != nil || len(sum) != 32 || len(data) != 32 {
			return err
		}
		h.data = [32]byte(data)
		a.had[[32]byte(sum)] = h
		return nil
	}}
}

// storeAhead is store for what was looked up ahead.
func (t *tx) storeAhead(ctx context.Context, op string, a ahead, state []byte, k *packed, id string) (manifest []byte, stored int64, err error) {
	b := a.branch
	same := func(on *base) bool {
		return on.epoch == b.epoch() && on.head == b.head && a.manifest != nil && bytes.Equal(a.manifest, on.manifest)
	}
	if k.base != nil && !same(k.base) {
		return t.store(ctx, op, b, state, nil, id) // another save came first
	}
	numbers := make([]uint64, len(k.plan.New))
	next := a.next
	var add [][]pack.Blob // in statements
	size := 0
	for i, x := range k.plan.New {
		h, ok := a.had[x.Sum]
		if ok {
			if h.data != sha256.Sum256(x.Data) {
				return t.store(ctx, op, b, state, k, id) // it is damaged, or another encoding of the same
			}
			numbers[i] = uint64(h.n)
			continue
		}
		numbers[i] = uint64(next)
		next++
		stored += int64(len(x.Data))
		if size += len(x.Data); add == nil || size > maxBytes {
			add, size = append(add, nil), len(x.Data)
		}
		add[len(add)-1] = append(add[len(add)-1], x)
	}
	if err := t.addBlobs(ctx, op, b.epoch(), a.next, next, add); err != nil {
		return nil, 0, err
	}
	manifest = t.stored(b, state, k, numbers, id)
	return manifest, stored + int64(len(manifest)), nil
}

// addBlobs adds blobs under the numbers from first on, and notes the next one.
func (t *tx) addBlobs(ctx context.Context, op string, e epoch, first, next int64, parts [][]pack.Blob) error {
	if first == next {
		return nil
	}
	if err := t.exec(ctx, op, `INSERT INTO epochs (branch, n, next_blob) VALUES ($1, $2, $3)
		ON CONFLICT (branch, n) DO UPDATE SET next_blob = epochs.next_blob + $4`, e.branch, e.n, next, next-first); err != nil {
		return err
	}
	for _, part := range parts {
		var numbers []int64
		var sums, data [][]byte
		for _, x := range part {
			numbers, sums, data = append(numbers, first), append(sums, x.Sum[:]), append(data, x.Data)
			first++
		}
		if err := t.exec(ctx, op, `INSERT INTO blobs (branch, epoch, n, sum, data) SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), x.n, x.sum, x.data
			FROM unnest($3::bigint[], $4::bytea[], $5::bytea[]) AS x (n, sum, data)`, e.branch, e.n, numbers, sums, data); err != nil {
			return err
		}
	}
	return nil
}
