package redact

import "strings"

// looked bounds how far a rule looks around the place that woke it, in bytes.
const looked = 512

// Where a value stands says how much it takes to be a secret.
type place int

const (
	inProse  place = iota // a sentence, an expression of a program
	inLine                // a line of settings
	inQuotes              // a literal
	inMember              // a member of a JSON document
	inData                // an environment, an element, a statement of SQL, a query
)

// fits tells whether a value is a secret, by what its name says and where it
// stands.
func (m meaning) fits(v string, p place) bool {
	if harmlessValue(v) || m.kind != "password" && (slug(v) || named(v)) {
		return false
	}
	if m.level == unsure {
		if m.kind == "password" {
			return len(v) >= 6 && mixed(v) && (p > inProse || random(v))
		}
		return len(v) >= 16 && random(v) || basic(v) || len(v) >= 20 && mixed(v) && p >= inQuotes
	}
	if strings.IndexByte(v, ' ') >= 0 && !strings.Contains(v, "KEY-----") {
		n := strings.Count(v, " ")
		return p >= inQuotes && (mixed(v) || m.kind == "password" && (n >= 2 || p >= inMember)) || n >= 11 && n <= 23 // a mnemonic
	}
	if m.kind == "password" {
		switch p {
		case inProse:
			return len(v) >= 8 && mixed(v)
		case inLine:
			return len(v) >= 6 && (hasDigit(v) || hasSymbol(v))
		case inQuotes:
			return len(v) >= 8 || len(v) >= 6 && hasDigit(v)
		case inMember:
			return len(v) >= 3
		}
		return len(v) >= 4
	}
	switch p {
	case inProse:
		return len(v) >= 16 && random(v) || len(v) >= 20 && mixed(v)
	case inLine:
		return len(v) >= 8 && mixed(v)
	case inQuotes:
		return len(v) >= 8 && mixed(v) || len(v) >= 20
	case inMember:
		return len(v) >= 6 && mixed(v) || len(v) >= 16 || len(v) >= 8 && m.kind == "secret"
	}
	return len(v) >= 8 || len(v) >= 4 && mixed(v)
}

// hasSymbol tells whether a character that words do not have stands in a value.
func hasSymbol(v string) bool {
	return len(v) > 2 && strings.ContainsAny(v[1:len(v)-1], "!@#$%^&*+=")
}

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
	}
	if name == "thin" || name == "oci" { // jdbc:oracle:thin:user/password@host
		w.slashed(i)
	}
	if kind, ok := queryNames[name]; ok && left > 0 && (s[left-1] == '&' || s[left-1] == '?') {
		w.query(i+1, kind)
		return
	}
	m := w.meaningAt(name, left, i, w.copied)
	if m.level == 0 {
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

// maxNested bounds the names that may stand in one value without a blank, each
// of which is judged: a=b=c=X.
const maxNested = 16

// nests notes the value of a name.
func (w *walker) nests(from, to int) {
	if from >= w.nestedEnd {
		w.nested = 0
	}
	w.nested, w.nestedEnd = w.nested+1, max(w.nestedEnd, to)
}

// tooNested tells whether so many names stand in the value around a place that
// one more is no assignment; else a text of names alone would cost its square.
func (w *walker) tooNested(at int) bool { return w.nested > maxNested && at < w.nestedEnd }

// meaningAt is what the name before a sign says; it may be "value", behind a
// name of its own, or take the word before it to say anything.
func (w *walker) meaningAt(name string, left, i, from int) meaning {
	s := w.text
	if kind, level := w.secretName(name); level > 0 {
		return meaning{kind, level}
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
			kind, level := w.secretName(s[at:i])
			return meaning{kind, min(level, unsure)}
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
	kind, level := w.writtenName(before[v.from:v.to])
	return meaning{kind, level}
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
	kind, level := w.writtenName(name)
	return meaning{kind, level}
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

// wholeLine is a value of several words that ends its line; an empty one where
// it is a sentence or goes on as a program.
func wholeLine(s string, v value, name string) value {
	to := v.to
	for to < len(s) && s[to] != '\n' && s[to] != '\r' && !strings.HasPrefix(s[to:], `\n`) && to-v.from < looked {
		to++
	}
	line := strings.TrimRight(s[v.from:to], " \t")
	if c := strings.Index(line, " #"); c >= 0 {
		line = strings.TrimRight(line[:c], " \t")
	}
	v.to = v.from + len(line)
	if strings.ContainsAny(line, "\"'`,;(){}[]<>|") || strings.HasSuffix(line, ".") {
		v.to = v.from
	}
	if !strings.HasSuffix(strings.ToLower(name), "phrase") && !(mixed(line) && line == strings.ToLower(line)) {
		v.to = v.from
	}
	v.quoted = v.to > v.from
	return v
}

// kindOf is the vendor's kind where the value is a token, else the name's.
func kindOf(value, kind string) string {
	end := 0
	for end < len(value) && class[value[end]] == word {
		end++
	}
	if end > 0 {
		if k, stop := token(value, 0, end); k != "" && stop == len(value) {
			return k
		}
	}
	return kind
}

// nameBefore is the name before a sign, without quotes, brackets, colours and
// spaces; left is where it begins, not before from, where a secret has ended.
func nameBefore(s string, i, from int) (name string, left int) {
	end := i
	least := max(from, i-looked)
	if end > least && s[end-1] == ':' {
		end-- // Pascal's and Go's :=
	}
	for end > least {
		c := s[end-1]
		if c == 'm' && end-least > 3 { // the end of a colour
			at := end - 1
			for at > least && (digit(s[at-1]) || s[at-1] == ';') {
				at--
			}
			if at > least+1 && s[at-1] == '[' && s[at-2] == '\x1b' {
				end = at - 2
				continue
			}
		}
		if c != ' ' && c != '\t' && c != '"' && c != '\'' && c != '`' && c != '\\' && c != ']' {
			break
		}
		end--
	}
	left = end
	for left > least && (class[s[left-1]] == word || s[left-1] == '.') {
		left--
	}
	if left > least && s[left-1] == '\\' && end-left > 5 && s[left] == 'u' && s[left+1] == '0' {
		left += 5 // an escape that nobody decoded
	}
	return s[left:end], left
}

// take takes a value out unless it only stands for a secret.
func (w *walker) take(v value, kind string) {
	if text := w.text[v.from:v.to]; len(text) >= 3 && text[0] != '$' && !placeholder(text) && !template(text) {
		w.replace(v.from, v.to, kindOf(text, kind))
	}
}
