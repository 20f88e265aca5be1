package pack_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/store/pack"
	"github.com/piton-project/piton/internal/testkit/draw"
)

// shelf keeps blobs by number, as a store does, each once.
type shelf struct {
	blobs   map[uint64]pack.Blob
	numbers map[[sha256.Size]byte]uint64
	stored  int // bytes
}

func newShelf() *shelf {
	return &shelf{blobs: map[uint64]pack.Blob{}, numbers: map[[sha256.Size]byte]uint64{}}
}

// put packs a state without a base and returns its manifest.
func (s *shelf) put(state []byte) ([]byte, error) {
	m, _, err := s.grow(state, nil)
	return m, err
}

// grow packs a state that has grown out of base.
func (s *shelf) grow(state []byte, base *pack.Layout) ([]byte, *pack.Layout, error) {
	plan, err := pack.Packer{}.Pack(state, base)
	if err != nil {
		return nil, nil, err
	}
	var ns []uint64
	for _, b := range plan.New {
		n, known := s.numbers[b.Sum]
		if !known {
			n = uint64(len(s.blobs)) * 1000 // numbers of one byte and more
			s.numbers[b.Sum], s.blobs[n] = n, b
			s.stored += len(b.Data)
		}
		ns = append(ns, n)
	}
	l := plan.Layout(ns)
	return l.Manifest(), l, nil
}

func (s *shelf) get(n uint64) (sum, data []byte, err error) {
	b, ok := s.blobs[n]
	if !ok {
		return nil, nil, fmt.Errorf("no blob %d: %w", n, pack.ErrDamaged)
	}
	return b.Sum[:], b.Data, nil
}

func random(n int) []byte {
	var seed [32]byte
	b := make([]byte, n)
	rand.NewChaCha8(seed).Read(b)
	return b
}

func TestStatesComeBack(t *testing.T) {
	s := newShelf()
	for name, state := range map[string][]byte{
		"empty object": []byte(`{}`), "nothing": {}, "a byte": {0}, "below the limit of raw": bytes.Repeat([]byte("a"), 1023), "at it": bytes.Repeat([]byte("a"), 1024),
		"2 MB random": random(2 << 20), "2 MB of one word": bytes.Repeat([]byte("work"), 512<<10), "the largest state": bytes.Repeat([]byte(`{"a":1},`), 8<<20),
		"the largest that does not compress": random(64 << 20), "bytes like an encoding": {1, 0x28, 0xb5, 0x2f, 0xfd},
	} {
		m, err := s.put(state)
		if err != nil {
			t.Fatalf("%s: got %v, want no error", name, err)
		}
		got, err := pack.Unpack(m, 0, s.get)
		if err != nil || !bytes.Equal(got, state) {
			t.Errorf("%s: got %d bytes, %v, want the %d of the state", name, len(got), err, len(state))
		}
	}
}

func TestAnyStateComesBackAndIsPackedTheSame(t *testing.T) {
	s := newShelf()
	draw.Check(t, func(r *rapid.T) {
		part := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(r, "part")
		state := bytes.Repeat(part, rapid.IntRange(0, 40).Draw(r, "times"))
		m, err := s.put(state)
		if err != nil {
			r.Fatal(err)
		}
		again, err := s.put(state)
		if err != nil || !bytes.Equal(m, again) {
			r.Fatalf("packed again: got %x, %v, want the same manifest %x", again, err, m)
		}
		got, err := pack.Unpack(m, 0, s.get)
		if err != nil || !bytes.Equal(got, state) {
			r.Fatalf("got %.40q, %v, want %.40q", got, err, state)
		}
	})
}

func TestGoroutinesMayPackAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s, state := newShelf(), bytes.Repeat(fmt.Append(nil, "state ", i), 5000)
			for range 20 {
				m, err := s.put(state)
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := pack.Unpack(m, 0, s.get); err != nil || !bytes.Equal(got, state) {
					t.Errorf("got %d bytes, %v, want %d", len(got), err, len(state))
				}
			}
		})
	}
	wg.Wait()
}

func TestCompressionGains(t *testing.T) {
	s := newShelf()
	if _, err := s.put([]byte(strings.Repeat("all work and no play ", 10_000))); err != nil {
		t.Fatal(err)
	}
	if s.stored > 21_000 {
		t.Errorf("210 KB of one sentence: got %d bytes stored, want at most a tenth", s.stored)
	}
}

func TestManifestsComeBack(t *testing.T) {
	for _, want := range [][]uint64{nil, {0}, {1, 127, 128, 300}, {math.MaxUint64, 0, math.MaxInt64}} {
		got, err := pack.Numbers((&pack.Layout{Numbers: want}).Manifest())
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	}
}

func TestASmallStateLiesInItsManifest(t *testing.T) {
	for _, size := range []int{0, 1, 2047, 2048} {
		state := bytes.Repeat([]byte("x"), size)
		plan, err := pack.Packer{}.Pack(state, nil)
		if err != nil {
			t.Fatal(err)
		}
		manifest := plan.Layout(make([]uint64, len(plan.New))).Manifest()
		held, ok, err := pack.Held(manifest)
		if want := size < 2048; ok != want || ok != (len(plan.New) == 0) || err != nil {
			t.Errorf("%d bytes: got %t, %d blobs, %v, want %t", size, ok, len(plan.New), err, want)
		}
		if numbers, err := pack.Numbers(manifest); ok && (!bytes.Equal(held, state) || len(numbers) > 0 || err != nil) {
			t.Errorf("%d bytes: got %d bytes, numbers %v, %v, want the state and no number", size, len(held), numbers, err)
		}
		if !ok {
			continue
		}
		if got, err := pack.Unpack(manifest, int64(size), nil); err != nil || !bytes.Equal(got, state) {
			t.Errorf("%d bytes, unpacked: got %d bytes, %v", size, len(got), err)
		}
	}
}

func TestDamagedManifest(t *testing.T) {
	for name, m := range map[string][]byte{
		"nothing": nil, "another form": {3, 1}, "held, and empty": {2}, "held, of another encoding": {2, 9, 1}, "torn number": {1, 0x80}, "number too long": append([]byte{1}, bytes.Repeat([]byte{0xff}, 11)...), "unknown blob": {1, 99},
	} {
		_, err := pack.Unpack(m, 0, newShelf().get)
		if !errors.Is(err, pack.ErrDamaged) {
			t.Errorf("%s: got %v, want %v", name, err, pack.ErrDamaged)
		}
	}
}

func TestManifestOfMoreThanAState(t *testing.T) {
	s := newShelf()
	m, err := s.put(make([]byte, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	ns, err := pack.Numbers(m)
	if err != nil {
		t.Fatal(err)
	}
	var many []uint64
	for range 65 {
		many = append(many, ns...)
	}
	if got, err := pack.Unpack((&pack.Layout{Numbers: many}).Manifest(), 0, s.get); !errors.Is(err, pack.ErrDamaged) {
		t.Errorf("got %d bytes, %v, want %v", len(got), err, pack.ErrDamaged)
	}
}

func TestDamagedBlob(t *testing.T) {
	good := sha256.Sum256([]byte("x"))
	for name, b := range map[string]struct{ sum, data []byte }{
		"nothing": {good[:], nil}, "unknown encoding": {good[:], []byte{7, 'x'}}, "no zstd": {good[:], []byte{1, 'x'}}, "other content": {good[:], []byte{0, 'y'}},
		"sum cut": {good[:31], []byte{0, 'x'}}, "no sum": {nil, []byte{0, 'x'}}, "zstd torn": {good[:], []byte{1, 0x28, 0xb5, 0x2f, 0xfd, 0x60}},
	} {
		_, err := pack.Unpack((&pack.Layout{Numbers: []uint64{0}}).Manifest(), 0, func(uint64) ([]byte, []byte, error) { return b.sum, b.data, nil })
		if !errors.Is(err, pack.ErrDamaged) {
			t.Errorf("%s: got %v, want %v", name, err, pack.ErrDamaged)
		}
	}
}

func TestBlobErrorIsPassedOn(t *testing.T) {
	want := errors.New("the disk is away")
	_, err := pack.Unpack((&pack.Layout{Numbers: []uint64{0}}).Manifest(), 0, func(uint64) ([]byte, []byte, error) { return nil, nil, want })
	if !errors.Is(err, want) || errors.Is(err, pack.ErrDamaged) {
		t.Errorf("got %v, want %v and no damage", err, want)
	}
}

// FuzzUnpack reads bytes that Pack never made: an error or the content whose
// sum was given, never a panic.
func FuzzUnpack(f *testing.F) {
	s := newShelf()
	for _, state := range [][]byte{[]byte(`{}`), bytes.Repeat([]byte("ab"), 1000), random(2000)} {
		m, err := s.put(state)
		if err != nil {
			f.Fatal(err)
		}
		for _, b := range s.blobs {
			f.Add(m, b.Data)
		}
	}
	f.Fuzz(func(t *testing.T, manifest, data []byte) {
		sum := sha256.Sum256([]byte(`{}`))
		got, err := pack.Unpack(manifest, 0, func(uint64) ([]byte, []byte, error) { return sum[:], data, nil })
		if err == nil && strings.Trim(string(got), "{}") != "" {
			t.Errorf("got %.40q, want only contents of the sum given", got)
		}
		if err != nil && !errors.Is(err, pack.ErrDamaged) {
			t.Errorf("got %v, want %v", err, pack.ErrDamaged)
		}
	})
}
