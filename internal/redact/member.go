package redact

import "strings"

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
	switch len(key) {
	case len("cookie"), len("cookies"), len("set-cookie"):
		if strings.EqualFold(key, "cookie") || strings.EqualFold(key, "set-cookie") || strings.EqualFold(key, "cookies") {
			f.member = meaning{cookieKind, unsure}
		} else if key == "stringData" {
			f.member = meaning{"secret", unsure}
		}
	}
}

// says is what the names around say of a string that is a value, and where it
// stands.
func (f *frame) says() (meaning, place) {
	switch {
	case f.member.level > 0:
		return f.member, inMember
	case f.role == valueRole && f.more != nil && f.more.pair.level > 0:
		return f.more.pair, inMember
	case f.inherit.level == 0 || f.role == harmlessRole || f.role == nameRole && f.object:
		return meaning{}, 0
	case f.role == valueRole || f.role == holderRole || !f.object && f.inherit.level == sure:
		return f.inherit, inMember
	}
	return meaning{f.inherit.kind, unsure}, inMember
}

// argument notes an element of what may be a command line.
func (f *frame) argument(p piece) {
	a := f.with()
	if len(a.strings) >= maxArgv || len(p.text) > maxWord {
		f.argv, a.strings = false, nil
		return
	}
	p.text = strings.Clone(p.text)
	a.strings = append(a.strings, p)
}

// array looks at an array of strings that has ended: a command line, or a pair
// of a name and a value in a list.
func (d *document) array(f *frame) {
	if f.others || f.object {
		return
	}
	if len(f.more.strings) == 2 {
		if m := d.nameMeans(f.more.strings[0].text); m.level > 0 {
			v := f.more.strings[1]
			if m.takes(v.text, inMember) && !strings.Contains(v.text, "[REDACTED:") {
				f.index = int32(v.index)
				d.takeOut(v.from, v.to, v.text, kindOf(v.text, m.kind))
			}
			return
		}
	}
	dash := f.more.command != ""
	for _, p := range f.more.strings {
		dash = dash || strings.HasPrefix(p.text, "-")
	}
	if dash {
		d.commandLine(f)
	}
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
