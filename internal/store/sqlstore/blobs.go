package sqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/pack"
)

// Bounds of one statement over blobs: rows, and bytes of content.
const (
	batchRows  = 64
	batchBytes = 4 << 20
)

// store puts the state's blobs into the epoch and returns its manifest and
// how many bytes were new. id is the checkpoint's.
func (t *tx) store(ctx context.Context, op string, b branch, epoch int64, state []byte, made store.Packed, id string) (manifest []byte, stored int64, err error) {
	k, ok := made.(*packed)
	if ok = ok && k.plan.Of(state); ok {
		if ok, err = t.holds(ctx, op, k.base, b, epoch); err != nil {
			return nil, 0, err
		}
	}
	if !ok {
		if k, err = t.layNow(ctx, op, b, epoch, state); err != nil {
			return nil, 0, err
		}
	}
	numbers, stored, err := t.putBlobs(ctx, op, b.id, epoch, k.plan.New)
	if err != nil {
		return nil, 0, err
	}
	layout := k.plan.Layout(numbers)
	manifest = pack.Manifest(layout.Numbers)
	if len(state) >= pack.Small {
		t.own.add(&base{branch: b.id, epoch: epoch, head: id, manifest: manifest, layout: layout})
	}
	return manifest, stored + int64(len(manifest)), nil
}

// layNow does what Prepare does, with the branch locked.
func (t *tx) layNow(ctx context.Context, op string, b branch, epoch int64, state []byte) (*packed, error) {
	if len(state) < pack.Small || b.head == "" {
		return lay(op, t.d, state, nil)
	}
	lean := t.own.find(b.id, epoch, b.head)
	ok := false
	if lean != nil {
		var err error
		if ok, err = t.holds(ctx, op, lean, b, epoch); err != nil {
			return nil, err
		}
	}
	if !ok {
		var err error
		if lean, err = t.base(ctx, op, b); err != nil {
			return nil, err
		}
	}
	return lay(op, t.d, state, lean)
}

// putBlobs adds those blobs that the epoch does not have and returns the
// numbers of all, and how many bytes were added.
func (t *tx) putBlobs(ctx context.Context, op string, branch, epoch int64, blobs []pack.Blob) (numbers []uint64, stored int64, err error) {
	numbers = make([]uint64, len(blobs))
	var missing []int
	for at := 0; at < len(blobs); at += batchRows {
		part := blobs[at:min(at+batchRows, len(blobs))]
		had, err := t.sameSums(ctx, op, branch, epoch, part)
		if err != nil {
			return nil, 0, err
		}
		for i, b := range part {
			h, ok := had[b.Sum]
			switch {
			case !ok:
				missing = append(missing, at+i)
			case !bytes.Equal(h.data, b.Data):
				// What is under this sum is damaged, or another encoding of the same:
				// either way these bytes are right, for the older checkpoints too.
				err = t.exec(ctx, op, `UPDATE blobs SET data = $1 WHERE branch = $2 AND epoch = $3 AND n = $4`, b.Data, branch, epoch, h.n)
			}
			if err != nil {
				return nil, 0, err
			}
			numbers[at+i] = uint64(h.n)
		}
	}
	if len(missing) == 0 {
		return numbers, 0, nil
	}
	// Numbers are never used twice in an epoch, so a manifest can never come
	// to name another's blob.
	var next int64
	err = t.q.QueryRowContext(ctx, `INSERT INTO epochs (branch, n, next_blob) VALUES ($1, $2, $3)
		ON CONFLICT (branch, n) DO UPDATE SET next_blob = epochs.next_blob + excluded.next_blob RETURNING next_blob`, branch, epoch, len(missing)).Scan(&next)
	if err != nil {
		return nil, 0, t.d.Error(op, err)
	}
	rows := batch{first: []any{branch, epoch}}
	for i, m := range missing {
		n := next - int64(len(missing)-i)
		numbers[m] = uint64(n)
		stored += int64(len(blobs[m].Data))
		rows.add(n, blobs[m].Sum[:], blobs[m].Data)
		if rows.bytes += len(blobs[m].Data); rows.n == batchRows || rows.bytes >= batchBytes || i == len(missing)-1 {
			if err := t.exec(ctx, op, `INSERT INTO blobs (branch, epoch, n, sum, data) VALUES `+rows.text.String(), rows.args...); err != nil {
				return nil, 0, err
			}
			rows = batch{first: rows.first}
		}
	}
	return numbers, stored, nil
}

// batch collects the rows of one INSERT, which begin with the same values.
type batch struct {
	first []any
	n     int
	bytes int
	text  strings.Builder
	args  []any
}

func (b *batch) add(values ...any) {
	if b.n == 0 {
		b.args = append(b.args, b.first...)
	} else {
		b.text.WriteString(", ")
	}
	b.n++
	for i := range b.first {
		b.text.WriteString(separator(i) + fmt.Sprintf("$%d", i+1))
	}
	for i, v := range values {
		b.args = append(b.args, v)
		b.text.WriteString(separator(len(b.first)+i) + fmt.Sprintf("$%d", len(b.args)))
	}
	b.text.WriteString(")")
}

func separator(i int) string {
	if i == 0 {
		return "("
	}
	return ", "
}

// row is a row of blobs.
type row struct {
	n         int64
	sum, data []byte
}

// sameSums finds which of the blobs the epoch has.
func (t *tx) sameSums(ctx context.Context, op string, branch, epoch int64, blobs []pack.Blob) (map[[32]byte]row, error) {
	rows := batch{}
	sums := make([]any, len(blobs))
	rows.args = []any{branch, epoch}
	for i := range blobs {
		sums[i] = blobs[i].Sum[:]
	}
	if len(sums) == 0 {
		return nil, nil
	}
	rows.add(sums...)
	had := map[[32]byte]row{}
	err := t.rows(ctx, op, func(rows *sql.Rows) error {
		var r row
		if err := rows.Scan(&r.n, &r.sum, &r.data); err != nil {
			return err
		}
		if len(r.sum) == 32 {
			had[[32]byte(r.sum)] = r
		}
		return nil
	}, `SELECT n, sum, data FROM blobs WHERE branch = $1 AND epoch = $2 AND sum IN `+rows.text.String(), rows.args...)
	return had, err
}
