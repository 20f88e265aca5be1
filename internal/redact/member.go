package redact

import (
	"bytes"
	"strings"
)

// Bounds of what is read as a command line.
const (
	maxArgv = 64
	maxWord = 1 << 10
)

// named notes what a key says.
func (d *document) named(f *frame, key string) {
	f.role, f.member = none, d.nameMeans(key)
	if !d.tables.mayBeMember(key) {
		return
	}
	key = strings.ToLower(key)
	f.role = roles()[key]
	if f.member.level == 0 {
		f.member = nameMaps().member[key]
	}
	if key == "key" {
		f.member = d.keyOf(f)
	}
}

// keyOf is what the name of an object says of its member "key": encryption.key.
func (d *document) keyOf(f *frame) meaning {
	up := d.above()
	if up == nil || !up.object || up.keyTo == 0 || up.keyTo-up.keyFrom > 32 {
		return meaning{}
	}
	m := meaningOf(append(split(string(d.src[up.keyFrom:up.keyTo])), "key"))
	if m.level == 0 {
		m = f.inherit
	}
	return meaning{m.kind, min(m.level, unsure)}
}

// above is the container around the one that is open.
func (d *document) above() *frame {
	if len(d.stack) < 2 {
		return nil
	}
	return &d.stack[len(d.stack)-2]
}

// says is what the names around say of a string that is a value.
func (f *frame) says() meaning {
	switch {
	case f.member.level > 0:
		return f.member
	case f.role == valueRole && f.more != nil && f.more.pair.level > 0:
		return f.more.pair
	case tells[f.role], f.role == nameRole && f.object:
		return meaning{}
	case holds[f.role], !f.object && f.inherit.level == sure:
		return f.inherit
	}
	return meaning{f.inherit.kind, min(f.inherit.level, unsure)}
}

// takes tells whether a string is a secret, by what its name says.
func (m meaning) takes(text string) bool {
	if m.level == 0 {
		return false
	}
	c := candidate{text: text, meaning: m, place: inMember}
	return c.is("takes")
}

// argument notes an element of what may be a command line.
func (f *frame) argument(p piece, borrowed bool) {
	a := f.with()
	if len(a.strings) >= maxArgv || len(p.text) > maxWord {
		f.argv, a.strings = false, nil
		return
	}
	if borrowed {
		p.text = strings.Clone(p.text)
	}
	a.strings = append(a.strings, p)
}

// members are what the walk does at a member with a role: n is how many secrets were in
// it.
var members = [...]func(d *document, f *frame, p piece, n int){nameRole: (*document).nameMember, valueRole: (*document).valueMember,
	argvRole: (*document).argvMember, typeRole: (*document).typeMember, stdinRole: (*document).stdinMember, resultRole: (*document).resultMember, sensitiveRole: nil}

func (d *document) nameMember(f *frame, p piece, _ int) {
	m := d.nameMeans(p.text)
	if m.level == 0 && f.more == nil {
		return
	}
	a := f.with()
	a.pair = m
	if v := a.value; v.to > 0 && m.takes(v.text) {
		d.takeOut(v, kindOf(v.text, m.kind))
		a.value = piece{}
	}
}

func (d *document) valueMember(f *frame, p piece, n int) {
	if named := f.more != nil && f.more.pair.level > 0; n == 0 && len(p.text) <= looked && !named {
		f.with().value = d.kept(p)
	}
}

func (d *document) argvMember(f *frame, p piece, _ int) {
	f.with().command = strings.Clone(p.text[:min(len(p.text), 64)])
}

func (d *document) typeMember(f *frame, p piece, _ int) {
	if strings.IndexByte(p.text, '_') <= 0 {
		return
	}
	if m := d.nameMeans(p.text); m.level > 0 {
		f.with().typed = m.kind
	}
}

func (d *document) stdinMember(f *frame, p piece, n int) {
	if n == 0 && short(p.text) {
		f.with().stdin = d.kept(p)
	}
}

func (d *document) resultMember(f *frame, p piece, n int) {
	up := d.above()
	if n > 0 || !short(p.text) || up == nil || up.keyTo <= up.keyFrom {
		return
	}
	if Above(string(d.src[up.keyFrom+1 : up.keyTo-1])) {
		d.waiting = append(d.waiting, d.kept(p))
	}
}

// short tells whether a text may be a secret as a whole.
func short(text string) bool { return len(text) >= 3 && len(text) <= looked }

// kept is a piece that outlives the walk of its string.
func (d *document) kept(p piece) piece {
	p.text, p.path = strings.Clone(p.text), d.path()
	return p
}

// closes looks at a container that ends: at what its members say of each other.
func (d *document) closes(f *frame) {
	a := f.more
	if len(a.strings) > 1 {
		d.array(f)
	}
	if a.secret {
		d.takePiece(a.value, "secret")
	}
	if a.stdin.to > 0 && readsSecret(a.command) {
		d.takePiece(a.stdin, "password")
	}
	if a.typed == "" {
		return
	}
	for _, p := range d.waiting[f.results:] {
		d.takePiece(p, a.typed)
	}
}

// takePiece takes a string out that was passed, unless it only stands for a secret.
func (d *document) takePiece(p piece, kind string) {
	if p.to > 0 && judged("generated", p.text) {
		d.takeOut(p, kindOf(p.text, kind))
	}
}

// list is the list that a string stands in, as an element or as a member of one.
func (d *document) list(f *frame) *frame {
	if up := d.above(); up != nil && f.object {
		f = up
	}
	if f.object {
		return nil
	}
	return f
}

// keyLine takes an element of a list out that is a line of a private key, or the member
// of one that is under the same key as the first line.
func (d *document) keyLine(f *frame, p piece) bool {
	line, up := strings.TrimSpace(p.text), d.top()
	key := d.src[up.keyFrom:up.keyTo]
	switch {
	case startsWith(line, "-----", "Private-Lines: "):
		f.pem = like("key-begins", line)
		if f.pem {
			f.with().line = key
		}
	case !f.pem, !bytes.Equal(f.with().line, key), line == "", strings.Contains(line, ": "):
	case !all(line, &base64ish):
		f.pem = false
	default:
		return d.takeOut(p, "private-key")
	}
	return false
}

// array looks at an array of strings that has ended: a command line, or a pair
// of a name and a value in a list.
func (d *document) array(f *frame) {
	a := f.more
	if f.others || f.object {
		return
	}
	if f.pair && len(a.strings) == 2 {
		v := a.strings[1]
		m := d.nameMeans(a.strings[0].text)
		if m.takes(v.text) && !marked(v.text) {
			f.index = int32(v.index)
			d.takeOut(v, kindOf(v.text, m.kind))
		}
		if m.level > 0 {
			return
		}
	}
	if a.command != "" || isCommand(a.strings) {
		d.commandLine(f)
	}
}

// isCommand tells whether strings are the words of a command: it has an option, or
// begins with a program that takes secrets.
func isCommand(words []piece) bool {
	for _, p := range words {
		if like("option-word", p.text) {
			return true
		}
	}
	first := words[0].text
	return takers().programs[first[strings.LastIndexByte(first, '/')+1:]]
}

// commandLine reads an array as a line of a shell.
func (d *document) commandLine(f *frame) {
	a := f.more
	var line strings.Builder
	if a.command != "" && strings.IndexByte(a.command, '\n') < 0 {
		line.WriteString(a.command + " ")
	}
	at := make([]int, len(a.strings)) // where the words stand in the line
	for i, p := range a.strings {
		word, before := shellWord(p.text)
		at[i] = line.Len() + before
		line.WriteString(word + " ")
	}
	w := walker{reader: d.reader, text: strings.TrimSuffix(line.String(), " "), places: []span{}}
	w.walk()
	for _, x := range w.places {
		for i := range a.strings {
			d.takeWord(f, &a.strings[i], w.text, at[i], x)
		}
	}
}

// takeWord takes what was found in a command line out of a word that stands there at a
// place, once.
func (d *document) takeWord(f *frame, p *piece, line string, at int, x span) {
	end := at + len(p.text)
	if x.from < at || x.to > end || p.text == "" || line[at:end] != p.text {
		return
	}
	found := 1 + strings.Count(p.text, markBegin)
	f.index = int32(p.index)
	d.edit(edit{p.from, p.to, p.text[:x.from-at] + mark(x.kind) + p.text[x.to-at:], found, d.path()})
	p.text = ""
}

// shellWord is a word as a shell needs it, and how much stands before the word itself. One
// with a quote was looked at as a text.
func shellWord(word string) (quoted string, before int) {
	switch {
	case strings.Contains(word, "'"):
		return "_", 1
	case word == "", strings.ContainsAny(word, " \t\n\"`\\;|&(){}<>,"):
		return "'" + word + "'", 1
	}
	return word, 0
}
