package redact

import "strings"

// looked bounds how far a rule looks around the place that woke it, in bytes.
const looked = 512

// sign looks at an = or : and the name before it.
func (w *walker) sign() {
	i := w.at
	w.at++
	s := w.text
	if s[i] == ':' && strings.HasPrefix(s[i:], "://") {
		w.url(i)
		return
	}
	if i+1 < len(s) && s[i] == '=' && (s[i+1] == '=' || s[i+1] == '>') || i > 0 && strings.IndexByte("=!<>", s[i-1]) >= 0 {
		return // a comparison, an arrow
	}
	name, left := nameBefore(s, i, w.copied)
	if name == "" || w.cookie(name, i) {
		return
	}
	if s[i] == ':' && digit(name[len(name)-1]) {
		w.bot(i)
	}
	kind, ok := secretName(name)
	if !ok {
		return
	}
	v := valueAfter(s, i)
	if v.from >= v.to {
		return
	}
	text := s[v.from:v.to]
	if kind == "authorization" {
		w.authorization(v)
		return
	}
	if v.quoted && literal(text) || !v.quoted && bare(s, name, left, i, v) {
		w.replace(v.from, v.to, kindOf(text, kind))
	}
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

// nameBefore is the name before a sign, without quotes and spaces; left is
// where it begins, not before from, where a secret has ended.
func nameBefore(s string, i, from int) (name string, left int) {
	end := i
	least := max(from, i-looked)
	if end > least && s[end-1] == ':' {
		end-- // Pascal's and Go's :=
	}
	for end > least && strings.IndexByte(" \t\"'`\\", s[end-1]) >= 0 {
		end--
	}
	left = end
	for left > least && (class[s[left-1]] == word || s[left-1] == '.') {
		left--
	}
	return s[left:end], left
}

// value is a place in the text.
type value struct {
	from, to int
	quoted   bool
	spaced   bool // white space stands before it
}

// stops are the characters at which an unquoted value ends.
var stops = func() (t [256]bool) {
	for _, c := range []byte(" \t\r\n\"'`,;&<>|(){}") {
		t[c] = true
	}
	return t
}()

// valueAfter is what follows a sign on the same line.
func valueAfter(s string, i int) value {
	at := i + 1
	if at < len(s) && s[at] == '=' {
		at++ // :=
	}
	v := value{from: at}
	for v.from < len(s) && (s[v.from] == ' ' || s[v.from] == '\t') {
		v.from++
	}
	v.spaced = v.from > at
	quote := ""
	for _, q := range []string{`\"`, `\'`, `"`, `'`, "`"} {
		if strings.HasPrefix(s[v.from:], q) {
			quote = q
			break
		}
	}
	most := min(len(s), v.from+8*looked)
	if quote != "" {
		v.quoted = true
		v.from += len(quote)
		n := strings.Index(s[min(v.from, most):most], quote)
		if n < 0 {
			v.to = v.from
			return v
		}
		v.to = v.from + n
		return v
	}
	v.to = v.from
	for most = min(most, v.from+2*looked); v.to < most && !stops[s[v.to]]; v.to++ {
		if s[v.to] == '\\' && strings.HasPrefix(s[v.to:], `\n`) {
			break
		}
	}
	return v
}

// literal tells whether a quoted value in a text is a secret: a word that is
// no placeholder and no name of something.
func literal(v string) bool {
	if placeholder(v) || strings.ContainsAny(v, " \t\n{}()<>%$") || reference(v) {
		return false
	}
	return len(v) >= 8 || len(v) >= 6 && hasDigit(v)
}

// bare tells whether an unquoted value is a secret: a line of an environment
// file, an export, a query, a line of YAML; not an expression of a program.
func bare(s, name string, left, i int, v value) bool {
	text := s[v.from:v.to]
	if placeholder(text) || strings.ContainsAny(text, "$[]*%\\") || text[0] == '/' || text[0] == '.' || text[0] == '~' || text[0] == '@' {
		return false
	}
	if v.to < len(s) && strings.IndexByte("({<", s[v.to]) >= 0 || reference(text) {
		return false
	}
	shouting := name == strings.ToUpper(name)
	if s[i] == '=' && !v.spaced && left > 0 {
		// A connection string's part, a query's.
		switch s[left-1] {
		case ';':
			if len(text) >= 6 {
				return true
			}
		case '?', '&':
			if len(text) >= 8 && s[i-1] != ' ' {
				return true
			}
		}
	}
	switch {
	case s[i] == '=' && !v.spaced && s[i-1] != ' ' && s[i-1] != ':':
		// NAME=value
		return shouting && len(text) >= 4 || len(text) >= 6 && hasDigit(text) && !allDigits(text)
	case s[i] == '=' && s[i-1] != ':' && v.spaced && lineStart(s, left):
		// name = value, as in ~/.aws/credentials: no expression of a program
		return lineEnd(s, v.to) && len(text) >= 12 && hasDigit(text) && !allDigits(text) && !strings.Contains(text, ".")
	case s[i] == ':' && headerStart(s, left):
		return len(text) >= 8 && hasDigit(text) && !allDigits(text)
	case s[i] == ':' && lineStart(s, left):
		// name: value, and nothing behind it
		return lineEnd(s, v.to) && len(text) >= 6 && (hasDigit(text) || shouting) && !allDigits(text)
	case s[i] == ':' && v.spaced:
		// in a sentence, or in what a program prints
		kind, _ := secretName(name)
		return kind == "password" && len(text) >= 8 && hasDigit(text) && !allDigits(text)
	}
	return false
}

// lineEnd tells whether nothing but a comment stands behind a place on its
// line.
func lineEnd(s string, at int) bool {
	rest := strings.TrimLeft(s[at:min(len(s), at+8)], " \t\r")
	return rest == "" || rest[0] == '\n' || rest[0] == '#' || strings.HasPrefix(rest, `\n`)
}

// headerStart tells whether a name begins the value of curl's -H.
func headerStart(s string, at int) bool {
	for at > 0 && (s[at-1] == '"' || s[at-1] == '\'' || s[at-1] == '\\') {
		at--
	}
	before := strings.TrimRight(s[max(0, at-16):at], " =")
	return strings.HasSuffix(before, "-H") || strings.HasSuffix(before, "--header")
}

// flag takes the value of --password VALUE and its like out.
func (w *walker) flag(start, end int) {
	kind, ok := secretName(strings.TrimLeft(w.text[start:end], "-"))
	if !ok || end >= len(w.text) || w.text[end] != ' ' {
		return
	}
	v := valueAfter(w.text, end-1)
	if text := w.text[v.from:v.to]; v.from < v.to && text[0] != '-' && text[0] != '$' && text[0] != '/' && literal(text) && hasDigit(text) {
		w.replace(v.from, v.to, kindOf(text, kind))
	}
}

// lineStart tells whether only white space, a list's dash or a quote stands
// before a place on its line.
func lineStart(s string, at int) bool {
	for at > 0 && strings.IndexByte(" \t-\"'", s[at-1]) >= 0 {
		at--
	}
	return at == 0 || s[at-1] == '\n' || at > 1 && s[at-2:at] == `\n`
}

// authorization takes the credential of an HTTP header out, and leaves the
// scheme.
func (w *walker) authorization(v value) {
	text := w.text[v.from:v.to]
	for _, scheme := range []string{"Bearer", "Basic", "Token", "token", "bearer", "basic"} {
		if text == scheme || strings.HasPrefix(text, scheme+" ") {
			from := v.from + len(scheme)
			for from < len(w.text) && w.text[from] == ' ' {
				from++
			}
			w.credential(from, 6)
			return
		}
	}
	if literal(text) && hasDigit(text) {
		w.replace(v.from, v.to, "authorization")
	}
}

// bearer looks at what follows the word Bearer.
func (w *walker) bearer(at int) {
	if at < len(w.text) && w.text[at] == ' ' {
		w.credential(at+1, 20)
	}
}

// credential takes a run of token characters out where it is long enough.
func (w *walker) credential(from, least int) {
	to := from
	for to < len(w.text) && (base64ish(w.text[to]) || strings.IndexByte(".~", w.text[to]) >= 0) {
		to++
	}
	if text := w.text[from:to]; len(text) >= least && !placeholder(text) && (hasDigit(text) || len(text) >= 24) {
		w.replace(from, to, kindOf(text, "authorization"))
	}
}

// curlUser takes the password of curl's -u user:password out.
func (w *walker) curlUser(start, end int) {
	before := w.text[max(0, start-looked):start]
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i:]
	}
	if !strings.Contains(before, "curl") || end >= len(w.text) || w.text[end] != ' ' && w.text[end] != '=' {
		return
	}
	v := valueAfter(w.text, end)
	if _, secret, ok := strings.Cut(w.text[v.from:v.to], ":"); ok && secret != "" && !placeholder(secret) && secret[0] != '$' {
		w.replace(v.to-len(secret), v.to, "password")
	}
}

// url takes the password of scheme://user:password@host out, and the secret
// part of a Slack webhook.
func (w *walker) url(i int) {
	from := i + 3
	w.at = from
	stop := from
	for stop < len(w.text) && stop-from < 4096 && strings.IndexByte("/?# \t\r\n\"'`<>\\", w.text[stop]) < 0 {
		stop++
	}
	authority := w.text[from:stop]
	if authority == "hooks.slack.com" && strings.HasPrefix(w.text[stop:], "/services/") {
		path := stop + len("/services/")
		end := path
		for end < len(w.text) && (alnum(w.text[end]) || w.text[end] == '/') {
			end++
		}
		if end-path >= 20 {
			w.replace(path, end, "slack-webhook")
		}
		return
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return
	}
	_, secret, ok := strings.Cut(authority[:at], ":")
	if ok && secret != "" && !placeholder(secret) {
		w.replace(from+at-len(secret), from+at, "password")
		return
	}
	if !ok && at >= 20 && hasDigit(authority[:at]) && !placeholder(authority[:at]) {
		w.replace(from, from+at, kindOf(authority[:at], "password"))
	}
}
