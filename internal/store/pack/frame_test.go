package pack

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"
)

// elements are the elements of the snappy format, and the content that they say.
type elements struct{ found, content []byte }

// literal is a literal whose length stands in so many bytes behind its tag.
func (e *elements) literal(text []byte, bytes int) *elements {
	n := len(text) - 1
	if bytes == 0 {
		e.found = append(e.found, byte(n<<2))
	} else {
		e.found = append(e.found, byte((59+bytes)<<2))
		e.found = append(e.found, binary.LittleEndian.AppendUint32(nil, uint32(n))[:bytes]...)
	}
	e.found, e.content = append(e.found, text...), append(e.content, text...)
	return e
}

// copies is a copy of the kind 1, 2 or 4, by the bytes of its offset.
func (e *elements) copies(kind, length, offset int) *elements {
	switch kind {
	case 1:
		e.found = append(e.found, byte(1|(length-4)<<2|offset>>8<<5), byte(offset))
	case 2:
		e.found = append(e.found, byte(2|(length-1)<<2), byte(offset), byte(offset>>8))
	case 4:
		e.found = binary.LittleEndian.AppendUint32(append(e.found, byte(3|(length-1)<<2)), uint32(offset))
	}
	for range length {
		e.content = append(e.content, e.content[len(e.content)-offset])
	}
	return e
}

// frame is what becomes of them, and whether a decoder reads it as the content.
func (e *elements) frame() (frame []byte, ok bool) {
	q := quickRoom{found: append(binary.AppendUvarint(nil, uint64(len(e.content))), e.found...)}
	frame, ok = q.frame(e.content, nil)
	return frame, ok && comesBack(frame, e.content)
}

// TestFrames: each form of the elements that s2 writes is in the frame what it says, in
// every number.
func TestFrames(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		return b
	}
	many := func(n int) *elements {
		e := new(elements).literal([]byte("aaa"), 0)
		for i := range n {
			e.copies(1, 4, 1+i%2)
		}
		return e
	}
	for name, e := range map[string]*elements{
		"literals without more bytes":   new(elements).literal(noise(60), 0).copies(2, 64, 60),
		"literals of one more byte":     new(elements).literal(noise(256), 1).copies(2, 64, 256),
		"literals of two":               new(elements).literal(noise(257), 2).copies(2, 64, 200),
		"literals of three":             new(elements).literal(noise(70_000), 3).copies(2, 64, 60_000).copies(2, 64, 60_000),
		"literals of four":              new(elements).literal(noise(300), 4).copies(2, 64, 256),
		"the nearest copies":            new(elements).literal(noise(9), 0).copies(1, 11, 9).copies(1, 4, 1).copies(1, 11, 2),
		"the farthest of one byte":      new(elements).literal(noise(2047), 2).copies(1, 11, 2047).copies(1, 11, 256).copies(1, 11, 255),
		"the farthest of two":           new(elements).literal(noise(65_535), 2).copies(2, 64, 65_535).copies(2, 64, 65_535),
		"one that is farther":           new(elements).literal(noise(100_000), 3).copies(4, 64, 99_999).copies(4, 64, 99_999),
		"literals between copies":       new(elements).literal(noise(60), 0).copies(2, 60, 60).literal([]byte("xy"), 0).copies(2, 60, 7).literal(noise(17), 0).copies(1, 4, 3),
		"127 sequences":                 many(127),
		"128 sequences":                 many(128),
		"more than fit two bytes, less": many(0x7EFF),
		"more than fit two bytes":       many(0x7F00),
		"one more than that":            many(0x7F02),
	} {
		if frame, ok := e.frame(); !ok {
			t.Errorf("%s: got a frame of %d bytes for %d that is not read back", name, len(frame), len(e.content))
		}
	}
	for name, found := range map[string][]byte{
		"another length":                    {9, 3 << 2, 'a', 'b', 'c', 'd', 3<<2 | 2, 4, 0},
		"no length":                         {},
		"literals beyond its end":           {8, 7 << 2, 'a', 'b', 'c', 'd'},
		"a copy of nothing before":          {8, 3 << 2, 'a', 'b', 'c', 'd', 3<<2 | 2, 0, 0},
		"nothing to copy":                   {8, 7 << 2, 'a', 'b', 'c', 'd', 'a', 'b', 'c', 'd'},
		"literals whose length is cut away": {8, 60 << 2},
	} {
		q := quickRoom{found: found}
		if data, ok := q.frame([]byte("abcdabcd"), []byte("before")); ok || string(data) != "before" {
			t.Errorf("%s: got %q and taken %t", name, data, ok)
		}
	}
}

// TestContent: a blob that is not what its sum says, or says more than a state has, is
// damaged, whatever it holds.
func TestContent(t *testing.T) {
	t.Parallel()
	empty := sha256.Sum256(nil)
	for name, data := range map[string][]byte{"nothing": {}, "another encoding": {7}, "no zstd": {encZstd, 'x'}, "other content": {encRaw, 'x'}} {
		if got, err := Content(empty[:], data); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %q (%v), want damaged", name, got, err)
		}
	}
	if got, err := Content(empty[:], []byte{encRaw}); err != nil || len(got) > 0 {
		t.Errorf("an empty one: got %q (%v)", got, err)
	}
	full := make([]byte, maxContent, maxContent+1)
	if _, err := decode(full, []byte{encRaw, 'x'}); !errors.Is(err, ErrDamaged) {
		t.Errorf("a byte too many: got %v, want damaged", err)
	}
	if got, err := decode(full[:maxContent-1], []byte{encRaw, 'x'}); err != nil || len(got) != maxContent {
		t.Errorf("as many as may be: got %d (%v)", len(got), err)
	}
}

// TestBases: a base whose blobs are cut elsewhere is not used, and one whose content has
// moved is.
func TestBases(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	state := make([]byte, 96<<10)
	for i := range state {
		state[i] = "abcdefghijklmnop"[rnd.IntN(16)]
	}
	pack := func(state []byte, base *Layout) *Plan {
		p, err := Packer{Plain: true}.Pack(state, base)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first := pack(state, nil)
	var contents [][]byte
	var numbers []uint64
	pieces, _ := split(state, nil)
	for i, p := range pieces { // a blob each
		contents, numbers = append(contents, state[p.from:p.to]), append(numbers, uint64(i+1))
	}
	size := func(p *Plan) (n int) {
		for _, b := range p.New {
			n += len(b.Data) - 1
		}
		return n
	}
	half := len(state) / 2
	moved := append(append([]byte{}, state[half:]...), state[:half]...)
	for _, c := range []struct {
		name        string
		base        *Layout
		state       []byte
		least, most int // new bytes
	}{
		{"the same", NewLayout(contents, numbers), state, 0, 0},
		{"cut in its middle", NewLayout([][]byte{state[:half], state[half:]}, []uint64{1, 2}), state, len(state), len(state)},
		{"a first blob that ends elsewhere", NewLayout([][]byte{state[:100], state[100:]}, []uint64{1, 2}), state, len(state), len(state)},
		{"its halves change places", NewLayout(contents, numbers), moved, 1, len(state) / 3},
		{"an empty base", NewLayout(nil, nil), state, len(state), len(state)},
	} {
		p := pack(c.state, c.base)
		if n := size(p); n < c.least || n > c.most {
			t.Errorf("%s: got %d new bytes, want %d to %d", c.name, n, c.least, c.most)
		}
	}
	if other := bytes.Clone(state); !first.Of(state) || first.Of(other) || first.Of(state[:half]) || first.Of(state[1:]) {
		t.Error("got a plan that is of another state, or not of its own")
	}
	if l := first.Layout(numbers); len(l.Numbers) == 0 || l.Numbers[len(l.Numbers)-1] != uint64(len(first.New)) {
		t.Errorf("got the numbers %v, want those of %d blobs", l.Numbers, len(first.New))
	}
}

// TestEach: the error of any content is returned.
func TestEach(t *testing.T) {
	t.Parallel()
	want := errors.New("no")
	for _, size := range []int{1, Small} {
		for at := range 9 {
			if err := each(make9(size), func(i int) error {
				if i == at {
					return want
				}
				return nil
			}); !errors.Is(err, want) {
				t.Errorf("%d bytes, the error at %d: got %v", size, at, err)
			}
		}
	}
}

func make9(size int) (contents [][]byte) {
	for range 9 {
		contents = append(contents, make([]byte, size))
	}
	return contents
}
