package history

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
)

// Bounds of what is remembered and of the short way.
const (
	statesKept  = 2
	recentLeast = 64 << 10 // a smaller state is prepared anew as quickly
	hunksMost   = 32       // changed places
	depthMost   = 256      // containers open around one
	topsMost    = 4096     // members of the state itself
	keysMost    = 16       // keys added to containers that reach out of a place
)

// Recent remembers the states that were prepared last, so that the next one of
// the same workflow costs what has changed in it. It is safe for concurrent use
// and holds two states at most.
//
// What it does is no other check than the whole one but the same on less: each
// changed place is taken with the containers around it, under their keys, as a
// small document of its own. Whenever anything is out of the ordinary (a place
// that is large, a secret, a key that may be there already, an error of any
// kind) the whole state is prepared the long way.
type Recent struct {
	mu   sync.Mutex
	last []*seen // the newest last
}

// seen is a compact state that was free of secrets as it came. Nothing in it is
// ever changed.
type seen struct {
	of    line
	state []byte
	marks []mark
	tops  []int // where each member of the state begins
	bent  bool  // a key somewhere has escapes
}

// line is what states come after each other in.
type line struct{ workflow, session, branch string }

// get returns the last state of a line; nil when there is none or nobody
// remembers.
func (r *Recent) get(of line) *seen {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.last {
		if s.of == of {
			return s
		}
	}
	return nil
}

// put remembers a state.
func (r *Recent) put(of line, s *seen) {
	if r == nil {
		return
	}
	s.of = of
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = append(slices.DeleteFunc(r.last, func(had *seen) bool { return had.of == of }), s)
	if n := len(r.last) - statesKept; n > 0 {
		r.last = slices.Delete(r.last, 0, n)
	}
}

// look goes over a whole compact state; nil when there is no use in it.
func look(state []byte) *seen {
	s := scanner{text: state, noKey: true, tops: []int{1}}
	if !s.scan(0, len(state)) || len(s.stack) > 0 || len(s.tops) > topsMost {
		return nil
	}
	return &seen{state: state, marks: s.marks, tops: s.tops, bent: s.bent}
}

// clean is the draft's state, compacted and without secrets, where each secret stood,
// and what is known of its members, nil for nothing.
func (k Keeper) clean(d Draft) (clean redact.Document, taken []string, s *seen, err error) {
	given, of := d.State, line{d.Workflow, d.Session, d.Branch}
	if was := k.Recent.get(of); was != nil && len(given) <= MaxState {
		s := was.grown(given, k.Redact)
		if s == nil {
			if tight, ok := strip(given); ok {
				s = was.grown(tight, k.Redact)
			}
		}
		if s != nil {
			k.Recent.put(of, s)
			return redact.Unchecked(json.RawMessage(s.state)), nil, s, nil // each changed place was searched
		}
	}
	state, err := Compact(given)
	if err != nil {
		return clean, nil, nil, err
	}
	if clean, taken, err = cleanState(k.Redact, state); err != nil {
		return clean, nil, nil, &piton.Error{Code: piton.Internal, Op: "take secrets out", Err: err}
	}
	if len(clean.Get()) >= recentLeast {
		s = look(clean.Get())
	}
	if s != nil && len(taken) == 0 {
		k.Recent.put(of, s)
	}
	return clean, taken, s, nil
}

// grown is what the state has become; nil when that is for the long way to say.
func (s *seen) grown(given []byte, rules *redact.Rules) *seen {
	if len(given) < recentLeast {
		return nil
	}
	g := growth{rules: rules, old: s, new: &seen{state: bytes.Clone(given), bent: s.bent}}
	g.new.marks = make([]mark, 0, len(s.marks)+8)
	g.new.tops = append(make([]int, 0, len(s.tops)+1), 1)
	for range hunksMost {
		done, ok := g.step()
		if !ok {
			return nil
		}
		if done {
			return g.new
		}
	}
	return nil
}

// growth goes along two states from one changed place to the next.
type growth struct {
	rules    *redact.Rules
	old, new *seen
	o, n     int // so far they have been compared
	mark     int // the first of the old marks behind o
	top      int // the first of the old tops behind o
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
	g.top, _ = slices.BinarySearch(g.old.tops, end+1)
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
	for ; g.top < len(g.old.tops) && g.old.tops[g.top] <= to; g.top++ {
		if at := g.old.tops[g.top]; at > 1 {
			g.new.tops = append(g.new.tops, at+by)
		}
	}
}

// change looks at a changed place as at a document of its own.
func (g *growth) change(from, end, newFrom, newEnd int, in, out *frame) bool {
	if newEnd-newFrom > len(g.new.state)/2 || in != nil && in.depth > depthMost || out != nil && out.depth > depthMost {
		return false
	}
	was := scanner{text: g.old.state}
	is := scanner{text: g.new.state, last: newFrom}
	was.enter(in)
	is.enter(in)
	if !was.scan(from, end) || !is.scan(newFrom, newEnd) || is.bent || is.neighbours() || in.commandLine() || out.commandLine() {
		return false
	}
	if newEnd < len(g.new.state) && is.last != newEnd {
		return false // it does not end behind a comma
	}
	var open *frame
	if n := len(is.stack); n > depthMost {
		return false
	} else if n > 0 {
		open = is.frame(n - 1)
	}
	if !alike(open, out) || !g.distinct(was.keys, is.keys, newFrom, newEnd) || len(g.new.tops)+len(is.tops) > topsMost {
		return false
	}
	g.new.marks = append(g.new.marks, is.marks...)
	if n := len(is.marks); newEnd < len(g.new.state) && (n == 0 || is.marks[n-1].at < newEnd) {
		g.new.marks = append(g.new.marks, mark{newEnd, out})
	}
	g.new.tops = append(g.new.tops, is.tops...)
	g.new.bent = g.new.bent || is.bent
	return sound(g.rules, g.new.state[newFrom:newEnd], in, out)
}

// neighbours tells whether the part has a member of a container that reaches
// out of it whose meaning the members beside it may change.
func (s *scanner) neighbours() bool {
	for _, k := range s.keys {
		if redact.Neighbours(k.name()) {
			return true
		}
	}
	return false
}

// name is the key without its quotes; one with escapes is taken as it is.
func (k noted) name() string {
	return k.key[1 : len(k.key)-1]
}

// commandLine tells whether one of a chain of containers is an array whose
// elements may mean something together.
func (f *frame) commandLine() bool {
	for ; f != nil; f = f.up {
		if !f.object && (f.key == "" && f.up != nil && !f.up.object || strings.Contains(f.key, `\`) || len(f.key) > 2 && redact.Neighbours(f.key[1:len(f.key)-1])) {
			return true
		}
	}
	return false
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
		if added++; added > keysMost || g.new.bent || bytes.IndexByte(text, '\\') >= 0 ||
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
	state, err := Compact(doc)
	if err != nil || len(state) != len(doc) {
		return false
	}
	_, taken, err := rules.JSON(state)
	return err == nil && taken == 0
}

// begin writes what opens the containers of a chain.
func (f *frame) begin(doc []byte) []byte {
	if f == nil {
		return doc
	}
	doc = f.up.begin(doc) // at most depthMost deep
	if f.key != "" {
		doc = append(append(doc, f.key...), ':')
	}
	if f.object {
		return append(doc, '{')
	}
	return append(doc, '[')
}

// end writes what closes them.
func (f *frame) end(doc []byte) []byte {
	for ; f != nil; f = f.up {
		if f.object {
			doc = append(doc, '}')
		} else {
			doc = append(doc, ']')
		}
	}
	return doc
}
