package states

import (
	"bytes"
	"slices"

	"github.com/piton-project/piton/internal/redact"
)

// Bounds of the short way.
const (
	minScanned = 64 << 10  // a smaller state is cleaned anew as quickly
	maxHunks   = 32        // changed places
	maxDepth   = 256       // containers open around one
	maxAdded   = 16        // keys added to containers that reach out of a place
	maxTries   = 6         // marks of the old state that are looked for in the new one
	maxWithin  = 256 << 10 // bytes of the new state that are searched for each
	minProof   = 48        // bytes that must be equal there
)

// grown is what the state has become; nil when that is for the long way to say.
func (s *scanned) grown(given []byte, rules *redact.Rules) *scanned {
	if len(given) < minScanned {
		return nil
	}
	g := growth{rules: rules, old: s, new: &scanned{state: given, escaped: s.escaped}}
	g.new.marks = make([]mark, 0, len(s.marks)+8)
	g.new.members = append(make([]int, 0, len(s.members)+1), 1)
	for range maxHunks {
		done, ok := g.step()
		if !ok {
			return nil
		}
		if done {
			g.new.state = bytes.Clone(given) // which is the caller's
			return g.new
		}
	}
	return nil
}

// growth goes along two states from one changed place to the next.
type growth struct {
	rules    *redact.Rules
	old, new *scanned
	o, n     int // so far they have been compared
	mark     int // the first of the old marks behind o
	member   int // the first of the old members behind o
}

// step takes over what is equal and deals with the next changed place.
func (g *growth) step() (done, ok bool) {
	same := equal(g.old.state[g.o:], g.new.state[g.n:])
	if g.o+same == len(g.old.state) && g.n+same == len(g.new.state) {
		g.keep(len(g.old.state))
		return true, true
	}
	from, in := g.o, g.inAt(g.o)
	differs := g.o + same
	if i := g.markAfter(differs); i > 0 && g.old.marks[i-1].at > from {
		from, in = g.old.marks[i-1].at, g.old.marks[i-1].in
	}
	g.keep(from)
	end, newEnd, out := g.meet(differs, g.n+(differs-g.o))
	if !g.change(from, end, g.n+(from-g.o), newEnd, in, out) {
		return false, false
	}
	g.o, g.n = end, newEnd
	g.mark = g.markAfter(end)
	g.member, _ = slices.BinarySearch(g.old.members, end+1)
	return end == len(g.old.state), true
}

// inAt is what is open at a place that is the beginning or a mark.
func (g *growth) inAt(at int) *frame {
	if i := g.markAfter(at); i > 0 && g.old.marks[i-1].at == at {
		return g.old.marks[i-1].in
	}
	return nil
}

// markAfter is the first of the old marks behind a place.
func (g *growth) markAfter(at int) int {
	i, _ := slices.BinarySearchFunc(g.old.marks, at+1, func(m mark, at int) int { return m.at - at })
	return i
}

// keep takes over what is known of the old state up to a place.
func (g *growth) keep(to int) {
	by := g.n - g.o
	for ; g.mark < len(g.old.marks) && g.old.marks[g.mark].at <= to; g.mark++ {
		m := g.old.marks[g.mark]
		g.new.marks = append(g.new.marks, mark{m.at + by, m.in})
	}
	for ; g.member < len(g.old.members) && g.old.members[g.member] <= to; g.member++ {
		if at := g.old.members[g.member]; at > 1 {
			g.new.members = append(g.new.members, at+by)
		}
	}
}

// tooDeep reports whether a part is not looked at alone, because of its depth.
func (f *frame) tooDeep() bool { return f != nil && f.depth > maxDepth }

// change looks at a changed place as at a document of its own.
func (g *growth) change(from, end, newFrom, newEnd int, in, out *frame) bool {
	if newEnd-newFrom > len(g.new.state)/2 || in.tooDeep() || out.tooDeep() {
		return false
	}
	was := scanner{text: g.old.state}
	is := scanner{text: g.new.state, last: newFrom}
	was.enter(in)
	is.enter(in)
	if !was.scanAlone(from, end) || !is.scanAlone(newFrom, newEnd) {
		return false
	}
	if in.commandLine() || out.commandLine() || !sameNeighbours(&was, &is) {
		return false
	}
	if newEnd < len(g.new.state) && is.last != newEnd {
		return false // it does not end behind a comma
	}
	var open *frame
	if n := len(is.stack); n > maxDepth {
		return false
	} else if n > 0 {
		open = is.frame(n - 1)
	}
	if !alike(open, out) || !g.distinct(was.keys, is.keys, newFrom, newEnd) || len(g.new.members)+len(is.members) > maxMembers {
		return false
	}
	g.new.marks = append(g.new.marks, is.marks...)
	if n := len(is.marks); newEnd < len(g.new.state) && (n == 0 || is.marks[n-1].at < newEnd) {
		g.new.marks = append(g.new.marks, mark{newEnd, out})
	}
	g.new.members = append(g.new.members, is.members...)
	g.new.escaped = g.new.escaped || is.escaped
	return sound(g.rules, g.new.state[newFrom:newEnd], in, out)
}

// distinct tells whether a changed place adds no key to a container that reaches
// out of it but such as are nowhere else in the state.
func (g *growth) distinct(was, is []noted, from, end int) bool {
	added := 0
	for _, k := range is {
		if slices.Contains(was, k) {
			continue
		}
		text := []byte(k.key + ":")
		if added++; added > maxAdded || g.new.escaped || bytes.IndexByte(text, '\\') >= 0 ||
			bytes.Contains(g.new.state[:from], text) || bytes.Contains(g.new.state[end:], text) {
			return false
		}
	}
	return true
}

// sound tells whether a part of a state, with the containers around it, is
// acceptable as it stands and holds no secret.
func sound(rules *redact.Rules, part []byte, in, out *frame) bool {
	if len(part) == 0 {
		return true
	}
	if out != nil {
		part = part[:len(part)-1] // the comma
	}
	doc := append(in.begin(nil), part...)
	doc = out.end(doc)
	return compact(doc) && free(rules, doc)
}

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
	for i, step := first, 1; i < len(g.old.marks) && step < 1<<maxTries; i, step = i+step, step*2 {
		m := g.old.marks[i]
		needle := a[m.at-1 : min(m.at+minProof, len(a))]
		if at := m.at + new - old; at <= len(b) && bytes.HasPrefix(b[at-1:], needle) {
			return m.at, at, m.in
		}
		if at := bytes.Index(b[new:min(new+maxWithin, len(b))], needle); at >= 0 {
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
