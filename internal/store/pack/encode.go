package pack

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Packer takes states apart.
type Packer struct {
	Plain bool // blobs are not compressed
	// Well is for a state that others follow which keep most of it: all of it is
	// compressed well, which takes longer.
	Well bool
	// Far is for a store behind a connection, where every byte takes the processor's time
	// on both sides: a large state is compressed though it has nothing of its base.
	Far bool
}

// rawBelow is the size under which compressing gains less than it costs.
const rawBelow = 1 << 10

// fastFrom is the size from which on a blob is compressed fast: there it gets a
// twentieth larger by that, in two thirds of the time. Of smaller ones, a fifth.
const fastFrom = 32 << 10

// encoders at the two levels, made when they are first needed. What one has written
// every decoder reads.
var (
	wellEncoder = sync.OnceValues(func() (*zstd.Encoder, error) { return newEncoder(zstd.SpeedDefault) })
	fastEncoder = sync.OnceValues(func() (*zstd.Encoder, error) { return newEncoder(zstd.SpeedFastest) })
)

func newEncoder(level zstd.EncoderLevel) (*zstd.Encoder, error) {
	// No blob that is compressed is longer than a run: each is one block.
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(workers()), zstd.WithWindowSize(runMax), zstd.WithEncoderLevel(level))
}

// Squeezed is the manifest that holds a state, compressed where that gains something and it
// is read back as it is.
func Squeezed(state []byte) (manifest []byte, err error) {
	data, err := Packer{Well: true}.encode(state)
	manifest = append([]byte{holdsState}, data...)
	if back, _, err := Held(manifest); err != nil || !bytes.Equal(back, state) {
		return held(state), err
	}
	return manifest, err
}

// Blob is a content of its own as it is stored; [Content] reads it back.
func (k Packer) Blob(content []byte) ([]byte, error) { return k.encode(content) }

// encode is the content of a blob as it is stored.
func (k Packer) encode(content []byte) ([]byte, error) {
	if len(content) >= rawBelow && !k.Plain {
		data := append(make([]byte, 0, len(content)/2+64), encZstd) // most content shrinks to less
		encoder := wellEncoder
		if len(content) >= fastFrom && !k.Well {
			encoder = fastEncoder
		}
		enc, err := encoder()
		if err != nil {
			return nil, err
		}
		if data = enc.EncodeAll(content, data); len(data) <= len(content) {
			return data, nil
		}
	}
	return append([]byte{encRaw}, content...), nil
}
