package pack

import (
	"bytes"
	"hash/maphash"
)

// Sizes of pieces and runs, in bytes. Of those tried, on lists that grow by
// 2 KB a save, these stored least.
const (
	pieceMin  = 256      // no cut is looked for before
	pieceMax  = 16 << 10 // a cut is made wherever it is
	patience  = 256      // how long a cut waits for a place between two elements
	cutBits   = 10       // a cut every 1 KB on average, from pieceMin on
	majorBits = 6        // a run is 64 pieces on average
	runMax    = 128 << 10
	edge      = 4 << 10 // no run reaches so near to the ends of a new state
)

// Small is the size under which a state needs no base: all of it is packed
// again in less time than a look at the state before it takes.
const Small = 64 << 10

// Whole is the size under which a state always lies in its manifest, not compressed: a blob
// would be a row more to write and to read, in three trees. What is the same in the next
// state is stored again.
const Whole = 2 << 10

// piece is a part of a state between two cuts.
type piece struct {
	from, to int
	inside   bool // it begins inside a string
	major    bool // it ends a run
}

// Layout is a state with the blobs that it is kept in. It serves as the base
// of the next one: what has not changed keeps its blobs.
type Layout struct {
	State   []byte
	Numbers []uint64 // of the blobs, in order
	pieces  []piece
	begins  []int  // each blob's first piece
	ends    []int  // the piece after its last; the same where it is not cut there
	held    []byte // the manifest of a state without blobs
}

// gear gives each byte a number of its own for the rolling hash.
var gear = func() (t [256]uint64) {
	x := uint64(0)
	for i := range t { // splitmix64
		x += 0x9e3779b97f4a7c15
		z := x
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		t[i] = z ^ z>>31
	}
	return t
}()

// next finds the piece that begins at from. What a cut depends on lies in the
// piece itself, so that equal bytes are cut alike wherever they stand: a hash
// over the last 64 bytes wakes the wish to cut, and the cut is made behind the
// next comma outside of strings; inside a long string, or where no comma comes,
// a little later anyway.
func next(state []byte, from int, inside bool) (p piece, in bool) {
	p = piece{from: from, inside: inside}
	most, woken := from+pieceMax, 0
	first, h := wakes(state, from)
	in, escaped := within(state[from:first], inside)
	for i := first; i < len(state); i++ {
		c := state[i]
		h = h<<1 + gear[c]
		comma := false
		switch {
		case escaped:
			escaped = false
		case c == '"':
			in = !in
		case c == '\\':
			escaped = in
		case c == ',':
			comma = !in
		}
		if escaped {
			continue
		}
		if woken == 0 && h>>(64-cutBits) == 0 {
			woken = i
			p.major = h<<cutBits>>(64-majorBits) == 0
		}
		if woken > 0 && (comma || i-woken >= patience) || i >= most {
			p.to = i + 1
			return p, in
		}
	}
	p.to, p.major = len(state), false
	return p, in
}

// hashed is over how many bytes the rolling hash goes: each one's number is shifted
// out of it by then.
const hashed = 64

// wakes is the first place of a piece at which the hash may wake the wish to cut, or
// at which a cut is made wherever it is, with the hash before that place. What
// stands in strings need not be known until there.
func wakes(state []byte, from int) (at int, h uint64) {
	quiet, most := min(from+pieceMin, len(state)), min(from+pieceMax, len(state))
	for _, c := range state[min(from+pieceMin-hashed+1, quiet):quiet] {
		h = h<<1 + gear[c]
	}
	for i, c := range state[quiet:most] {
		after := h<<1 + gear[c]
		if after>>(64-cutBits) == 0 {
			return quiet + i, h
		}
		h = after
	}
	return most, h
}

// within tells whether the end of a text is inside a string, and whether the next
// byte is escaped.
func within(text []byte, inside bool) (in, escaped bool) {
	for in = inside; ; {
		quote := bytes.IndexByte(text, '"')
		if quote < 0 && !in {
			return false, false
		}
		if in {
			end := quote
			if quote < 0 {
				end = len(text)
			}
			slash := end
			for slash > 0 && text[slash-1] == '\\' {
				slash--
			}
			escaped = (end-slash)%2 == 1
		}
		if quote < 0 {
			return in, escaped
		}
		in, escaped, text = !in || escaped, false, text[quote+1:]
	}
}

// split cuts a state into pieces. Where base is not nil its pieces are taken
// over as far as they are in state too; same[i] is then the base's piece that
// the i-th equals, -1 where there is none.
func split(state []byte, base *Layout) (pieces []piece, same []int) {
	var old index
	if base != nil {
		old.base = base
	}
	at, in, expect, missed := 0, false, 0, 0
	for at < len(state) {
		if k := old.find(state[at:], in, expect, missed > nearby); k >= 0 {
			was := base.pieces[k]
			pieces = append(pieces, piece{at, at + was.to - was.from, in, was.major})
			same = append(same, k)
			at += was.to - was.from
			in = base.inside(k + 1)
			expect, missed = k+1, 0
			continue
		}
		var p piece
		p, in = next(state, at, in)
		pieces, same = append(pieces, p), append(same, -1)
		at = p.to
		expect, missed = expect+1, missed+1
	}
	return pieces, same
}

// inside tells whether the i-th piece begins inside a string.
func (l *Layout) inside(i int) bool { return i < len(l.pieces) && l.pieces[i].inside }

// index finds pieces of a base by what they begin with.
type index struct {
	base *Layout
	seed maphash.Seed
	at   map[uint64]int // the first piece that begins so
}

// nearby is how far around the expected piece is looked, and how often, before
// a table is made of all pieces: most changes are small, and the table costs as
// much as all the rest.
const nearby = 4

// find returns the base's piece that b begins with, one near the expected one
// if there is any, far ones only where asked for; -1 if there is none.
func (x *index) find(b []byte, in bool, expect int, far bool) int {
	if x.base == nil {
		return -1
	}
	for k := max(expect-nearby, 0); k < expect+nearby; k++ {
		if x.fits(b, in, k) {
			return k
		}
	}
	if !far {
		return -1
	}
	if x.at == nil {
		x.seed, x.at = maphash.MakeSeed(), make(map[uint64]int, len(x.base.pieces))
		for k := len(x.base.pieces) - 1; k >= 0; k-- {
			p := x.base.pieces[k]
			x.at[maphash.Bytes(x.seed, x.base.State[p.from:p.from+min(pieceMin, p.to-p.from)])] = k
		}
	}
	if k, ok := x.at[maphash.Bytes(x.seed, b[:min(pieceMin, len(b))])]; ok && x.fits(b, in, k) {
		return k
	}
	return -1
}

// fits tells whether b begins with the base's k-th piece. The last one ends
// where the state ended, not at a cut.
func (x *index) fits(b []byte, in bool, k int) bool {
	if k >= len(x.base.pieces) {
		return false
	}
	p := x.base.pieces[k]
	if k == len(x.base.pieces)-1 && len(b) != p.to-p.from {
		return false
	}
	return p.inside == in && bytes.HasPrefix(b, x.base.State[p.from:p.to])
}
