package redact

import "strings"

// option takes the password behind a program's option out.
func (w *walker) option(start, end int) {
	if end-start < 2 || !beforeOption.has(byteAt(w.text, start-1)) {
		return
	}
	opt := w.text[start:end]
	options := takers().options
	for i := range options {
		if o := &options[i]; opt[1] == o.option[1] && strings.HasPrefix(opt, o.option) && w.optionOf(o, start, end) {
			return
		}
	}
	if opt[1] == '-' {
		w.flag(start, end)
	}
}

var beforeOption = chars(" \t\n\"'[,\x00")

// optionOf takes the secret behind an option out that a program has; true where it is
// that program's, whether or not it has a secret.
func (w *walker) optionOf(o *taker, start, end int) bool {
	s, after := w.text, start+len(o.option)
	exact := after == end
	alone := exact && valueBegins.has(byteAt(s, end))
	way, separator := o.way, ""
	switch {
	case way == "after":
		exact = alone
	case way == "glued":
		exact = !alone
	case strings.HasPrefix(way, "user"):
		way, separator = "user", way[len("user"):]
		exact = exact || o.option[1] != '-'
	}
	if !exact || !w.cmd.runs(s, start, o.programs) {
		return false
	}
	v := valueAfter(s, after-1) // what is glued, or behind the blanks
	if byteAt(s, after) == '=' {
		v = valueAfter(s, after)
	}
	switch way {
	case "piped":
		w.piped(start)
	case "cookies":
		w.cookies(v.from)
	case "echo":
		if n := prefixLike("echo", s[v.from:v.to]); n > 0 {
			w.take("literal", value{from: v.from + n, to: v.to, quoted: v.quoted}, "password")
		}
	case "user":
		w.user(v, separator)
	default:
		return w.take("option", v, "password")
	}
	return true
}

var valueBegins = chars(" \t=")

// user takes the password out of a user and a password.
func (w *walker) user(v value, separator string) {
	name, secret, _ := strings.Cut(w.text[v.from:v.to], separator)
	v.from = v.to - len(secret)
	c := w.candidate(v, meaning{"password", sure})
	c.name = name
	if c.is("user") {
		w.replace(v.from, v.to, "password")
	}
}

// piped takes out what echo or printf hands on to a program that reads a
// password. at is in that program's command.
func (w *walker) piped(at int) {
	line := lineBefore(w.text, at, min(looked, max(0, at-w.copied)))
	end := strings.LastIndexByte(line, '|')
	if end < 0 {
		return
	}
	text, _ := meant("piped", strings.TrimRight(line[:end], " \t"))
	from := at - len(line) + strings.LastIndex(line[:end], text)
	if _, password, ok := strings.Cut(text, ":"); ok && strings.HasSuffix(w.text[:at], "chpasswd") {
		from, text = from+len(text)-len(password), password
	}
	w.take("piped", value{from: from, to: from + len(text)}, "password")
}

// here takes a text out that a here-string hands to a program which asks for
// a secret. i is the last of <<<.
func (w *walker) here(i int) {
	if like("asks", strings.ToLower(lineBefore(w.text, i, looked))) {
		w.take("here", valueAfter(w.text, i), "password")
	}
}

// flag takes the value of --password VALUE and its like out.
func (w *walker) flag(start, end int) {
	m := w.secretName(strings.TrimLeft(w.text[start:end], "-"))
	if m.level == 0 || byteAt(w.text, end) != ' ' {
		return
	}
	c := w.candidate(valueAfter(w.text, end-1), m)
	if c.is("flag") {
		w.replace(c.from, c.to, kindOf(c.text, m.kind))
	}
}

// store takes out what a command keeps that begins at a place and whose work it is to
// keep secrets.
func (w *walker) store(start, end int) {
	if !takers().programs[w.text[start:end]] {
		return
	}
	for _, o := range takers().stores {
		for _, p := range o.programs {
			rest, ok := strings.CutPrefix(w.text[start:], p)
			if !ok || !behindStore.has(byteAt(rest, 0)) {
				continue
			}
			end := start + len(p)
			if o.way != "stdin" {
				w.operands(o.way, end)
				continue
			}
			w.piped(end)
			w.handedOn(end)
		}
	}
}

var behindStore = chars(" \t\n\"'\x00")

// maxOperands bounds the operands of a command that are looked at.
const maxOperands = 32

// operands takes the secrets among the operands of a command out: the value of each
// name=value, or the last one.
func (w *walker) operands(way string, at int) {
	s, last := w.text, value{}
	for n := 0; n < maxOperands && byteAt(s, at) == ' '; n++ {
		v := valueAfter(s, at)
		if at = v.to; v.quoted {
			at++
		}
		if v.from >= v.to {
			break
		}
		if way == "pairs" {
			name := prefixLike("operand", s[v.from:v.to])
			if name > 0 {
				w.take("kept", value{from: v.from + name, to: v.to, quoted: v.quoted}, "secret")
			}
		} else if s[v.from] != '-' {
			last = v
		}
	}
	w.take("kept", last, "secret") // an empty one is none
}

// handedOn takes out what a here-document or a here-string hands to a command.
func (w *walker) handedOn(at int) {
	s := w.text
	line := at - len(lineBefore(s, at, at))
	stop := at + len(lineBehind(s, at, looked))
	i := strings.Index(s[line:stop], "<<") + len("<<")
	if i < len("<<") {
		return
	}
	if byteAt(s, line+i) == '<' {
		w.take("kept", valueAfter(s, line+i), "secret")
		return
	}
	word := strings.Trim(s[line+i:run(s, line+i, line+i+32, &inMarker)], "-'\"")
	n := strings.Index(behind(s, stop+1, 8*looked), "\n"+word)
	if word != "" && n > 0 {
		w.take("handed", value{from: stop + 1, to: stop + 1 + n}, "secret")
	}
}

var inMarker = chars("'\"A-Z_-")
