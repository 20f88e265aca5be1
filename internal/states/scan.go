package states

import (
	"bytes"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/redact"
)

// markEvery is how far marks lie apart, in bytes, at least.
const markEvery = 1 << 10

// frame is a container that is open at a mark.
type frame struct {
	up     *frame
	depth  int // 1 at the top
	object bool
	key    string // as written, with its quotes; "" in an array and at the top
}

// mark is a place right behind a comma between two elements or members.
type mark struct {
	at int
	in *frame
}

// alike tells whether two chains of open containers are the same.
func alike(a, b *frame) bool {
	for ; a != b; a, b = a.up, b.up {
		if a == nil || b == nil || a.object != b.object || a.key != b.key {
			return false
		}
	}
	return true
}

// level is a container that is open while a text is scanned.
type level struct {
	object bool
	key    []byte
	own    bool   // it was opened in the part that is scanned
	frame  *frame // nil until it is needed
	keys   int    // how many keys were noted when it was opened
}

// noted is a key that stands directly in a container.
type noted struct {
	depth int
	own   bool // the container's
	key   string
	text  string // the string that it names, where members beside it may change what it means
}

// scanner goes over a part of a JSON text that is valid as far as anybody
// knows. It never goes wrong on one that is not; it only gives up.
type scanner struct {
	text    []byte
	stack   []level
	marks   []mark
	members []int   // the places behind commas at depth 1
	last    int     // the place behind the last comma
	keys    []noted // of containers that the part does not close
	noKey   bool    // nobody asks for keys
	escaped bool    // a key has escapes
	words   bool    // strings in it may mean something together with others outside of the part
}

// enter puts the scanner where the containers of f are open.
func (s *scanner) enter(f *frame) {
	if f == nil {
		return
	}
	s.stack = make([]level, f.depth)
	for ; f != nil; f = f.up {
		s.stack[f.depth-1] = level{object: f.object, key: []byte(f.key), frame: f}
	}
}

// scanAlone scans a part, and reports whether nothing in it depends on what is around it.
func (s *scanner) scanAlone(from, to int) bool { return s.scan(from, to) && !s.escaped && !s.words }

// scan goes from one place to another; false when it cannot be JSON. from is
// the beginning of the text or a place behind a comma.
func (s *scanner) scan(from, to int) bool {
	b := s.text[:to]
	due := from + markEvery
	wantKey := len(s.stack) > 0 && s.stack[len(s.stack)-1].object
	var key []byte
	for i := from; i < to; i++ {
		switch b[i] {
		case '"':
			end := stringEnd(b, i)
			if end < 0 {
				return false
			}
			if wantKey {
				wantKey, key = false, b[i:end]
				s.escaped = s.escaped || bytes.IndexByte(key, '\\') >= 0
				if top := &s.stack[len(s.stack)-1]; !s.noKey {
					s.words = s.words || redact.Above(string(key[1:len(key)-1]))
					k := noted{depth: len(s.stack), own: top.own, key: string(key)}
					if redact.Neighbours(k.name()) {
						k.text = stringAt(b, end+1) // behind the colon
					}
					s.keys = append(s.keys, k)
				}
			} else if n := len(s.stack); n > 0 && !s.stack[n-1].object && !s.stack[n-1].own {
				s.words = true
			}
			i = end - 1
		case '{', '[':
			l := level{object: b[i] == '{', own: true, keys: len(s.keys)}
			if n := len(s.stack); n > 0 && s.stack[n-1].object {
				l.key = key
			}
			s.stack = append(s.stack, l)
			wantKey = l.object
		case '}', ']':
			n := len(s.stack) - 1
			if n < 0 || s.stack[n].object != (b[i] == '}') {
				return false
			}
			if s.stack[n].own {
				s.keys = s.keys[:s.stack[n].keys] // all of it lies in the part
			}
			s.stack, wantKey = s.stack[:n], false
		case ',':
			n := len(s.stack) - 1
			if n < 0 {
				return false
			}
			wantKey, s.last = s.stack[n].object, i+1
			if n == 0 {
				s.members = append(s.members, i+1)
			}
			if i >= due {
				s.marks = append(s.marks, mark{i + 1, s.frame(n)})
				due = i + markEvery
			}
		}
	}
	return true
}

// frame returns the containers open down to the n-th level.
func (s *scanner) frame(n int) *frame {
	at := n
	for at >= 0 && s.stack[at].frame == nil {
		at--
	}
	var up *frame
	if at >= 0 {
		up = s.stack[at].frame
	}
	for at++; at <= n; at++ {
		l := &s.stack[at]
		l.frame = &frame{up, at + 1, l.object, string(l.key)}
		up = l.frame
	}
	return up
}

// stringEnd is the place behind the string that begins at i; -1 when there is
// no end.
func stringEnd(b []byte, i int) int {
	for at := i + 1; ; at++ {
		n := bytes.IndexByte(b[at:], '"')
		if n < 0 {
			return -1
		}
		at += n
		slashes := 0
		for b[at-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at + 1
		}
	}
}

// commandLine tells whether one of a chain of containers is an array whose
// elements may mean something together.
func (f *frame) commandLine() bool {
	for ; f != nil; f = f.up {
		name := strings.Trim(f.key, `"`)
		if redact.Above(name) {
			return true
		}
		inArray := f.key == "" && f.up != nil && !f.up.object
		if !f.object && (inArray || strings.Contains(name, `\`) || redact.Neighbours(name)) {
			return true
		}
	}
	return false
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

// neighbours are the members of containers that reach out of the part whose meaning
// the members beside them may change. known is false where one of them is not a string:
// it is more than its text.
func (s *scanner) neighbours() (all []noted, known bool) {
	for _, k := range s.keys {
		if redact.Neighbours(k.name()) {
			if k.text == "" {
				return nil, false
			}
			all = append(all, k)
		}
	}
	return all, true
}

// sameNeighbours tells whether two parts have the same such members: what they mean
// together with the members outside of the parts, which are the same, is what it was.
func sameNeighbours(was, is *scanner) bool {
	now, known := is.neighbours()
	if !known {
		return false
	}
	before, known := was.neighbours()
	return known && slices.Equal(before, now)
}

// stringAt is the string that begins at a place, with its quotes; "" where none does.
func stringAt(b []byte, at int) string {
	if at >= len(b) || b[at] != '"' {
		return ""
	}
	if end := stringEnd(b, at); end > 0 {
		return string(b[at:end])
	}
	return ""
}

// name is the key without its quotes; one with escapes is taken as it is.
func (k noted) name() string {
	return k.key[1 : len(k.key)-1]
}
