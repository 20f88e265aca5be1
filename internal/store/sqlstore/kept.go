package sqlstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/pack"
)

// kept is where a checkpoint's state lies.
type kept struct {
	ordinal, size int64
	epoch         epoch
	sum, manifest []byte
	archive       string
}

// manifestJoin finds the manifest of a checkpoint.
const manifestJoin = `LEFT JOIN manifests m ON m.checkpoint = c.ordinal `

// whole is a state that its manifest holds; nil for any other, and where it is damaged.
func (k kept) whole() []byte {
	state, ok, err := pack.Held(k.manifest)
	if sum := sha256.Sum256(state); !ok || err != nil || !bytes.Equal(sum[:], k.sum) {
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
