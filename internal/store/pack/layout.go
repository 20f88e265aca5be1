package pack

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"unsafe"
)

// Small is the size under which a state needs no base: all of it is packed
// again in less time than a look at the state before it takes.
const Small = 64 << 10

// NewLayout is the layout of a state that was read back: the content of its
// blobs, in order, and their numbers.
func NewLayout(contents [][]byte, numbers []uint64) *Layout {
	l := &Layout{Numbers: numbers}
	l.State = bytes.Join(contents, nil)
	l.pieces, _ = split(l.State, nil)
	cut := func(at int) (k int, ok bool) {
		if at == len(l.State) {
			return len(l.pieces), true
		}
		return slices.BinarySearchFunc(l.pieces, at, func(p piece, at int) int { return p.from - at })
	}
	at := 0
	for _, c := range contents {
		from, begins := cut(at)
		at += len(c)
		to, ends := cut(at)
		if !begins || !ends {
			to = from
		}
		l.begins, l.ends = append(l.begins, from), append(l.ends, to)
	}
	return l
}

// Plan is a state taken apart into blobs of its base and new ones.
type Plan struct {
	New    []Blob // each once
	layout Layout
	fresh  []int // for each blob of the layout its index in New; -1: the base's
	known  map[[sha256.Size]byte]int
	plain  bool
}

// Packer takes states apart.
type Packer struct {
	Plain bool // blobs are not compressed
}

// Pack takes a state apart that has grown out of base, nil for none. A blob of
// the base whose content is still there is used again. Of the rest, pieces in a
// row that have nothing of the base become one blob, because it compresses
// better as a whole. Pieces of the base whose blob has changed become blobs of
// their own, so that the next change near them costs little, and so do those
// near a state's ends, where most states change. A small state without a base
// consists of pieces, which it shares with whatever the store holds.
func (k Packer) Pack(state []byte, base *Layout) (*Plan, error) {
	p := &Plan{plain: k.Plain, known: map[[sha256.Size]byte]int{}}
	pieces, same := split(state, base)
	p.layout.State, p.layout.pieces = state, pieces
	from, to := 0, len(state)-1 // what is joined: all but the last piece
	if base == nil || len(base.pieces) == 0 {
		from, to = edge, len(state)-edge
		if len(state) < Small {
			to = 0
		}
	}
	for i := 0; i < len(pieces); {
		n, number := base.blob(same, i)
		if n > 0 {
			p.put(i, n, number, -1)
			i += n
			continue
		}
		first := pieces[i].from
		for n = 1; i+n < len(pieces) && same[i] < 0 && same[i+n] < 0 && !pieces[i+n-1].major &&
			first >= from && pieces[i+n].to <= to && pieces[i+n].to-first <= runMax; {
			n++
		}
		if err := p.add(i, n); err != nil {
			return nil, err
		}
		i += n
	}
	return p, nil
}

// Of tells whether the plan is one of this very state.
func (p *Plan) Of(state []byte) bool {
	return len(state) == len(p.layout.State) && unsafe.SliceData(state) == unsafe.SliceData(p.layout.State)
}

// Layout returns the state's layout once the store has given the new blobs
// their numbers.
func (p *Plan) Layout(numbers []uint64) *Layout {
	l := p.layout
	l.Numbers = slices.Clone(l.Numbers)
	for i, f := range p.fresh {
		if f >= 0 {
			l.Numbers[i] = numbers[f]
		}
	}
	return &l
}

func (p *Plan) put(i, n int, number uint64, fresh int) {
	l := &p.layout
	l.begins, l.ends = append(l.begins, i), append(l.ends, i+n)
	l.Numbers = append(l.Numbers, number)
	p.fresh = append(p.fresh, fresh)
}

// add makes one blob of n pieces.
func (p *Plan) add(i, n int) error {
	content := p.layout.State[p.layout.pieces[i].from:p.layout.pieces[i+n-1].to]
	sum := sha256.Sum256(content)
	at, ok := p.known[sum]
	if !ok {
		data, err := encode(content, p.plain)
		if err != nil {
			return err
		}
		at = len(p.New)
		p.known[sum] = at
		p.New = append(p.New, Blob{Sum: sum, Data: data})
	}
	p.put(i, n, 0, at)
	return nil
}

// blob finds the base's blob whose pieces are the next ones from i on: how many
// they are, 0 for none, and its number.
func (l *Layout) blob(same []int, i int) (n int, number uint64) {
	if l == nil || same[i] < 0 {
		return 0, 0
	}
	b, ok := l.beginning(same[i])
	if !ok {
		return 0, 0
	}
	n = l.ends[b] - l.begins[b]
	if n <= 0 || i+n > len(same) {
		return 0, 0
	}
	for k := range n {
		if same[i+k] != same[i]+k {
			return 0, 0
		}
	}
	return n, l.Numbers[b]
}

// beginning finds the blob that begins with the k-th piece.
func (l *Layout) beginning(k int) (b int, ok bool) {
	return slices.BinarySearch(l.begins, k)
}
