package sqlstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/pack"
)

// kept is where a checkpoint's state lies.
type kept struct {
	ordinal             int64
	branch, epoch, size int64
	sum, manifest       []byte
	archive             string
}

// kept finds where a checkpoint's state lies, by its whole id.
func (r reader) kept(ctx context.Context, op, id string) (k kept, err error) {
	var found string
	err = r.q.QueryRowContext(ctx, `SELECT c.ordinal, c.branch, c.epoch, c.state_bytes, c.sum, m.data, c.archive, c.id FROM checkpoints c LEFT JOIN manifests m ON m.checkpoint = c.ordinal WHERE `+byID, id).
		Scan(&k.ordinal, &k.branch, &k.epoch, &k.size, &k.sum, &k.manifest, &k.archive, &found)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return k, piton.Errorf(piton.NotFound, op, "'list' shows what there is", "no such checkpoint")
	case err != nil:
		return k, r.d.fail(op, err)
	case found != id:
		return k, wrongRow(op, found)
	case k.archive != "" && k.manifest == nil:
		return k, piton.Errorf(piton.NotFound, op, "it lies in the archive's file "+k.archive, "the state is not in the store")
	}
	return k, nil
}

// State returns a checkpoint's compact state.
func (r reader) State(ctx context.Context, id string) ([]byte, error) {
	op := "load checkpoint " + id
	k, err := r.kept(ctx, op, id)
	if err != nil {
		return nil, err
	}
	numbers, err := pack.Numbers(k.manifest)
	if err != nil {
		return nil, &piton.Error{Code: piton.Corrupt, Op: op, Err: err}
	}
	blobs, err := r.blobs(ctx, op, k.branch, k.epoch, numbers)
	if err != nil {
		return nil, err
	}
	state, err := pack.Unpack(k.manifest, k.size, func(n uint64) (sum, data []byte, err error) {
		b, ok := blobs[n]
		if !ok {
			err = fmt.Errorf("blob %d is missing: %w", n, pack.ErrDamaged)
		}
		return b.sum, b.data, err
	})
	if errors.Is(err, pack.ErrDamaged) && r.taken(ctx, k.ordinal) {
		return r.State(ctx, id) // deleted or archived between two statements
	}
	if errors.Is(err, pack.ErrDamaged) {
		return nil, &piton.Error{Code: piton.Corrupt, Op: op, Err: err}
	}
	if err != nil {
		return nil, &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	if got := sha256.Sum256(state); !bytes.Equal(got[:], k.sum) {
		return nil, piton.Errorf(piton.Corrupt, op, "", "the state's sum does not fit")
	}
	return state, nil
}

// Raw returns what can still be read of a state: what lies together in one
// fragment, nil for each gap. NotFound as State says it.
func (s *Store) Raw(ctx context.Context, id string) ([][]byte, error) {
	op := "read what is left of checkpoint " + id
	k, err := s.kept(ctx, op, id)
	if err != nil {
		return nil, err
	}
	numbers, torn := pack.Numbers(k.manifest)
	blobs, err := s.blobs(ctx, op, k.branch, k.epoch, numbers)
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

// span is a row of numbers without a large gap.
type span struct{ from, to int64 }

// Bounds of a query for blobs by their numbers.
const (
	gap       = 16 // numbers that are read for nothing rather than asked around
	spansMost = 32 // in one statement
)

// blobs reads blobs by their numbers; what is not there is missing in the map.
func (r reader) blobs(ctx context.Context, op string, branch, epoch int64, numbers []uint64) (map[uint64]row, error) {
	sorted := slices.Clone(numbers)
	slices.Sort(sorted)
	var spans []span
	for _, u := range sorted {
		if u > math.MaxInt64 {
			break
		}
		n := int64(u)
		if last := len(spans) - 1; last >= 0 && n-spans[last].to <= gap {
			spans[last].to = n
		} else {
			spans = append(spans, span{n, n})
		}
	}
	found := make(map[uint64]row, len(numbers))
	for part := range slices.Chunk(spans, spansMost) {
		args := []any{branch, epoch}
		var where []string
		for _, s := range part {
			args = append(args, s.from, s.to)
			where = append(where, fmt.Sprintf("n BETWEEN $%d AND $%d", len(args)-1, len(args)))
		}
		err := r.rows(ctx, op, func(rows *sql.Rows) error {
			var b row
			if err := rows.Scan(&b.n, &b.sum, &b.data); err != nil {
				return err
			}
			found[uint64(b.n)] = b
			return nil
		}, `SELECT n, sum, data FROM blobs WHERE branch = $1 AND epoch = $2 AND (`+strings.Join(where, " OR ")+`)`, args...)
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}
