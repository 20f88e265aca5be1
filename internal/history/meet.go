package history

import "bytes"

// Bounds of the search for the place where two states meet again.
const (
	tries  = 6         // marks of the old state that are looked for
	within = 256 << 10 // bytes of the new state that are searched for each
	proof  = 48        // bytes that must be equal there
)

// equal is how many bytes two texts have in common at their beginning.
func equal(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for block := 4 << 10; block >= 8; block /= 8 {
		for i+block <= n && bytes.Equal(a[i:i+block], b[i:i+block]) {
			i += block
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// equalEnd is how many they have in common at their end, most at most.
func equalEnd(a, b []byte, most int) int {
	n := min(len(a), len(b), most)
	i := 0
	for block := 4 << 10; block >= 8; block /= 8 {
		for i+block <= n && bytes.Equal(a[len(a)-i-block:len(a)-i], b[len(b)-i-block:len(b)-i]) {
			i += block
		}
	}
	for i < n && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	return i
}

// meet finds where the states, which differ at a place, are equal again: a mark
// of the old one, and what is open there. It may be mistaken; then the text in
// between is longer than it need be, or is found wanting. Both ends when it
// finds nothing.
func (g *growth) meet(old, new int) (end, newEnd int, out *frame) {
	a, b := g.old.state, g.new.state
	first := g.markAfter(old)
	for i, step := first, 1; i < len(g.old.marks) && step < 1<<tries; i, step = i+step, step*2 {
		m := g.old.marks[i]
		needle := a[m.at-1 : min(m.at+proof, len(a))]
		if at := m.at + new - old; at <= len(b) && bytes.HasPrefix(b[at-1:], needle) {
			return m.at, at, m.in
		}
		if at := bytes.Index(b[new:min(new+within, len(b))], needle); at >= 0 {
			return m.at, new + at + 1, m.in
		}
	}
	common := equalEnd(a[old:], b[new:], len(a))
	if i := g.markAfter(len(a) - common); i < len(g.old.marks) {
		at := g.old.marks[i].at
		return at, at + len(b) - len(a), g.old.marks[i].in
	}
	return len(a), len(b), nil
}
