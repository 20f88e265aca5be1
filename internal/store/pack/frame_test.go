package pack

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"testing"
)

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
