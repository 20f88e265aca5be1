package sqlstore

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/pack"
)

// appending is an append that is under way.
type appending struct {
	*tx
	store.Prepared
	op    string
	c     piton.Checkpoint // the record, as far as it is known
	state []byte
	k     *packed // nil: it is packed when the branch is known

	branch   branch
	found    bool   // the branch
	numbered bool   // its workflow is there, and ordinal and number were taken
	manifest []byte // of the base's head, as base.manifest
	has      *has   // nil: nobody has asked
}

// has is what the branch's epoch has of a state, where that was asked ahead.
type has struct {
	next  int64 // number of a blob
	blobs map[[32]byte]had
}

// had is a blob that the epoch has: its number, and the sum of its bytes as they lie.
type had struct {
	n    int64
	data [32]byte
}

// ofBranch finds the row of the branch whose workflow and name are $1 and $2.
const ofBranch = `branches b WHERE b.workflow_id = $1 AND b.name = $2`

// lockedIs notes for the rest of the transaction which branch was found and locked.
const lockedIs = `, set_config('piton.locked', CAST(b.id AS TEXT), true)`

// ifHead holds where the branch has the head that is expected, or none is; its workflow,
// name and expected head are the arguments from n on. A branch that another has made
// since ours was looked for does not count: nobody has locked it.
func ifHead(n int) string {
	return fmt.Sprintf(` AND EXISTS (SELECT 1 FROM branches b WHERE b.workflow_id = $%d AND b.name = $%d
		AND (CAST($%d AS TEXT) = '' OR b.head_id = $%[3]d) AND CAST(b.id AS TEXT) = current_setting('piton.locked', true))`, n, n+1, n+2)
}

// always holds.
func always(int) string { return "" }

// look locks the branch. Where that has the expected head it takes the numbers of the
// checkpoint, and finds what there is of the state. A database that is reached over a
// network answers all of it in one round trip: there the statements carry the condition.
func (a *appending) look(ctx context.Context) (err error) {
	a.branch.of = [2]string{a.c.WorkflowID, a.c.Branch}
	if err = a.packAhead(); err != nil {
		return err
	}
	columns, into := `b.id, b.head_id, b.appended`, []any{&a.branch.id, &a.branch.head, &a.branch.appended}
	condition, args := always, params(nil)
	if a.d.Pipelined {
		columns, into = columns+lockedIs, append(into, new(string))
		condition, args = ifHead, a.on(a.Parent)
	}
	asked := []question{one(&a.found, `SELECT `+columns+` FROM `+ofBranch+a.d.Lock, a.on(), into...)}
	if a.Fork {
		return a.ask(ctx, a.op, asked...)
	}
	asked = append(asked, a.numbers(condition, args...)...)
	if a.k != nil && a.k.base != nil {
		asked = append(asked, headManifest(a.k.base, &a.manifest))
	}
	if a.k != nil && a.d.Pipelined && len(a.k.plan.New) > 0 {
		asked = append(asked, a.blobs()...)
	}
	expected := func() bool { return a.found && (a.Parent == "" || a.Parent == a.branch.head) }
	for i := range asked[1:] {
		asked[1+i].when = expected
	}
	return a.ask(ctx, a.op, asked...)
}

// packAhead is packNow without a question, unless the state is packed.
func (a *appending) packAhead() (err error) {
	if a.d.Elsewhere != nil {
		return nil
	}
	if k, ok := a.Packed.(*packed); ok && k.plan.Of(a.state) {
		a.k = k
		return nil
	}
	last, well := a.own.last(a.branch.of), false
	switch {
	case len(a.state) < pack.Small:
		last = nil
	case last == nil:
		return nil
	default:
		last, well = last.next()
	}
	a.k, err = a.d.pack(a.op, a.state, last, well)
	return err
}

// on are the arguments that name the branch, and more.
func (a *appending) on(more ...any) params {
	return append(params{a.c.WorkflowID, a.c.Branch}, more...)
}

// numbers takes the numbers of the checkpoint, on a condition that stands from an
// argument on. The one in the store is taken where the workflow's row is changed: within a
// workflow both count in one order.
func (a *appending) numbers(condition func(n int) string, args ...any) []question {
	columns, into := a.named(&a.c, `seq, name, type, head_ordinal`, &a.c.Seq, &a.c.Workflow, &a.c.WorkflowType, &a.c.Ordinal)
	return append(a.counted(condition(1), args...),
		one(&a.numbered, `UPDATE workflows SET seq = seq + 1, head_id = $1, head_ordinal = `+a.d.Numbers.Next+`, head_session = $2,
			closed = CASE closed WHEN 0 THEN CAST($3 AS BIGINT) ELSE CAST($4 AS BIGINT) END WHERE id = $5`+condition(6)+` RETURNING `+columns,
			append(params{a.c.ID, a.c.SessionID, boolInt(a.Closes(a.c, false)), boolInt(a.Closes(a.c, true)), a.c.WorkflowID}, args...), into...))
}

// blobs asks which of the blobs the epoch has, and for the number of the next one.
func (a *appending) blobs() []question {
	sums := make([][]byte, len(a.k.plan.New))
	for i, b := range a.k.plan.New {
		sums[i] = b.Sum[:]
	}
	a.has = &has{blobs: map[[32]byte]had{}}
	return []question{
		{Asked: Asked{fmt.Sprintf(`SELECT x.n, x.sum, sha256(x.data) FROM branches b JOIN blobs x ON x.branch = b.id AND x.epoch = b.appended / %d
			AND x.sum = ANY($3::bytea[]) WHERE b.workflow_id = $1 AND b.name = $2`, epochLength), a.on(sums)}, row: func(scan scanner) error {
			var h had
			var sum, data []byte
			if err := scan(&h.n, &sum, &data); err != nil || len(sum) != 32 || len(data) != 32 {
				return err
			}
			h.data = [32]byte(data)
			a.has.blobs[[32]byte(sum)] = h
			return nil
		}},
		one(new(bool), fmt.Sprintf(`SELECT e.next_blob FROM epochs e JOIN branches b ON e.branch = b.id AND e.n = b.appended / %d
			WHERE b.workflow_id = $1 AND b.name = $2`, epochLength), a.on(), &a.has.next),
	}
}

// place finds the place of the checkpoint: its parent, its branch, which it may begin,
// and its numbers, which it has where the branch has the expected head. False where
// another has begun the branch meanwhile.
func (a *appending) place(ctx context.Context) (begun bool, err error) {
	if !a.found {
		if _, err := a.workflow(ctx, a.op, `id = $1`, a.c.WorkflowID); err != nil {
			return false, err
		}
	}
	there := true
	if need := a.Needs(a.branch.head); need != "" {
		if err := a.lockParent(ctx, need); err != nil {
			return false, err
		}
		if _, there, err = a.there(ctx, a.op, need); err != nil {
			return false, err
		}
	}
	if a.c, err = store.PlanAppend(a.op, a.Prepared, a.c, store.Branched{Exists: a.found, Head: a.branch.head}, there); err != nil {
		return false, err
	}
	if !a.found {
		begun, err := a.get(ctx, a.op, addBranch+` RETURNING id`,
			a.on(a.c.ParentID), &a.branch.id)
		if err != nil || !begun {
			return false, err
		}
	}
	if !a.numbered {
		err = a.ask(ctx, a.op, a.numbers(always)...)
	}
	switch {
	case err != nil:
		return false, err
	case !a.numbered:
		return false, store.NoWorkflow(a.op)
	}
	return true, nil
}

// store puts the state into the branch's epoch, and returns its manifest.
func (a *appending) store(ctx context.Context) (manifest []byte, err error) {
	if a.d.Elsewhere != nil {
		a.c.StateBytes, a.c.StoredBytes = int64(len(a.state)), 0
		return nil, nil
	}
	k := a.k
	if k == nil || k.base != nil && !k.base.holds(a.branch, a.manifest) { // another save came first
		a.has = nil
		if k, err = a.packNow(ctx, a.op, a.branch, a.state); err != nil {
			return nil, err
		}
	}
	numbers, stored, known := a.has.numbers(k.plan.New)
	if known {
		err = a.addBlobs(ctx, k.plan.New, numbers)
	} else {
		numbers, stored, err = a.putBlobs(ctx, a.op, a.branch.epoch(), k.plan.New)
	}
	if err != nil {
		return nil, err
	}
	manifest = a.stored(a.branch, a.state, k, numbers, a.c.ID)
	a.c.StateBytes, a.c.StoredBytes = int64(len(a.state)), stored+int64(len(manifest))
	return manifest, nil
}

// numbers are those of the blobs, and how many bytes of them are new. known is false
// where nobody has asked, and where what lies there is damaged, or another encoding of
// the same.
func (h *has) numbers(blobs []pack.Blob) (numbers []uint64, stored int64, known bool) {
	if h == nil {
		return nil, 0, false
	}
	next := h.next
	for _, x := range blobs {
		old, ok := h.blobs[x.Sum]
		switch {
		case !ok:
			old.n = next
			next++
			stored += int64(len(x.Data))
		case old.data != sha256.Sum256(x.Data):
			return nil, 0, false
		}
		numbers = append(numbers, uint64(old.n))
	}
	return numbers, stored, true
}

// addBlobs adds those of the blobs whose numbers are new, and notes the next one.
func (a *appending) addBlobs(ctx context.Context, blobs []pack.Blob, numbers []uint64) error {
	e, next := a.branch.epoch(), a.has.next
	var parts []part // of one statement each
	for i, x := range blobs {
		if int64(numbers[i]) < a.has.next {
			continue
		}
		if n := len(parts); n == 0 || parts[n-1].size+len(x.Data) > maxBytes {
			parts = append(parts, part{})
		}
		parts[len(parts)-1].add(next, x)
		next++
	}
	if len(parts) == 0 {
		return nil
	}
	if err := a.exec(ctx, a.op, `INSERT INTO epochs (branch, n, next_blob) VALUES ($1, $2, $3)
		ON CONFLICT (branch, n) DO UPDATE SET next_blob = epochs.next_blob + $4`, e.branch, e.n, next, next-a.has.next); err != nil {
		return err
	}
	for _, p := range parts {
		if err := a.exec(ctx, a.op, `INSERT INTO blobs (branch, epoch, n, sum, data) SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), x.n, x.sum, x.data
			FROM unnest($3::bigint[], $4::bytea[], $5::bytea[]) AS x (n, sum, data)`, e.branch, e.n, p.numbers, p.sums, p.data); err != nil {
			return err
		}
	}
	return nil
}

// part is what one statement adds.
type part struct {
	numbers    []int64
	sums, data [][]byte
	size       int
}

func (p *part) add(n int64, x pack.Blob) {
	p.numbers, p.sums, p.data = append(p.numbers, n), append(p.sums, x.Sum[:]), append(p.data, x.Data)
	p.size += len(x.Data)
}
