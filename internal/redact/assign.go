package redact

import "strings"

// sign looks at an = or : and the name before it.
func (w *walker) sign() {
	i := w.at
	w.at++
	s := w.text
	if s[i] == ':' && strings.HasPrefix(s[i:], "://") {
		w.url(i)
		return
	}
	if s[i] == ':' && i+1 < len(s) && (digit(s[i+1]) || s[i+1] == '*') && w.pgpass(i) {
		return
	}
	arrow := s[i] == '=' && i+1 < len(s) && s[i+1] == '>'
	if i+1 < len(s) && s[i] == '=' && s[i+1] == '=' || i > 0 && strings.IndexByte("=!<>", s[i-1]) >= 0 {
		return // a comparison
	}
	name, left := nameBefore(s, i, w.copied)
	if name == "" || w.cookie(name, i) {
		return
	}
	if s[i] == ':' && digit(name[len(name)-1]) {
		w.bot(i)
		w.asana(i)
	}
	if name == "thin" || name == "oci" { // jdbc:oracle:thin:user/password@host
		w.slashed(i)
	}
	if left > 0 && (s[left-1] == '&' || s[left-1] == '?') {
		if kind := queryName(name); kind != "" {
			w.query(i+1, kind)
			return
		}
	}
	m := w.meaningAt(name, left, i, w.copied)
	if m.level == 0 {
		if left > 0 && s[left-1] == '"' && w.telling(name, i) {
			w.document(left)
		}
		return
	}
	if arrow {
		i++
	}
	if w.tooNested(i) {
		return
	}
	v := valueAfter(s, i)
	if v.from >= v.to {
		if v.from < len(s) && class[s[v.from]] == brace {
			w.document(v.from - 1)
			return
		}
		if v.spaced && s[i] == ':' {
			w.block(m, left, v.from)
		}
		if s[i] == '=' && v.from < len(s) && s[v.from] == '(' && m.kind == "credential" {
			w.call(v.from) // auth=("user", "X")
		}
		return
	}
	if m.kind == "authorization" {
		w.authorization(v)
		return
	}
	if !v.quoted {
		w.nests(v.from, v.to)
	}
	text := s[v.from:v.to]
	if s[i] == ':' && name == "pass" && opensslPass(s, left) {
		w.take(v, "password")
		return
	}
	p := inQuotes
	if !v.quoted {
		if v.to < len(s) && strings.IndexByte("({<", s[v.to]) >= 0 && s[v.to] != '<' {
			return // a call
		}
		p = w.placeOf(name, m, left, i, v)
		if p == inLine && s[i] == ':' && m.kind == "password" && v.to < len(s) && s[v.to] == ' ' {
			v = wholeLine(s, v, name)
			if text = s[v.from:v.to]; v.quoted {
				p = inQuotes
			}
		}
	} else if name == strings.ToUpper(name) && s[i] == '=' && !v.spaced {
		p = inData
	}
	if p >= inProse && m.fits(text, p) {
		w.replace(v.from, v.to, kindOf(text, m.kind))
	}
}

// meaningAt is what the name before a sign says; it may be "value", behind a
// name of its own, or take the word before it to say anything.
func (w *walker) meaningAt(name string, left, i, from int) meaning {
	s := w.text
	if m := w.secretName(name); m.level > 0 {
		return m
	}
	switch len(name) {
	case 3, 1, 2:
		// "API key: X", "Unseal Key 1: X"
		if (strings.EqualFold(name, "key") || allDigits(name)) && left > from+3 && s[left-1] == ' ' && s[i] == ':' {
			at := left - 1
			if allDigits(name) {
				for at > from && wordy(s[at-1]) {
					at--
				}
				if at--; at <= from || s[at] != ' ' {
					return meaning{}
				}
			}
			for at > from && wordy(s[at-1]) {
				at--
			}
			m := w.secretName(s[at:i])
			return meaning{m.kind, min(m.level, unsure)}
		}
	case 5:
		if strings.EqualFold(name, "value") {
			return w.pairedName(s[max(from, left-looked/2):left])
		}
	case 7:
		if name == "default" && s[i] == '=' {
			return w.variable(s[max(from, left-looked/2):left])
		}
	case 14:
		if name == "ParameterValue" {
			return w.pairedName(s[max(from, left-looked/2):left])
		}
	}
	return meaning{}
}

// block takes the lines of a block of YAML out, which begins at a | or a > behind the
// name at left: lines that stand deeper than the name.
func (w *walker) block(m meaning, left, at int) {
	s := w.text
	line := strings.LastIndexByte(s[:left], '\n') + 1
	end := run(s, at, at+3, anyByte("|>+-"))
	if end == at || end >= len(s) || s[end] != '\n' {
		return
	}
	for n := 0; n < 64 && end < len(s); n++ {
		from := run(s, end+1, end+looked, anyByte(" \t+"))
		if from-end-1 <= left-line {
			return
		}
		end = from + strings.IndexByte(s[from:]+"\n", '\n')
		if text := s[from:end]; m.fits(text, inQuotes) {
			w.replace(from, end, kindOf(text, m.kind))
		}
	}
}

// telling tells whether a member says something of the members beside it that only
// shows in the document.
func (w *walker) telling(name string, i int) bool {
	switch name {
	case "stdin", "sensitive", "kty", "stringData":
		return true
	case "key":
		v := valueAfter(w.text, i)
		return v.to-v.from >= 16 && random(w.text[v.from:v.to])
	case "type":
		_, v, _ := strings.Cut(w.text[i:min(i+128, len(w.text))], `"`)
		v, _, _ = strings.Cut(v, `"`)
		return strings.IndexByte(v, '_') > 0 && w.nameMeans(v).level > 0
	}
	return false
}

// pairedName is what a name says that stands before a value as a value itself:
// name: DB_PASSWORD, "key": "token", name="connection.password".
func (w *walker) pairedName(before string) meaning {
	best, lines := -1, 0
	for i := len(before) - 1; i > 0 && best < 0; i-- {
		switch before[i] {
		case '\n':
			if lines++; lines > 3 {
				return meaning{}
			}
		case '{', '}', '[', ']', '<', '>':
			return meaning{} // another's
		case 'e', 'y', 'r':
			if (i+1 == len(before) || !wordy(before[i+1])) && nameWord(before[:i+1]) {
				best = i + 1
			}
		}
	}
	if best < 0 {
		return meaning{}
	}
	for best < len(before) && (before[best] == '"' || before[best] == '\\' || before[best] == '\'' || before[best] == ' ') {
		best++
	}
	if best >= len(before) || class[before[best]] != sign {
		return meaning{}
	}
	v := valueAfter(before, best)
	return w.nameMeans(before[v.from:v.to])
}

// variable is what the name says of the block of Terraform that a default stands
// in: variable "db_password" {.
func (w *walker) variable(before string) meaning {
	block := before[strings.LastIndexByte(before, '}')+1:]
	at := strings.LastIndex(block, "variable \"")
	if at < 0 || strings.Count(block[at:], "{") != 1 {
		return meaning{}
	}
	name, _, _ := strings.Cut(block[at+len("variable \""):], "\"")
	return w.nameMeans(name)
}

// nameWord tells whether a text ends in a word behind which a name stands.
func nameWord(s string) bool {
	for _, n := range []string{"name", "Name", "key", "Key", "header"} {
		if strings.HasSuffix(s, n) {
			return true
		}
	}
	return false
}

// placeOf is where an unquoted value stands; less than inProse where it is part
// of a program.
func (w *walker) placeOf(name string, m meaning, left, i int, v value) place {
	s, text := w.text, w.text[v.from:v.to]
	if strings.ContainsAny(text, "[]\\") {
		return -1
	}
	if s[i] == ':' && !v.spaced && strings.IndexByte(text, ':') >= 0 {
		return -1 // parts of an id
	}
	shouting := name == strings.ToUpper(name)
	glued := s[i] == '=' && !v.spaced && (s[i-1] != ' ' && s[i-1] != ':' || shouting)
	if glued && left > 0 && strings.IndexByte(";?&", s[left-1]) >= 0 {
		return inData // a part of a connection string, of a query
	}
	switch {
	case glued && shouting:
		return inData // NAME=value
	case glued:
		if !mixed(text) && !hasSymbol(text) || typeName(text) {
			return -1
		}
		return inQuotes
	case s[i] == ':' && headerStart(s, left):
		return inLine
	case lineStart(s, left) && lineEnd(s, v.to) && s[i-1] != ':':
		if s[i] == ':' {
			if m.kind == "password" && allDigits(text) && len(text) < 6 {
				return -1
			}
			if shouting && hasLetter(text) && len(text) >= 6 {
				return inData
			}
			return inLine
		}
		if !hasLetter(text) || strings.Contains(text, ".") && !random(text) || !random(text) && len(text) < 12 {
			return -1
		}
		return inLine
	case lineStart(s, left) && s[i] == ':' && m.kind == "password" && !shouting:
		return inLine // where the line goes on, the whole of it counts
	case v.spaced || s[i] == ':':
		if v.to < len(s) && strings.IndexByte(";,", s[v.to]) >= 0 && !random(text) {
			return -1 // a parameter, a member
		}
		return inProse
	}
	return -1
}
