package sqlstore

import (
	"bytes"
	"encoding/hex"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/pack"
	"github.com/piton-project/piton/internal/store/record"
)

// kept is where a checkpoint's state lies.
type kept struct {
	ordinal, size int64
	epoch         epoch
	sum, manifest []byte
	archive       string
	only          only
}

// only is the blob that has a state's own sum: a small state is one blob, and so is
// found together with its record. Of any other state there is none.
type only struct {
	n         int64
	sum, data []byte
	none      record.Fault // it is not there, or not what a blob's row is
}

// What finds the manifest and the only blob of a checkpoint.
const (
	wholeColumns = `b.n, b.sum, b.data`
	wholeJoin    = `LEFT JOIN manifests m ON m.checkpoint = c.ordinal LEFT JOIN blobs b ON b.branch = c.branch AND b.epoch = c.epoch AND b.sum = c.sum `
)

// columns takes wholeColumns.
func (o *only) columns() []any {
	return []any{o.none.Int("number", &o.n), o.none.Bytes("sum", &o.sum), o.none.Bytes("data", &o.data)}
}

// whole is a state that is one blob, which its manifest names; nil for any other, and
// where something of it is damaged. Its sum is checked once: it is the blob's too.
func (k kept) whole() []byte {
	if k.only.none.Why != "" || !bytes.Equal(k.only.sum, k.sum) {
		return nil
	}
	numbers, err := pack.Numbers(k.manifest)
	if err != nil || len(numbers) != 1 || numbers[0] != uint64(k.only.n) {
		return nil
	}
	state, err := pack.Content(k.only.sum, k.only.data)
	if err != nil {
		return nil
	}
	return state
}

// of completes where a state lies by what its record says; false where the record does
// not tell, and for a state that lies in the archive.
func (k *kept) of(c piton.Checkpoint) bool {
	var err error
	k.ordinal, k.size = c.Ordinal, c.StateBytes
	k.sum, err = hex.DecodeString(c.SHA256)
	return err == nil && !c.BadRecord && c.Archive == ""
}
