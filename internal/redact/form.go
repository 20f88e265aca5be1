package redact

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// form is a small regular expression. It is made when a value is first held
// against it, which a program that sees no secret never does.
//
//	.  [a-z]  [^a-z]      a byte, of a set
//	\d \w \s \S           a digit, of a word or an id, a blank or tab, neither nor a line's end
//	(a|b)                 one of these
//	*  +  ?  {2}  {2,8}   how often; with ? behind it as seldom as fits, with + as often
//	                      as it can and without a way back
//	^  $                  the ends of the text
//	«  »                  around what is meant; the end may be left open
//	(?i)                  at the beginning: in any case
type form struct {
	parts []part
	must  string // a literal that stands in each text that fits
}

// part is a literal, a set of bytes, a choice of forms, or an edge, one of ^ $ « ».
type part struct {
	literal     string
	of          *set
	choices     [][]part
	edge        byte
	least, most int
	lazy, fold  bool
	all         bool
}

const (
	anyNumber = 1 << 20
	edgeFrom  = '\xab' // the second byte of «
	edgeTo    = '\xbb'
)

// match is a text that is held against forms. from and to are the places of « and »,
// and to is -1 without the second.
type match struct {
	text     string
	from, to int
}

// whole tells whether a form fits the whole text.
func (m *match) whole(f *form) bool {
	m.from, m.to = 0, -1
	return strings.Contains(m.text, f.must) && m.at(f.parts, 0, func(end int) bool { return end == len(m.text) })
}

func anywhere(int) bool { return true }

// at tells whether parts fit from a place on, and what follows too.
func (m *match) at(f []part, at int, then func(at int) bool) bool {
	if len(f) == 0 {
		return then(at)
	}
	p, rest := &f[0], f[1:]
	switch {
	case p.literal != "":
		return p.begins(m.text[at:]) && m.at(rest, at+len(p.literal), then)
	case p.choices != nil:
		return m.choice(p, 0, at, func(at int) bool { return m.at(rest, at, then) })
	case p.of == nil:
		return m.edge(p.edge, at) && m.at(rest, at, then)
	}
	least, most := at+p.least, run(m.text, at, at+p.most, p.of)
	if p.all {
		least = max(least, most)
	}
	for i := least; i <= most; i++ {
		stop := least + most - i
		if p.lazy {
			stop = i
		}
		if m.at(rest, stop, then) {
			return true
		}
	}
	return false
}

func (p *part) begins(s string) bool {
	if p.fold {
		return len(s) >= len(p.literal) && s[0]|0x20 == p.literal[0]|0x20 && strings.EqualFold(s[:len(p.literal)], p.literal)
	}
	return strings.HasPrefix(s, p.literal)
}

// choice tells whether one of a part's forms fits, again and again as often as it may,
// behind the n that did.
func (m *match) choice(p *part, n, at int, then func(at int) bool) bool {
	again := func(end int) bool {
		if end == at {
			return then(end)
		}
		return m.choice(p, n+1, end, then)
	}
	for _, f := range p.choices {
		if n < p.most && m.at(f, at, again) {
			return true
		}
	}
	return n >= p.least && then(at)
}

func (m *match) edge(edge byte, at int) bool {
	switch edge {
	case '^':
		return at == 0
	case '$':
		return at == len(m.text)
	case edgeFrom:
		m.from = at
	case edgeTo:
		m.to = at
	}
	return true
}

// newForm reads a form.
func newForm(pattern string) (f form) {
	pattern, fold := strings.CutPrefix(pattern, "(?i)")
	r := formReader{pattern, fold}
	f.parts = r.form()
	for _, p := range f.parts {
		if !fold && len(p.literal) > len(f.must) {
			f.must = p.literal
		}
	}
	return f
}

type formReader struct {
	rest string
	fold bool
}

// form reads up to the end, or to a | or a ) that is not a literal.
func (r *formReader) form() (f []part) {
	for r.rest != "" && r.rest[0] != '|' && r.rest[0] != ')' {
		p := r.part()
		r.often(&p)
		if last := len(f) - 1; last >= 0 && p.literal != "" && f[last].literal != "" {
			f[last].literal += p.literal
			continue
		}
		f = append(f, p)
	}
	return f
}

// next takes the first byte.
func (r *formReader) next() byte {
	c := r.rest[0]
	r.rest = r.rest[1:]
	return c
}

func (r *formReader) part() part {
	p := part{least: 1, most: 1, fold: r.fold}
	switch c := r.next(); c {
	case '.':
		p.of = &anyByte
	case '[':
		p.of = r.set()
	case '^', '$':
		p.edge = c
	case '\xc2':
		p.edge = r.next()
	case '(':
		for c = '|'; c == '|'; c = r.next() {
			p.choices = append(p.choices, r.form())
		}
	case '\\':
		c = r.next()
		if p.of = namedSets[c]; p.of == nil {
			p.literal = string([]byte{escaped(c)})
		}
	default:
		p.literal = string([]byte{c})
	}
	return p
}

var namedSets = map[byte]*set{'d': &digit, 'w': &wordy, 's': &space, 'S': &notBlank}

// escaped is the byte that a letter behind a \ is, or a sign itself.
func escaped(c byte) byte {
	if i := strings.IndexByte("nrte", c); i >= 0 {
		return "\n\r\t\x1b"[i]
	}
	return c
}

// set reads a set up to its ].
func (r *formReader) set() *set {
	var list []byte
	c := r.next()
	others := c == '^'
	if others {
		c = r.next()
	}
	for ; c != ']'; c = r.next() {
		if c == '\\' {
			c = escaped(r.next())
		}
		list = append(list, c)
	}
	if r.fold {
		list = append(list, strings.ToUpper(string(list))...)
	}
	s := chars(string(list))
	if others {
		s = s.not()
	}
	return &s
}

// often reads how often a part stands.
func (r *formReader) often(p *part) {
	if r.rest == "" || strings.IndexByte("*+?{", r.rest[0]) < 0 {
		return
	}
	switch r.next() {
	case '*':
		p.least, p.most = 0, anyNumber
	case '+':
		p.most = anyNumber
	case '?':
		p.least = 0
	case '{':
		var times string
		times, r.rest, _ = strings.Cut(r.rest, "}")
		first, last, both := strings.Cut(times, ",")
		p.least, _ = strconv.Atoi(first)
		p.most, _ = strconv.Atoi(last)
		if !both {
			p.most = p.least
		} else if last == "" {
			p.most = anyNumber
		}
	}
	if p.literal != "" {
		of := chars(p.literal)
		p.of, p.literal = &of, ""
	}
	r.rest, p.lazy = strings.CutPrefix(r.rest, "?")
	r.rest, p.all = strings.CutPrefix(r.rest, "+")
}

//go:embed forms.txt
var formTable string

// forms are the forms of forms.txt by their names.
var forms = sync.OnceValue(func() map[string]func() []form {
	lists := map[string][]string{}
	for line := range strings.Lines(formTable) {
		name, pattern, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok || name == "#" {
			continue
		}
		lists[name] = append(lists[name], strings.TrimLeft(pattern, " "))
	}
	all := map[string]func() []form{}
	for name, patterns := range lists {
		all[name] = sync.OnceValue(func() (list []form) {
			for _, p := range patterns {
				list = append(list, newForm(p))
			}
			return list
		})
	}
	return all
})

// maxFormed is how much of a value is held against forms, in bytes: they say what short
// values are.
const maxFormed = 4 << 10

// like tells whether a value has one of the forms of a name.
func like(name, v string) bool {
	_, ok := meant(name, v)
	return ok
}

// meant is what is meant in a value that has one of the forms of a name.
func meant(name, v string) (part string, ok bool) {
	m := match{text: v[:min(len(v), maxFormed)]}
	list := forms()[name]()
	for i := range list {
		if m.whole(&list[i]) {
			if m.to < 0 {
				m.to = len(m.text)
			}
			return m.text[m.from:m.to], true
		}
	}
	return "", false
}

// prefixLike is how long the beginning of a text is that has one of the forms of a name.
func prefixLike(name, s string) (n int) {
	m := match{text: s}
	for _, f := range forms()[name]() {
		if m.at(f.parts, 0, func(end int) bool { n = end; return true }) {
			return n
		}
	}
	return 0
}
