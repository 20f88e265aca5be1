package sqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/pack"
)

// Bounds of one statement over blobs: rows, and bytes of content.
const (
	maxRows  = 64
	maxBytes = 4 << 20
)

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
	for i := range len(b.first) + len(values) {
		place := i + 1
		if i >= len(b.first) {
			b.args = append(b.args, values[i-len(b.first)])
			place = len(b.args)
		}
		b.text.WriteString([]string{"(", ", "}[min(i, 1)])
		fmt.Fprintf(&b.text, "$%d", place)
	}
	b.text.WriteString(")")
}

// row is a row of blobs.
type row struct {
	n         int64
	sum, data []byte
}

func scanBlob(scan scanner) (b row, err error) {
	err = scan(&b.n, &b.sum, &b.data)
	return b, err
}

const selectBlobs = `SELECT n, sum, data FROM blobs WHERE branch = $1 AND epoch = $2 AND `

// span is a row of numbers without a large gap.
type span struct{ from, to int64 }

// Bounds of a query for blobs by their numbers.
const (
	maxGap   = 16 // numbers that are read for nothing rather than asked around
	maxSpans = 32 // in one statement
)

// blobs reads blobs by their numbers; what is not there is missing in the map.
func (r reader) blobs(ctx context.Context, op string, e epoch, numbers []uint64) (map[uint64]row, error) {
	found := make(map[uint64]row, len(numbers))
	return found, r.ask(ctx, op, blobsBy(e, numbers, found)...)
}

// blobsBy asks for blobs by their numbers.
func blobsBy(e epoch, numbers []uint64, found map[uint64]row) (all []question) {
	var spans []span
	for _, u := range slices.Sorted(slices.Values(numbers)) {
		if u > math.MaxInt64 {
			break
		}
		n := int64(u)
		if last := len(spans) - 1; last >= 0 && n-spans[last].to <= maxGap {
			spans[last].to = n
		} else {
			spans = append(spans, span{n, n})
		}
	}
	for part := range slices.Chunk(spans, maxSpans) {
		args := []any{e.branch, e.n}
		var where []string
		for _, s := range part {
			args = append(args, s.from, s.to)
			where = append(where, fmt.Sprintf("n BETWEEN $%d AND $%d", len(args)-1, len(args)))
		}
		all = append(all, question{Asked: Asked{selectBlobs + `(` + strings.Join(where, " OR ") + `)`, args}, row: func(scan scanner) error {
			b, err := scanBlob(scan)
			found[uint64(b.n)] = b
			return err
		}})
	}
	return all
}

// sameSums finds which of the blobs the epoch has.
func (t *tx) sameSums(ctx context.Context, op string, e epoch, blobs []pack.Blob) (map[[32]byte]row, error) {
	sums := make([]any, len(blobs))
	for i := range blobs {
		sums[i] = blobs[i].Sum[:]
	}
	rows := batch{args: []any{e.branch, e.n}}
	rows.add(sums...)
	found, err := collect(ctx, t.reader, op, scanBlob, selectBlobs+`sum IN `+rows.text.String(), rows.args...)
	had := map[[32]byte]row{}
	for _, b := range found {
		if len(b.sum) == 32 {
			had[[32]byte(b.sum)] = b
		}
	}
	return had, err
}

// maxUnasked is how many blobs are added without asking first whether the epoch has
// them: most often it does not.
const maxUnasked = 8

// putBlobs adds those blobs that the epoch does not have and returns the
// numbers of all, and how many bytes were added.
func (t *tx) putBlobs(ctx context.Context, op string, e epoch, blobs []pack.Blob) (numbers []uint64, stored int64, err error) {
	if len(blobs) > maxUnasked {
		return t.putMissing(ctx, op, e, blobs)
	}
	all, size := make([]int, len(blobs)), int64(0)
	for i, b := range blobs {
		all[i], size = i, size+int64(len(b.Data))
	}
	numbers, added, err := t.insertBlobs(ctx, op, e, blobs, all)
	if err != nil {
		return nil, 0, err
	}
	if added == int64(len(blobs)) {
		return numbers, size, nil
	}
	// Some were there: each has the number it had before.
	had, _, err := t.putMissing(ctx, op, e, blobs)
	for i := range had {
		if had[i] == numbers[i] {
			stored += int64(len(blobs[i].Data))
		}
	}
	return had, stored, err
}

// putMissing is putBlobs for blobs of which the epoch may have many.
func (t *tx) putMissing(ctx context.Context, op string, e epoch, blobs []pack.Blob) (numbers []uint64, stored int64, err error) {
	numbers = make([]uint64, len(blobs))
	var missing []int
	for at := 0; at < len(blobs); at += maxRows {
		part := blobs[at:min(at+maxRows, len(blobs))]
		had, err := t.sameSums(ctx, op, e, part)
		if err != nil {
			return nil, 0, err
		}
		for i, b := range part {
			h, ok := had[b.Sum]
			if !ok {
				missing = append(missing, at+i)
				continue
			}
			numbers[at+i] = uint64(h.n)
			if bytes.Equal(h.data, b.Data) {
				continue
			}
			if _, err := pack.Content(h.sum, h.data); err == nil {
				continue // another encoding of the same
			}
			// What is under this sum is damaged; these bytes are right, for the older
			// checkpoints too.
			if err := t.exec(ctx, op, `UPDATE blobs SET data = $1 WHERE branch = $2 AND epoch = $3 AND n = $4`, b.Data, e.branch, e.n, h.n); err != nil {
				return nil, 0, err
			}
		}
	}
	given, added, err := t.insertBlobs(ctx, op, e, blobs, missing)
	if err == nil && added != int64(len(missing)) {
		err = piton.Errorf(piton.Corrupt, op, t.d.Damaged, "an index of blobs is damaged")
	}
	if err != nil {
		return nil, 0, err
	}
	for _, m := range missing {
		numbers[m] = given[m]
		stored += int64(len(blobs[m].Data))
	}
	return numbers, stored, nil
}

// insertBlobs gives those of the blobs numbers that are to be inserted, and inserts
// them where the epoch does not have their sums. added is how many it did not have.
func (t *tx) insertBlobs(ctx context.Context, op string, e epoch, blobs []pack.Blob, which []int) (numbers []uint64, added int64, err error) {
	numbers = make([]uint64, len(blobs))
	if len(which) == 0 {
		return numbers, 0, nil
	}
	// Numbers are never used twice in an epoch, so a manifest can never come
	// to name another's blob.
	var next int64
	if err := t.row(ctx, op, `INSERT INTO epochs (branch, n, next_blob) VALUES ($1, $2, $3)
		ON CONFLICT (branch, n) DO UPDATE SET next_blob = epochs.next_blob + excluded.next_blob RETURNING next_blob`, params{e.branch, e.n, len(which)}, &next); err != nil {
		return nil, 0, err
	}
	rows := batch{first: []any{e.branch, e.n}}
	for i, m := range which {
		n := next - int64(len(which)-i)
		numbers[m] = uint64(n)
		rows.add(n, blobs[m].Sum[:], blobs[m].Data)
		if rows.bytes += len(blobs[m].Data); rows.n == maxRows || rows.bytes >= maxBytes || i == len(which)-1 {
			some, err := t.changed(ctx, op, `INSERT INTO blobs (branch, epoch, n, sum, data) VALUES `+rows.text.String()+` ON CONFLICT (branch, epoch, sum) DO NOTHING`, rows.args...)
			if err != nil {
				return nil, 0, err
			}
			added += some
			rows = batch{first: rows.first}
		}
	}
	return numbers, added, nil
}

// place is the epoch a checkpoint's blobs lie in, and its manifest's size.
func (t *tx) place(ctx context.Context, op string, ordinal int64) (e epoch, manifest int64, err error) {
	err = t.row(ctx, op, `SELECT c.branch, c.epoch, COALESCE(LENGTH(m.data), 0) FROM checkpoints c LEFT JOIN manifests m ON m.checkpoint = c.ordinal WHERE c.ordinal = $1`, params{ordinal},
		&e.branch, &e.n, &manifest)
	return e, manifest, err
}

// sweep drops the blobs of epochs that no manifest names any more, and returns
// the bytes set free.
func (t *tx) sweep(ctx context.Context, epochs map[epoch]bool) (freed int64, err error) {
	for _, e := range sortedEpochs(epochs) {
		n, err := t.sweepOne(ctx, e)
		if err != nil {
			return 0, err
		}
		freed += n
	}
	return freed, nil
}

func (t *tx) sweepOne(ctx context.Context, e epoch) (freed int64, err error) {
	const op = "sweep blobs"
	manifests, err := collect(ctx, t.reader, op, value[[]byte], `SELECT m.data FROM checkpoints c JOIN manifests m ON m.checkpoint = c.ordinal WHERE c.branch = $1 AND c.epoch = $2`, e.branch, e.n)
	if err != nil {
		return 0, err
	}
	named := map[int64]bool{}
	for _, manifest := range manifests {
		numbers, err := pack.Numbers(manifest)
		if err != nil {
			return 0, nil // with a manifest that cannot be read nothing is dropped
		}
		for _, n := range numbers {
			named[int64(n)] = true
		}
	}
	all, err := collect(ctx, t.reader, op, value[int64], `SELECT n FROM blobs WHERE branch = $1 AND epoch = $2`, e.branch, e.n)
	if err != nil {
		return 0, err
	}
	var drop []any
	for _, n := range all {
		if !named[n] {
			drop = append(drop, n)
		}
	}
	for part := range slices.Chunk(drop, maxRows) {
		these := batch{args: []any{e.branch, e.n}}
		these.add(part...)
		err := t.rows(ctx, op, func(rows *sql.Rows) error {
			var size int64
			err := rows.Scan(&size)
			freed += size
			return err
		}, `DELETE FROM blobs WHERE branch = $1 AND epoch = $2 AND n IN `+these.text.String()+` RETURNING LENGTH(data)`, these.args...)
		if err != nil {
			return 0, err
		}
	}
	return freed, nil
}
