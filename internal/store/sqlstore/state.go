package sqlstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/pack"
)

// kept finds where a checkpoint's state lies, by its whole id.
func (r reader) kept(ctx context.Context, op, id string) (k kept, err error) {
	var row string
	found, err := r.get(ctx, op, `SELECT c.ordinal, c.branch, c.epoch, c.state_bytes, c.sum, m.data, c.archive, c.id FROM checkpoints c `+manifestJoin+`WHERE `+byID, params{id},
		&k.ordinal, &k.epoch.branch, &k.epoch.n, &k.size, &k.sum, &k.manifest, &k.archive, &row)
	switch {
	case err != nil:
		return k, err
	case !found:
		return k, store.NoCheckpoint(op)
	case row != id:
		return k, wrongRow(op, row)
	case k.archive != "" && k.manifest == nil:
		return k, piton.Errorf(piton.NotFound, op, "it lies in the archive's file "+k.archive, "the state is not in the store")
	}
	return k, nil
}

// State returns a checkpoint's compact state.
func (r reader) State(ctx context.Context, id string) ([]byte, error) {
	if r.d.Elsewhere != nil {
		return r.d.Elsewhere(ctx, id)
	}
	op := "load checkpoint " + id
	if state, ok := r.seenState(ctx, op, id); ok {
		return state, nil
	}
	k, err := r.kept(ctx, op, id)
	if err != nil {
		return nil, err
	}
	if state := k.whole(); state != nil {
		return state, nil
	}
	numbers, err := pack.Numbers(k.manifest)
	if err != nil {
		return nil, &piton.Error{Code: piton.Corrupt, Op: op, Err: err}
	}
	blobs, err := r.blobs(ctx, op, k.epoch, numbers)
	if err != nil {
		return nil, err
	}
	state, err := k.unpack(op, blobs)
	if errors.Is(err, pack.ErrDamaged) && r.stateGone(ctx, k.ordinal) {
		return r.State(ctx, id) // deleted or archived between two statements
	}
	return state, err
}

// seenState is State by what is remembered; false where nothing is, where it no
// longer holds, and for whatever is wrong: then State asks for all of it.
func (r reader) seenState(ctx context.Context, op, id string) ([]byte, bool) {
	if r.seen == nil {
		return nil, false
	}
	k, ok := r.seen.take(id)
	if !ok {
		return nil, false
	}
	numbers, err := pack.Numbers(k.manifest)
	if err != nil {
		return nil, false
	}
	blobs := make(map[uint64]row, len(numbers))
	var manifest []byte
	var there bool
	asked := append([]question{one(&there, `SELECT m.data FROM checkpoints c JOIN manifests m ON m.checkpoint = c.ordinal WHERE c.ordinal = $1 AND c.id = $2 AND c.branch = $3 AND c.epoch = $4 AND c.sum = $5`,
		params{k.ordinal, id, k.epoch.branch, k.epoch.n, k.sum}, &manifest)}, blobsBy(k.epoch, numbers, blobs)...)
	if err := r.ask(ctx, op, asked...); err != nil || !bytes.Equal(manifest, k.manifest) {
		return nil, false
	}
	state, err := k.unpack(op, blobs)
	return state, err == nil
}

// unpack puts a state together out of its blobs, and checks its sum.
func (k kept) unpack(op string, blobs map[uint64]row) ([]byte, error) {
	state, err := pack.Unpack(k.manifest, k.size, func(n uint64) (sum, data []byte, err error) {
		b, ok := blobs[n]
		if !ok {
			err = fmt.Errorf("blob %d is missing: %w", n, pack.ErrDamaged)
		}
		return b.sum, b.data, err
	})
	if errors.Is(err, pack.ErrDamaged) {
		return nil, &piton.Error{Code: piton.Corrupt, Op: op, Err: err}
	}
	if err != nil {
		return nil, internal(op, err)
	}
	if got := sha256.Sum256(state); !bytes.Equal(got[:], k.sum) {
		return nil, piton.Errorf(piton.Corrupt, op, "", "the state's sum does not match")
	}
	return state, nil
}

// stateGone tells whether a state that was there has been taken away since.
func (r reader) stateGone(ctx context.Context, ordinal int64) bool {
	var n int
	err := r.row(ctx, "", `SELECT COUNT(*) FROM manifests WHERE checkpoint = $1`, params{ordinal}, &n)
	return err == nil && n == 0
}

// Raw returns what can still be read of a state: what lies together in one
// fragment, nil for each gap. NotFound as State says it.
func (s *Store) Raw(ctx context.Context, id string) ([][]byte, error) {
	op := "read what is left of checkpoint " + id
	k, err := s.kept(ctx, op, id)
	if err != nil {
		return nil, err
	}
	if state := k.whole(); state != nil {
		return [][]byte{state}, nil
	}
	numbers, torn := pack.Numbers(k.manifest)
	blobs, err := s.blobs(ctx, op, k.epoch, numbers)
	if err != nil {
		return nil, err
	}
	var all [][]byte
	lost := func() {
		if len(all) == 0 || all[len(all)-1] != nil {
			all = append(all, nil)
		}
	}
	for _, n := range numbers {
		content, err := pack.Content(blobs[n].sum, blobs[n].data)
		switch {
		case err != nil:
			lost()
		case len(all) > 0 && all[len(all)-1] != nil:
			all[len(all)-1] = append(all[len(all)-1], content...)
		default:
			all = append(all, content)
		}
	}
	if torn != nil || len(numbers) == 0 {
		lost()
	}
	return all, nil
}
