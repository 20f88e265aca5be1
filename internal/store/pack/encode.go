package pack

import (
	"bytes"
	"slices"
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
	// on both sides: less is compressed quickly.
	Far bool

	quick bool // nothing of the state was there before: it is not one that grows
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

// quickBelow is the size of a state under which it is compressed by quick where nothing
// of it was there before. A larger one is compressed on several cores: what quick would
// save there, the disk would lose, which has two fifths more to write.
const quickBelow = 2 * runMax

// quickly is the size of a state under which it is compressed by quick.
func (k Packer) quickly() int {
	if k.Far {
		return fastFrom
	}
	return quickBelow
}

func newEncoder(level zstd.EncoderLevel) (*zstd.Encoder, error) {
	// No blob that is compressed is longer than a run: each is one block.
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(workers()), zstd.WithWindowSize(runMax), zstd.WithEncoderLevel(level))
}

// comesBack says whether a frame of quick is read as the content by the decoder that
// load uses: quick is our own, and what is acknowledged once must be there for good.
func comesBack(frame, content []byte) bool {
	dec, err := decoder()
	if err != nil {
		return false
	}
	room := readRooms.Get().(*[]byte)
	defer readRooms.Put(room)
	*room, err = dec.DecodeAll(frame, slices.Grow((*room)[:0], len(content)+slack))
	return err == nil && bytes.Equal(*room, content)
}

// readRooms are what frames are read back into.
var readRooms = sync.Pool{New: func() any { return new([]byte) }}

// Blob is a content of its own as it is stored; [Content] reads it back.
func (k Packer) Blob(content []byte) ([]byte, error) { return k.encode(content) }

// encode is the content of a blob as it is stored.
func (k Packer) encode(content []byte) ([]byte, error) {
	if len(content) >= rawBelow && !k.Plain {
		data := append(make([]byte, 0, len(content)/2+64), encZstd) // most content shrinks to less
		if k.quick {
			if data, ok := quick(content, data); ok && comesBack(data[1:], content) {
				return data, nil
			}
			return append([]byte{encRaw}, content...), nil
		}
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
