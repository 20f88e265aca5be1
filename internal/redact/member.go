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
	f.role = roleOf(key)
	f.member = d.nameMeans(key)
	if f.member.level > 0 {
		return
	}
	switch strings.ToLower(key[:min(len(key), 16)]) {
	case "cookie", "cookies", "set-cookie":
		f.member = meaning{cookieKind, unsure}
	case "stringdata":
		f.member = meaning{"secret", unsure}
	case "d", "p", "q", "dp", "dq", "qi": // of a JSON web key
		f.member = meaning{jwkKind, unsure}
	case "key":
		f.member = d.keyOf(f)
	}
}

// keyOf is what the name of an object says of its member "key": encryption.key.
func (d *document) keyOf(f *frame) meaning {
	if len(d.stack) < 2 {
		return meaning{}
	}
	up := &d.stack[len(d.stack)-2]
	if !up.object || up.keyTo == 0 || up.keyTo-up.keyFrom > 32 {
		return meaning{}
	}
	m := meaningOf(append(split(string(d.src[up.keyFrom:up.keyTo])), "key"))
	if m.level == 0 && f.inherit.level > 0 {
		m = f.inherit
	}
	return meaning{m.kind, min(m.level, unsure)}
}

// says is what the names around say of a string that is a value, and where it
// stands.
func (f *frame) says() (meaning, place) {
	switch {
	case f.member.level > 0:
		return f.member, inMember
	case f.role == valueRole && f.more != nil && f.more.pair.level > 0:
		return f.more.pair, inMember
	case f.inherit.level == 0 || f.role.tells() || f.role == nameRole && f.object:
		return meaning{}, 0
	case f.role.holds() || !f.object && f.inherit.level == sure:
		return f.inherit, inMember
	}
	return meaning{f.inherit.kind, unsure}, inMember
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

// closes looks at a container that ends: at what its members say of each other.
func (d *document) closes(f *frame) {
	a := f.more
	if len(a.strings) > 1 {
		d.array(f)
	}
	if a.secret && a.value.to > 0 {
		d.takePiece(a.value, "secret")
	}
	if a.stdin.to > 0 && readsSecret(a.command) {
		d.takePiece(a.stdin, "password")
	}
	if a.typed != "" {
		for _, p := range d.waiting[f.results:] {
			d.takePiece(p, a.typed)
		}
	}
}

// inAttributes tells whether the object that is open stands under a name for which
// Above holds.
func (d *document) inAttributes() bool {
	if len(d.stack) < 2 {
		return false
	}
	up := &d.stack[len(d.stack)-2]
	return up.keyTo > up.keyFrom && Above(string(d.src[up.keyFrom+1:up.keyTo-1]))
}

// takePiece takes a string out that was passed, unless it only stands for a secret.
func (d *document) takePiece(p piece, kind string) {
	if kind = kindOf(p.text, kind); generated(p.text) && !d.rules.keeps(p.text, kind) {
		d.edit(edit{p.from, p.to, mark(kind), 1, p.path})
	}
}

// list is the list that a string stands in, as an element or as a member of one.
func (d *document) list(f *frame) *frame {
	if n := len(d.stack); n > 1 && f.object && !f.key {
		f = &d.stack[n-2]
	}
	if f == nil || f.object {
		return nil
	}
	return f
}

// keyLine takes an element of a list out that is a line of a private key, or the member
// of one that is under the same key as the first line.
func (d *document) keyLine(f *frame, from, to int, text string) bool {
	line, up := strings.TrimSpace(text), d.top()
	key := d.src[up.keyFrom:up.keyTo]
	begins := strings.HasPrefix(line, "Private-Lines: ") // of PuTTY
	switch {
	case begins || strings.HasPrefix(line, "-----"):
		f.pem = begins || strings.HasPrefix(line, "-----BEGIN") && strings.HasSuffix(line, "-----") && strings.Contains(line, "PRIVATE KEY")
		if f.pem {
			f.with().line = key
		}
	case !f.pem || !bytes.Equal(f.with().line, key) || line == "" || strings.Contains(line, ": "):
	case !all(line, base64ish):
		f.pem = false
	default:
		return d.takeOut(from, to, text, "private-key")
	}
	return false
}

// array looks at an array of strings that has ended: a command line, or a pair
// of a name and a value in a list.
func (d *document) array(f *frame) {
	if f.others || f.object {
		return
	}
	if f.pair && len(f.more.strings) == 2 {
		if m := d.nameMeans(f.more.strings[0].text); m.level > 0 {
			v := f.more.strings[1]
			if m.takes(v.text, inMember) && !strings.Contains(v.text, "[REDACTED:") {
				f.index = int32(v.index)
				d.takeOut(v.from, v.to, v.text, kindOf(v.text, m.kind))
			}
			return
		}
	}
	if f.more.command != "" || d.isCommand(f.more.strings) {
		d.commandLine(f)
	}
}

// isCommand tells whether strings are the words of a command: it has an option, or
// begins with a program that takes secrets.
func (d *document) isCommand(words []piece) bool {
	for _, p := range words {
		if len(p.text) > 1 && p.text[0] == '-' && p.text[1] != ' ' {
			return true
		}
	}
	first := words[0].text
	return takers().programs[first[strings.LastIndexByte(first, '/')+1:]]
}

// commandLine reads an array as a line of a shell.
func (d *document) commandLine(f *frame) {
	var line strings.Builder
	if f.more.command != "" && strings.IndexByte(f.more.command, '\n') < 0 {
		line.WriteString(f.more.command + " ")
	}
	at := make([]int, len(f.more.strings))
	for i, p := range f.more.strings {
		word := p.text
		if strings.ContainsAny(word, " \t\n\"'`\\;|&(){}<>,") || word == "" {
			if strings.IndexByte(word, '\'') >= 0 {
				word = "_" // it was looked at as a text
			} else {
				word = "'" + word + "'"
			}
		}
		at[i] = line.Len()
		if word != p.text {
			at[i]++
		}
		line.WriteString(word)
		line.WriteByte(' ')
	}
	s := strings.TrimSuffix(line.String(), " ")
	w := walker{reader: d.reader, text: s, places: []span{}}
	w.walk()
	for _, x := range w.places {
		for i, p := range f.more.strings {
			if x.from < at[i] || x.to > at[i]+len(p.text) || p.text == "" || s[at[i]:at[i]+len(p.text)] != p.text {
				continue
			}
			from, to := x.from-at[i], x.to-at[i]
			found := 1 + strings.Count(p.text, "[REDACTED:")
			f.more.strings[i].text = "" // once
			f.index = int32(p.index)
			d.edit(edit{p.from, p.to, p.text[:from] + mark(x.kind) + p.text[to:], found, d.path()})
		}
	}
}
