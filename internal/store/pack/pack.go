// Package pack turns a state into content-addressed blobs, and back.
//
// A state is the compact JSON that a checkpoint keeps. Pack names its blobs by
// the sha256 of what they hold; the store keeps each once per epoch of a
// branch and remembers, in a manifest, the numbers it gave them.
// docs/format.md describes the bytes.
package pack

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Blob is a part of a state: the sum of its content and the bytes to store.
type Blob struct {
	Sum  [sha256.Size]byte
	Data []byte // encoded: one byte that names the encoding, then the content
}

// Encodings of a blob, its first byte.
const (
	encRaw  = 0
	encZstd = 1
)

// maxContent bounds what a blob may unpack to: the limit of a state.
const maxContent = 64 << 20

// slack is what the decoder wants beyond a blob's content.
const slack = 64

// What a manifest begins with.
const (
	listsBlobs = 1 // the numbers of a state's blobs follow
	holdsState = 2 // a small state follows, encoded as a blob
)

// ErrDamaged is the cause of every failure to read a blob or a manifest back.
var ErrDamaged = errors.New("stored bytes are damaged")

var decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxContent))
})

// Held is the state that a manifest holds itself; false where it lists blobs. It has no sum
// but that of the whole state.
func Held(manifest []byte) (state []byte, ok bool, err error) {
	if len(manifest) == 0 || manifest[0] != holdsState {
		return nil, false, nil
	}
	state, err = decode(nil, manifest[1:])
	return state, true, err
}

// HeldPlain is what a manifest begins with that holds its state as it came.
var HeldPlain = []byte{holdsState, encRaw}

// held is the manifest of a state that it holds itself, not compressed.
func held(state []byte) []byte {
	return append(append(make([]byte, 0, len(HeldPlain)+len(state)), HeldPlain...), state...)
}

// Unpack puts a state together again from the manifest and the blobs it
// names. size is how long it will be, as far as that is known. ErrDamaged when
// either is not what Pack made.
func Unpack(manifest []byte, size int64, blob func(n uint64) (sum, data []byte, err error)) ([]byte, error) {
	if state, ok, err := Held(manifest); ok {
		return state, err
	}
	ns, err := Numbers(manifest)
	if err != nil {
		return nil, err
	}
	size = min(max(size, 0), maxContent)
	state := make([]byte, 0, size+slack)
	for _, n := range ns {
		sum, data, err := blob(n)
		if err != nil {
			return nil, err
		}
		if int64(len(state)) >= size && cap(state)-len(state) < runMax { // it is longer than was said
			state = slices.Grow(state, len(state)+runMax) // the decoder grows by what it needs, no more
		}
		if state, err = open(state, sum, data); err != nil {
			return nil, fmt.Errorf("blob %d: %w", n, err)
		}
	}
	return state, nil
}

// Content is what a blob holds. ErrDamaged when the sum does not match.
func Content(sum, data []byte) ([]byte, error) { return open(nil, sum, data) }

// open appends the content of a blob to state.
func open(state, sum, data []byte) ([]byte, error) {
	from := len(state)
	state, err := decode(state, data)
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(state[from:]); !bytes.Equal(got[:], sum) {
		return nil, fmt.Errorf("the sum does not match: %w", ErrDamaged)
	}
	return state, nil
}

// Manifest writes down the numbers of a state's blobs, in order, or the state where it
// has none.
func (l *Layout) Manifest() []byte {
	if l.held != nil {
		return l.held
	}
	m := []byte{listsBlobs}
	for _, n := range l.Numbers {
		m = binary.AppendUvarint(m, n)
	}
	return m
}

// Numbers reads a manifest back; of a torn one, beside the error, what comes
// before the tear.
func Numbers(manifest []byte) ([]uint64, error) {
	switch {
	case len(manifest) > 0 && manifest[0] == holdsState:
		return nil, nil
	case len(manifest) == 0 || manifest[0] != listsBlobs:
		return nil, fmt.Errorf("manifest: unknown form: %w", ErrDamaged)
	}
	var ns []uint64
	for rest := manifest[1:]; len(rest) > 0; {
		n, size := binary.Uvarint(rest)
		if size <= 0 {
			return ns, fmt.Errorf("manifest: torn number: %w", ErrDamaged)
		}
		ns, rest = append(ns, n), rest[size:]
	}
	return ns, nil
}

// decode appends what data holds to a state.
func decode(state, data []byte) ([]byte, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("it is empty: %w", ErrDamaged)
	}
	switch data[0] {
	case encRaw:
		if len(state)+len(data)-1 > maxContent {
			return nil, fmt.Errorf("more than a state's %d bytes: %w", maxContent, ErrDamaged)
		}
		return append(state, data[1:]...), nil
	case encZstd:
		dec, err := decoder()
		if err != nil {
			return nil, err
		}
		state, err := dec.DecodeAll(data[1:], state) // counts what is there already
		if err != nil {
			return nil, fmt.Errorf("%w: %w", err, ErrDamaged)
		}
		return state, nil
	}
	return nil, fmt.Errorf("unknown encoding %d: %w", data[0], ErrDamaged)
}
