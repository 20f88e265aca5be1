package piton

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Fence is a text that others wrote, or that has words of others in it, as a model or
// a person who approves something may be shown it. Besides what PrintableLines does,
// the brackets of what looks like Piton's own mark, or like the tag of a client or a
// model, become round, and so a word for who speaks at the beginning of a line stands
// in brackets: "(Human): ".
func Fence(s string) string { return fenced(PrintableLines(s)) }

// FenceLine is Fence for one line.
func FenceLine(s string) string { return fenced(Printable(s)) }

// Say is Fence for what Piton says itself: its mark at the beginning stays.
func Say(s string) string {
	if words, own := strings.CutPrefix(s, Mark); own {
		return Mark + Fence(words)
	}
	return Fence(s)
}

//go:embed fence.txt
var fenceNames string

// names are the lines of fence.txt.
var names = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for l := range strings.Lines(fenceNames) {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			all[l] = true
		}
	}
	return all
})

// Bounds of what is looked at, in characters.
const (
	maxTag   = 200 // a tag with its attributes
	maxToken = 60  // a model's token, what stands in square brackets
	maxRest  = 20  // what stands in brackets before Piton's name
	maxGap   = 4   // what stands before another name in brackets

	maxWithin = 8 // marks within each other; in a text with more no bracket stays
)

func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// reader reads a text as fold says.
type reader struct {
	s  string
	at int
}

func (r *reader) peek() rune { c, _ := fold(r.s[r.at:]); return c }

// skip passes the characters that are so, at most most of them, and gives them as they
// are read.
func (r *reader) skip(most int, is func(rune) bool) string {
	from, plain := r.at, true
	for range most {
		c, size := fold(r.s[r.at:])
		if size == 0 || !is(c) {
			break
		}
		plain = plain && size == 1
		r.at += size
	}
	text := r.s[from:r.at]
	if plain {
		return text
	}
	var b strings.Builder
	for text != "" {
		c, size := fold(text)
		b.WriteRune(c)
		text = text[size:]
	}
	return b.String()
}

// next passes a character if it is c.
func (r *reader) next(c rune) bool { return r.skip(1, func(x rune) bool { return x == c }) != "" }

func among(set string) func(rune) bool {
	return func(r rune) bool { return strings.ContainsRune(set, r) }
}

func besides(set string) func(rune) bool {
	return func(r rune) bool { return !strings.ContainsRune(set, r) }
}

// fenced takes away what is a mark once others in it are none, too: [system<Piton[>].
func fenced(s string) string {
	for range maxWithin {
		t := fencedOnce(s)
		if t == s {
			return s
		}
		s = t
	}
	return fencedOnce(rounded(s))
}

func fencedOnce(s string) string {
	var b strings.Builder
	done := 0
	before := '\n'
	for i := 0; i < len(s); {
		if before == '\n' {
			if from, to := speaker(s, i); from < to {
				b.WriteString(s[done:from] + "(" + s[from:to] + ")")
				done, i, before = to, to, 0
				continue
			}
		}
		c, size := fold(s[i:])
		end := 0
		switch c {
		case '[':
			end = max(ownMark(s, i, before), bracketed(s, i, before))
		case '<':
			end = tagged(s, i, before)
		}
		if end > 0 {
			b.WriteString(s[done:i] + rounded(s[i:end]))
			done, i, before = end, end, 0
			continue
		}
		i, before = i+size, c
		if c == '\\' && i < len(s) && strings.IndexByte("nrt", s[i]) >= 0 { // in JSON: it ends a word, and is none
			i, before = i+1, ' '
		}
	}
	if done == 0 {
		return s
	}
	return b.String() + s[done:]
}

// rounded is a text with round brackets instead of others.
func rounded(s string) string {
	return strings.Map(func(r rune) rune {
		switch c, _ := fold(string(r)); c {
		case '[', '<':
			return '('
		case ']', '>':
			return ')'
		}
		return r
	}, s)
}

// ownMark is where a mark ends that begins at i and may be taken for one of Piton's own:
// with what looks like its name, whatever follows; 0 if none does.
func ownMark(s string, i int, before rune) int {
	r := reader{s, i}
	r.skip(1, among("["))
	r.skip(maxRest, func(c rune) bool { return c == '_' || c != ']' && !isWord(c) && alike(c) != 'p' })
	if !r.looks("piton") || code().MatchString(s[i:]) && (s[i+1] != 'p' || isWord(before)) {
		return 0
	}
	r.skip(maxToken, besides("[]\n"))
	r.next(']')
	return r.at
}

// code is where the name is one of a program or a package: ["piton", "save"],
// map[piton.Code].
var code = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[(?:["']piton[\w./-]*["']|piton\.\w)`)
})

// looks passes what looks like a word: of letters that look like its own, each with
// any marks above and below it.
func (r *reader) looks(word string) bool {
	for _, c := range word {
		if r.skip(1, func(x rune) bool { return alike(x) == c }) == "" {
			return false
		}
		r.skip(len(r.s), func(x rune) bool { return unicode.Is(unicode.M, x) })
	}
	return true
}

// bracketed is where a model's or a client's mark in square brackets ends; 0 if none
// begins at i.
func bracketed(s string, i int, before rune) int {
	r := reader{s, i}
	r.skip(1, among("["))
	r.skip(maxGap, among(" \t"))
	closes := r.next('/')
	r.skip(maxGap, among(" \t"))
	inside := r.skip(maxToken, besides("[]\n"))
	if !r.next(']') || !heads(strings.ReplaceAll(strings.ToLower(inside), "_", "-")) {
		return 0
	}
	index, link := isWord(before) || among("])")(before), among("([")(r.peek())
	if plain := !closes && inside != strings.ToUpper(inside); plain && (index || link) {
		return 0
	}
	return r.at
}

// heads tells whether a text begins with the whole name of a mark, of one word or more.
func heads(text string) bool {
	for i, c := range text {
		if !isWord(c) && c != '-' && c != '.' && names()["["+text[:i]] {
			return true
		}
	}
	return names()["["+text]
}

// tagged is where a tag or a token of a model ends; 0 if none begins at i.
func tagged(s string, i int, before rune) int {
	r := reader{s, i}
	r.skip(1, among("<"))
	if r.next('|') {
		r.skip(maxToken, besides("<>| \t\n"))
		if r.next('|') && r.next('>') {
			return r.at
		}
		return 0
	}
	doubled := r.next('<')
	blank := r.skip(2*maxGap, unicode.IsSpace) != ""
	closes := r.skip(1, among("/!?")) != ""
	r.skip(2*maxGap, unicode.IsSpace)
	t := tag{before: before, closes: closes, blank: blank, name: r.skip(maxToken, isName)}
	after := r.at
	t.rest = r.skip(maxTag, besides("<>\n"))
	t.closed = r.next('>')
	switch {
	case doubled:
		if !r.next('>') || !names()["="+t.canonical()] {
			return 0
		}
	case !t.speaks():
		return 0
	}
	if !t.closed && t.rest != "" { // only the name is of the tag
		return after
	}
	return r.at
}

func isName(c rune) bool { return isWord(c) || strings.ContainsRune(":.-", c) }

// tag is what looks like one.
type tag struct {
	before        rune
	closes, blank bool   // </name>, < name>
	name, rest    string // rest is up to the end of the tag, or of what is looked at
	closed        bool
}

// local is the namespace of a tag, and its name without it.
func (t tag) local() (space, name string) {
	if i := strings.LastIndexByte(t.name, ':'); i >= 0 && i < len(t.name)-1 {
		return t.name[:i], t.name[i+1:]
	}
	return "", strings.TrimRight(t.name, ":")
}

// canonical is the name of a tag as fence.txt writes it.
func (t tag) canonical() string {
	_, name := t.local()
	var b strings.Builder
	last := rune(0)
	lowerFirst := name != "" && unicode.IsLower(rune(name[0]))
	for _, c := range name {
		if lowerFirst && unicode.IsUpper(c) && unicode.IsLower(last) {
			b.WriteByte('-')
		}
		last = c
		if c == '_' {
			c = '-'
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// attributes are those of a tag of XML, with its end.
var attributes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"']+))*\s*/?\s*$`)
})

// speaks tells whether the tag is one by which a client or a model says who speaks.
// What is as well an operator, a type's parameter or an address, is none.
func (t tag) speaks() bool {
	space, own := t.local()
	name := t.canonical()
	all := names()
	behind := isWord(t.before) && !t.closes
	proper := t.closed && attributes().MatchString(t.rest)
	switch {
	case own == "", t.before == '<' && t.blank && !t.closes: // a shift
		return false
	case all["="+name]:
		if name == "s" && own != "s" || behind || t.before == '<' {
			return false
		}
		return t.closed && strings.Trim(t.rest, " \t/") == ""
	case all[name] || strings.EqualFold(space, "antml") || t.phrase(name):
		switch {
		case t.closes:
			return true
		case strings.HasPrefix(t.rest, "@"), strings.HasPrefix(t.rest, "("):
			return false // an address, a call
		case behind && own != strings.ToLower(own) && own != strings.ToUpper(own) && !strings.Contains(name, "-"):
			return false // a type: List<System>
		}
		return proper || !t.blank && !behind
	case !begins(all, name):
		return false
	case t.closes:
		return true
	case strings.Contains(own, "-"):
		ends := t.rest == "" || among(" \t/")(rune(t.rest[0]))
		return ends && (proper || !t.blank && !behind)
	}
	return proper && !behind
}

// phrase tells whether the name with the word behind it is one.
func (t tag) phrase(name string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(t.rest), " ")
	return names()[name+" "+strings.ToLower(word)]
}

// begins tells whether a name of several words begins or ends with one that is a tag's.
func begins(all map[string]bool, name string) bool {
	if strings.ContainsAny(name, ".") {
		return false
	}
	first, last := strings.IndexByte(name, '-'), strings.LastIndexByte(name, '-')
	if first <= 0 {
		return false
	}
	return first < len(name)-1 && all[name[:first+1]] || all[name[last:]]
}

// leads are the characters that may stand before who speaks, besides blanks: of
// quotations, lists, headings, tables and emphasis.
const leads = "`>#*_\"'|~+-–—−•‣◦·∙●○▪▫■□◆◇»›→⇒▶►“”‘’«"

// speaker is where the word for who speaks stands in the line that begins at i.
func speaker(s string, i int) (from, to int) {
	lead := func(c rune) bool { return c == ' ' || c == '\t' || strings.ContainsRune(leads, c) }
	r := reader{s, i}
	r.skip(maxTag, lead)
	number := r
	if number.skip(maxGap, unicode.IsDigit) != "" && number.skip(1, among(".):")) != "" {
		r = number
		r.skip(maxTag, lead)
	}
	from = r.at
	word := r.skip(maxRest, isLetter)
	to = r.at
	if word == "" || !names()[":"+strings.ToLower(word)] {
		return 0, 0
	}
	key := from > i && r.at < len(s) && among(`"'`)(r.peek()) && s[from-1] == s[r.at] // "user": of JSON
	r.skip(maxGap, among("*_\"'`”’»~"))
	r.skip(maxRest, among(" \t"))
	if key || !r.next(':') {
		return 0, 0
	}
	return from, to
}

func isLetter(c rune) bool { return unicode.IsLetter(c) || c == '_' }
