package pack

import (
	"crypto/sha256"
	"slices"
	"unsafe"
)

// Plan is a state taken apart into blobs of its base and new ones.
type Plan struct {
	New    []Blob // each once
	layout Layout
	fresh  []int // for each blob of the layout its index in New; -1: the base's
}

// Pack takes a state apart that has grown out of base, nil for none. A blob of
// the base whose content is still there is used again. Of the rest, pieces in a
// row that have nothing of the base become one blob, because it compresses
// better as a whole. Pieces of the base whose blob has changed become blobs of
// their own, so that the next change near them costs little, and so do those
// near a state's ends, where most states change. A small state without a base
// consists of pieces, which it shares with whatever the store holds. One below
// Whole, or that has nothing of its base, has no blob.
func (k Packer) Pack(state []byte, base *Layout) (*Plan, error) {
	p := &Plan{}
	if len(state) < Whole {
		p.layout = Layout{State: state, held: held(state)}
		return p, nil
	}
	pieces, same := split(state, base)
	p.layout.State, p.layout.pieces = state, pieces
	from, to := 0, len(state)-1 // what is joined: all but the last piece
	grown := base != nil && len(base.pieces) > 0
	if !grown {
		from, to = edge, len(state)-edge
		if len(state) < Small {
			to = 0
		}
	}
	switch replaced := grown && !slices.ContainsFunc(same, func(k int) bool { return k >= 0 }); {
	case replaced && !k.Well && (!k.Far || len(state) < fastFrom):
		p.layout.held = held(state)
		return p, nil
	case !replaced && grown && base.held != nil: // it grows from here on
		return k.Pack(state, nil)
	}
	var contents [][]byte
	for i := 0; i < len(pieces); {
		n, number := base.blob(same, i)
		if n > 0 {
			p.put(i, n, number, -1)
			i += n
			continue
		}
		first := pieces[i].from
		end := min(to, first+runMax) // of what is joined
		for n = 1; i+n < len(pieces) && same[i] < 0 && first >= from; n++ {
			if same[i+n] >= 0 || pieces[i+n-1].major || pieces[i+n].to > end {
				break
			}
		}
		p.put(i, n, 0, len(contents))
		contents = append(contents, state[first:pieces[i+n-1].to])
		i += n
	}
	return p, p.add(k, contents)
}

// Of tells whether the plan is one of this very state.
func (p *Plan) Of(state []byte) bool {
	return len(state) == len(p.layout.State) && unsafe.SliceData(state) == unsafe.SliceData(p.layout.State)
}

// Leans tells whether the state is kept in blobs of the base.
func (p *Plan) Leans() bool { return slices.Contains(p.fresh, -1) }

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

// add makes the new blobs of these contents, to which fresh points; equal ones become
// one. Summing and compressing are most of the work on a new state, so what is large
// is done on several cores.
func (p *Plan) add(k Packer, contents [][]byte) error {
	sums := make([][sha256.Size]byte, len(contents))
	err := each(contents, func(i int) error { sums[i] = sha256.Sum256(contents[i]); return nil })
	if err != nil {
		return err
	}
	known, index, once := make(map[[sha256.Size]byte]int, len(sums)), make([]int, len(sums)), make([][]byte, 0, len(sums))
	for i, sum := range sums {
		at, ok := known[sum]
		if !ok {
			at = len(once)
			known[sum], once = at, append(once, contents[i])
			p.New = append(p.New, Blob{Sum: sum})
		}
		index[i] = at
	}
	for i, f := range p.fresh {
		if f >= 0 {
			p.fresh[i] = index[f]
		}
	}
	return each(once, func(i int) (err error) {
		p.New[i].Data, err = k.encode(once[i])
		return err
	})
}
