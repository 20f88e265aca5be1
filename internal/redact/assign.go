package redact

import "strings"

// sign looks at an = or : and the name before it.
func (w *walker) sign() {
	s, i := w.text, w.at
	w.at++
	switch {
	case w.known:
		return
	case strings.HasPrefix(s[i:], "://"):
		w.at = i + len("://")
		w.beside("://", i, i, meaning{})
		return
	case s[i] == ':' && byteAt(s, run(s, i+1, i+7, &inPort)) == ':' && w.beside(":port", i, i, meaning{}):
		return
	case strings.HasPrefix(s[i:], "=="), beforeEqual.has(byteAt(s, i-1)):
		return // a comparison
	}
	name, left := nameBefore(s, i, w.copied)
	if name == "" || w.cookie(name, i) || w.special(name, left, i) {
		return
	}
	m := w.meaningAt(name, left, i)
	if m.level == 0 {
		if byteAt(s, left-1) == '"' && w.telling(name, i) {
			w.document(left)
		}
		return
	}
	if strings.HasPrefix(s[i:], "=>") {
		i++
	}
	if w.tooNested(i) {
		return
	}
	c := w.candidate(valueAfter(s, i), m)
	c.name, c.left, c.sign = name, left, i
	text := c.quoted && c.to > c.from
	if member := byteAt(s, left-1) == '"'; member && !text {
		if w.document(left); w.copied > i {
			return
		}
	}
	w.assigned(c)
}

var (
	inPort      = chars("0-9*")
	beforeEqual = chars("=!<>")
)

// special looks at names that say something only where they stand.
func (w *walker) special(name string, left, i int) bool {
	colon := w.text[i] == ':'
	prev := byteAt(w.text, left-1)
	switch kind := ""; {
	case colon && digit.has(name[len(name)-1]):
		return w.beside(":digits", i, i, meaning{})
	case name == "thin", name == "oci", colon && name == "pass":
		return w.beside(name, left, i, meaning{})
	case prev == '&', prev == '?':
		if kind = nameMaps().query[name].kind; kind != "" {
			w.query(i+1, kind)
			return true
		}
	}
	return false
}

// assigned looks at the value behind a name and a sign.
func (w *walker) assigned(c *candidate) {
	switch s := w.text; {
	case c.from >= c.to && class[byteAt(s, c.from)] == brace:
		w.document(c.from - 1)
	case c.from >= c.to && s[c.sign] == ':' && c.spaced:
		w.block(c)
	case c.from >= c.to:
		if c.kind == "credential" && byteAt(s, c.from) == '(' { // auth=("user", "X")
			w.beside("login", c.sign, c.from, meaning{})
		}
	case c.kind == "authorization":
		w.authorization(c)
	default:
		if !c.quoted {
			w.nests(c.from, c.to)
		}
		c.place = placeNames[c.says("where")]
		if c.is("whole-line") {
			w.wholeLine(c)
		}
		if c.place != nowhere {
			w.takeFits(c)
		}
	}
}

// placeNames are what the check "where" says.
var placeNames = map[string]place{"prose": inProse, "line": inLine, "quotes": inQuotes, "data": inData}

// wholeLine takes the rest of a line for the value of a name.
func (w *walker) wholeLine(c *candidate) {
	c.value = wholeLine(w.text, c.value, c.name)
	c.text = w.text[c.from:c.to]
	if c.quoted {
		c.place = inQuotes
	}
}

// meaningAt is what the name before a sign says; it may be "value", behind a
// name of its own, or take the word before it to say anything.
func (w *walker) meaningAt(name string, left, i int) meaning {
	s := w.text
	if m := w.secretName(name); m.level > 0 {
		return m
	}
	from := max(w.copied, left-looked/2)
	switch {
	case len(name) > 3:
		return w.valueOf(name, s[from:left], s[i])
	case s[i] != ':' || left <= from+3 || s[left-1] != ' ':
	case strings.EqualFold(name, "key"): // "API key: X"
		return w.weakly(s[back(s, left-1, from, &wordy):i])
	case all(name, &digit): // "Unseal Key 1: X"
		key := back(s, left-1, from, &wordy)
		return w.weakly(s[back(s, max(from, key-1), from, &wordy):i])
	}
	return meaning{}
}

// weakly is what a name of several words says, of which nobody is sure.
func (w *walker) weakly(name string) meaning {
	m := w.secretName(name)
	return meaning{m.kind, min(m.level, unsure)}
}

// valueOf is what a name says that stands before a value as a value itself:
// name: DB_PASSWORD, "key": "token", name="connection.password"; or the name of the
// block of Terraform that a default stands in: variable "db_password" {.
func (w *walker) valueOf(name, before string, sign byte) meaning {
	switch {
	case name == "default" && sign == '=':
		name, _ := meant("variable-name", before)
		return w.nameMeans(name)
	case strings.EqualFold(name, "value"), name == "ParameterValue":
		if rest, ok := meant("pair-name", before); ok {
			v := valueAfter(rest, 0)
			return w.nameMeans(rest[v.from:v.to])
		}
	}
	return meaning{}
}

// block takes the lines of a block of YAML out, which begins at a | or a > behind the
// name: lines that stand deeper than the name.
func (w *walker) block(c *candidate) {
	s := w.text
	deep := len(lineBefore(s, c.left, c.left))
	end := run(s, c.from, c.from+3, &blockSigns)
	if end == c.from || byteAt(s, end) != '\n' {
		return
	}
	for n := 0; n < 64 && end < len(s); n++ {
		from := run(s, end+1, end+looked, &indents)
		if from-end-1 <= deep {
			return
		}
		end = from + len(lineBehind(s, from, len(s)))
		line := w.candidate(value{from: from, to: end}, c.meaning)
		line.place = inQuotes
		w.takeFits(line)
	}
}

var (
	blockSigns = chars("|>+-")
	indents    = chars(" \t+")
)

// telling tells whether a member says something of the members beside it that only
// shows in the document.
func (w *walker) telling(name string, i int) bool {
	switch name {
	case "stdin", "sensitive", "kty", "stringData", "cookies":
		return true
	case "key", "type":
		v := valueAfter(w.text, i)
		text := w.text[v.from:v.to]
		secret := len(text) >= 16 && random(text)
		if name == "type" {
			secret = strings.IndexByte(text, '_') > 0 && w.nameMeans(text).level > 0
		}
		return secret
	}
	return false
}
