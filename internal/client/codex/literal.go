package codex

import (
	"slices"
	"strconv"
	"strings"
)

// value is a value as a script writes it down.
type value struct {
	kind    byte // s: a string, n: a number, a: a list, o: an object, i: a name, 0: something that must be computed
	text    string
	path    []string // of a name: the parts that it is asked for, .a and [0]
	list    []value
	members map[string]value
}

// scan goes through the words of a script.
type scan struct {
	words []token
	names map[string]value // what const and let give names to
	loops []loop
}

// loop is what a script does for each element of a list.
type loop struct {
	at   int // the word where it begins
	each []map[string]value
}

func (s *scan) is(i int, texts ...string) bool {
	for n, text := range texts {
		if i+n >= len(s.words) || i+n < 0 || s.words[i+n].text != text || s.words[i+n].kind == 's' || s.words[i+n].kind == 't' {
			return false
		}
	}
	return true
}

func (s *scan) kind(i int) byte {
	if i < 0 || i >= len(s.words) {
		return 0
	}
	return s.words[i].kind
}

// value reads the value that begins at a word, and returns the word after it.
func (s *scan) value(i int) (v value, next int) {
	v, i = s.term(i)
	for s.is(i, "+") && (v.kind == 's' || v.kind == 'i') {
		more, after := s.term(i + 1)
		v, more = s.named(v), s.named(more)
		if v.kind == 's' && more.kind == 's' {
			v.text, i = v.text+more.text, after
			continue
		}
		break
	}
	if s.ends(i) {
		return v, i
	}
	return value{}, s.skip(i)
}

func (s *scan) term(i int) (v value, next int) {
	switch s.kind(i) {
	case 's', 't':
		v, i = value{kind: 's', text: s.words[i].text}, i+1
	case 'n':
		return value{kind: 'n', text: s.words[i].text}, i + 1
	case '[':
		v, i = s.array(i + 1)
	case '{':
		return s.object(i + 1)
	case 'i':
		if s.is(i, "String", ".", "raw") && s.kind(i+3) == 't' {
			return value{kind: 's', text: s.words[i+3].text}, i + 4
		}
		v, i = s.path(i)
	default:
		return value{}, i
	}
	if s.is(i, ".", "join", "(") && s.kind(i+3) == 's' && s.is(i+4, ")") {
		if list := s.named(v); list.kind == 'a' {
			var texts []string
			for _, e := range list.list {
				if e.kind != 's' {
					return value{}, i + 5
				}
				texts = append(texts, e.text)
			}
			return value{kind: 's', text: strings.Join(texts, s.words[i+3].text)}, i + 5
		}
	}
	return v, i
}

// path reads a name and its parts: a, a.b, a[0].
func (s *scan) path(i int) (v value, next int) {
	v, i = value{kind: 'i', text: s.words[i].text}, i+1
	for {
		switch {
		case s.is(i, ".") && s.kind(i+1) == 'i' && !s.is(i+2, "(") && !s.is(i+1, "join", "("):
			v.path, i = append(v.path, s.words[i+1].text), i+2
		case s.is(i, "[") && (s.kind(i+1) == 'n' || s.kind(i+1) == 's') && s.is(i+2, "]"):
			v.path, i = append(v.path, s.words[i+1].text), i+3
		default:
			return v, i
		}
	}
}

// named is the value that a name stands for.
func (s *scan) named(v value) value {
	if known, ok := lookup(v, s.names); ok {
		return known
	}
	return v
}

// lookup is the value that a name stands for, where the names hold it.
func lookup(v value, names map[string]value) (known value, ok bool) {
	if v.kind != 'i' {
		return v, true
	}
	if known, ok = names[v.text]; !ok {
		return v, false
	}
	for _, part := range v.path {
		if n, err := strconv.Atoi(part); err == nil && n >= 0 && n < len(known.list) {
			known = known.list[n]
			continue
		}
		if known, ok = known.members[part]; !ok {
			return v, false
		}
	}
	return known, true
}

func (s *scan) array(i int) (v value, next int) {
	v = value{kind: 'a'}
	for i < len(s.words) && s.kind(i) != ']' {
		var e value
		before := i
		if e, i = s.value(i); i == before {
			i++ // a sign that begins no value
			continue
		}
		v.list = append(v.list, e)
		if s.is(i, ",") {
			i++
		}
	}
	return v, i + 1
}

func (s *scan) object(i int) (v value, next int) {
	v = value{kind: 'o', members: map[string]value{}}
	for i < len(s.words) && s.kind(i) != '}' {
		key := s.words[i].text
		switch k := s.kind(i); {
		case (k == 'i' || k == 's') && s.is(i+1, ":"):
			v.members[key], i = s.value(i + 2)
		case k == 'i' && (s.is(i+1, ",") || s.is(i+1, "}")):
			v.members[key], i = value{kind: 'i', text: key}, i+1
		default:
			i = max(s.skip(i), i+1)
		}
		if s.is(i, ",") {
			i++
		}
	}
	return v, i + 1
}

// ends tells whether a value ends before a word.
func (s *scan) ends(i int) bool {
	return i >= len(s.words) || slices.Contains([]byte{',', ';', ')', ']', '}'}, s.kind(i)) || s.kind(i) == 'i'
}

// skip goes to the end of what is not read.
func (s *scan) skip(i int) int {
	deep := 0
	for ; i < len(s.words); i++ {
		switch s.kind(i) {
		case '(', '[', '{':
			deep++
		case ')', ']', '}':
			if deep == 0 {
				return i
			}
			deep--
		case ',', ';':
			if deep == 0 {
				return i
			}
		}
	}
	return i
}
