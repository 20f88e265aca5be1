package redact

import "strings"

// element takes the content of <password>X</password> out, of
// <property name="db.password">X</property>, and of what follows
// <key>token</key>. end is the place of a > behind the name.
func (w *walker) element(start, end int) {
	s := w.text
	if start > 0 && (s[start-1] == '<' || s[start-1] == ':') {
		w.content(end+1, w.secretName(s[start:end]))
	}
}

// afterElement looks behind </key>, where a list of properties has the value.
func (w *walker) afterElement(start, end int) {
	s := w.text
	if strings.HasPrefix(s[end:], "</key>") {
		at := run(s, end+len("</key>"), len(s), anyByte(" \n\t\r"))
		if strings.HasPrefix(s[at:], "<string>") {
			w.content(at+len("<string>"), w.secretName(s[start:end]))
		}
	}
}

// content takes what stands before the next < out.
func (w *walker) content(from int, m meaning) {
	s := w.text
	most := min(len(s), from+8*looked)
	if m.level == 0 || from >= most {
		return
	}
	n := strings.IndexByte(s[from:most], '<')
	if n <= 0 || s[from+n+1:] == "" || s[from+n+1] != '/' && s[from+n+1] != '!' {
		return
	}
	text := s[from : from+n]
	p := inData
	plain := m.kind != "password" || len(text) < 8 // too short or too common without a digit
	if strings.Contains(strings.TrimSpace(text), " ") || plain && !hasDigit(text) {
		p = inQuotes
	}
	if m.fits(text, p) {
		w.replace(from, from+n, kindOf(text, m.kind))
	}
}

// quotedName looks behind a name in quotes: ("DB_PASSWORD", "X"),
// name="db.password">X<, ["password", "X"].
func (w *walker) quotedName(start, end int) {
	s := w.text
	at := end
	if s[at] == '\\' {
		at++
	}
	at++ // the quote
	if at >= len(s) || s[at] != ')' && s[at] != '>' && s[at] != ',' {
		return // most names are a member's, which sign looks at
	}
	m := w.secretName(s[start:end])
	if m.level == 0 {
		return
	}
	if at < len(s) && s[at] == ')' && start > 0 && at+1 < len(s) && s[at+1] == ',' {
		at++
	}
	switch {
	case at >= len(s):
	case s[at] == '>' && s[end] != '\\' && s[end] == '"' && strings.Contains(s[max(0, start-64):start], "="):
		w.content(at+1, m)
	case s[at] == ',':
		// ("name", "X") and not one of a list of names
		left := start - 1
		for left > 0 && (wordy(s[left]) || strings.IndexByte(".\\\"'` ", s[left]) >= 0) && start-left < 64 {
			left--
		}
		if left < 0 || strings.IndexByte("([{", s[left]) < 0 {
			return
		}
		v := valueAfter(s, at)
		if !v.quoted {
			return
		}
		text := s[v.from:v.to]
		if m.kind == "authorization" {
			w.authorization(v)
		} else if m.fits(text, inQuotes) && (mixed(text) || hasSymbol(text)) {
			w.replace(v.from, v.to, kindOf(text, m.kind))
		}
	}
}

// spoken takes a password out that stands behind its name as in a sentence
// ("the password is X"), in a netrc file ("login bob password X"), in a
// statement of SQL ("PASSWORD 'X'") or in a line of settings ("requirepass X").
func (w *walker) spoken(start, end int) {
	s := w.text
	if end-start == 3 && strings.EqualFold(s[start:end], "key") && start > 2 && s[start-1] == ' ' { // "the API key is X"
		for start--; start > 0 && wordy(s[start-1]); start-- {
		}
	}
	m := w.secretName(s[start:end])
	if m.level == 0 {
		return
	}
	rest := strings.TrimLeft(s[end:min(len(s), end+looked)], " \t")
	at := end + len(s[end:min(len(s), end+looked)]) - len(rest)
	sentence := false
	for _, verb := range []string{"is ", "was ", "is: "} {
		if strings.HasPrefix(rest, verb) {
			sentence, at = true, at+len(verb)
			if i := strings.Index(rest[:min(len(rest), 80)], ": "); strings.HasPrefix(rest, "is generated for ") && i > 0 {
				at += i + 2 - len(verb)
			}
			break
		}
	}
	v := valueAfter(s, at-1)
	for v.to > v.from && !v.quoted && strings.IndexByte(".?:", s[v.to-1]) >= 0 {
		v.to--
	}
	if v.to <= v.from {
		return
	}
	text := s[v.from:v.to]
	if len(text) < 6 || text[0] == '$' || harmlessValue(text) || strings.ContainsAny(text, " (){}[]<>") {
		return
	}
	alone := v.to == len(s) || s[v.to] == '\n'
	var out bool
	switch {
	case sentence:
		out = mixed(text) && (m.kind == "password" || len(text) >= 8)
	case strings.Contains(s[max(0, start-looked):start], "login ") && m.level == sure:
		out = hasDigit(text) || alone && strings.Contains(s[max(0, start-looked):start], "machine ")
	case m.level == sure && strings.Contains(s[max(0, start-32):start], " set "): // aws configure set NAME X
		out = len(text) >= 8 && mixed(text)
	case v.quoted:
		out = m.fits(text, inQuotes) && (s[start] < 'a' || mixed(text)) // PASSWORD 'X'
	case s[start:end] == "requirepass" || s[start:end] == "masterauth":
		out = true
	default:
		// A hash of a commit is no password, and most words behind "token" are none.
		out = mixed(text) && (random(text) || m.kind == "password" && threeClasses(text)) && !isPath(text) && (v.to == len(s) || strings.IndexByte(" \t\r\n;\"'", s[v.to]) >= 0)
		if m.level == unsure {
			out = out && len(text) >= 16 && m.kind != "password"
		}
	}
	if out {
		w.replace(v.from, v.to, kindOf(text, m.kind))
	}
}

// logins are functions that take a user and a password.
var logins = words(`login auth SetBasicAuth basicAuth basic_auth BasicAuth HTTPBasicAuth getConnection authenticate PasswordAuthentication PDO UsernamePasswordCredentials
	sign_in signIn NetworkCredential PlainAuth PlainCredentials HTTPDigestAuth`)

// called looks at a word before a bracket.
func (w *walker) called(start, end int) {
	switch s := w.text; s[start:end] {
	case "tcp", "unix": // user:password@tcp(host:port)/database
		left := start - 1
		for left > 0 && start-left < 128 && strings.IndexByte(" \t\r\n\"'`", s[left-1]) < 0 {
			left--
		}
		if user, pass, ok := strings.Cut(s[max(0, left):start], ":"); ok && user != "" && len(pass) > 1 && pass[len(pass)-1] == '@' && !strings.Contains(pass, "(") {
			w.take(value{from: start - len(pass), to: start - 1}, "password")
		}
	case "sendline":
		w.sent(start, end)
	case "PASSWORD", "password": // SET PASSWORD FOR bob = PASSWORD('X')
		if v := valueAfter(s, end); v.quoted && strings.HasSuffix(strings.TrimRight(s[max(0, start-8):start], " "), "=") && v.to+1 < len(s) && s[v.to+1] == ')' {
			w.take(v, "password")
		}
	default:
		if logins()[s[start:end]] {
			w.call(end)
		}
	}
}

// call takes the last literal of a call out that hands on a user and a
// password. i is the bracket.
func (w *walker) call(i int) {
	s := w.text
	end := i + 1
	var last value
	n := 0
	for end < len(s) && end-i < looked && s[end] != ')' && s[end] != '\n' {
		if c := s[end]; c == '"' || c == '\'' || c == '`' {
			stop := strings.IndexByte(s[end+1:min(len(s), end+looked)], c)
			if stop < 0 {
				return
			}
			last, n = value{from: end + 1, to: end + 1 + stop, quoted: true}, n+1
			end += stop + 2
			continue
		}
		if s[end] == ',' {
			last = value{}
			n++
		}
		end++
	}
	if n >= 2 && last.to > 0 && end < len(s) && s[end] == ')' {
		if text := s[last.from:last.to]; len(text) >= 6 && (mixed(text) || hasSymbol(text)) && !harmlessValue(text) && !strings.ContainsAny(text, " /.:") {
			w.replace(last.from, last.to, "password")
		}
	}
}

// identified takes the password of IDENTIFIED BY 'X' out, and of IDENTIFIED
// WITH plugin BY 'X'.
func (w *walker) identified(end int) {
	s := w.text
	near := s[end:min(len(s), end+96)]
	i := strings.Index(strings.ToUpper(near), " BY ")
	before := strings.ToUpper(s[max(0, end-looked/2):end])
	if i < 0 || strings.ContainsAny(near[:i], ";\n") || !strings.Contains(before, "USER") && !strings.Contains(before, "GRANT") && !strings.Contains(before, "ROLE") {
		return
	}
	at := end + i + len(" BY ")
	if rest := s[at:min(len(s), at+len("PASSWORD "))]; strings.EqualFold(rest, "PASSWORD ") {
		at += len(rest)
	}
	v := valueAfter(s, at-1)
	text := s[v.from:v.to]
	if v.to > v.from && (v.quoted && !placeholder(text) && !template(text) || mixed(text) && !harmlessValue(text)) {
		w.replace(v.from, v.to, "password")
	}
}

// pgpass takes the password of a line host:port:database:user:password out. i
// is the first colon.
func (w *walker) pgpass(i int) bool {
	s := w.text
	left := i
	for left > 0 && i-left < 128 && (wordy(s[left-1]) || s[left-1] == '.' || s[left-1] == '*') {
		left--
	}
	if left == i || left > 0 && s[left-1] != '\n' {
		return false
	}
	end := i
	for end < len(s) && end-i < looked && strings.IndexByte(" \t\r\n\"'(", s[end]) < 0 {
		end++
	}
	if end < len(s) && s[end] != '\n' && s[end] != '\r' {
		return false
	}
	parts := strings.SplitN(s[i+1:end], ":", 4)
	if len(parts) != 4 || parts[0] != "*" && (len(parts[0]) < 4 || !allDigits(parts[0])) {
		return false
	}
	pass := parts[3]
	if len(pass) < 4 || placeholder(pass) || strings.Contains(pass, ":") {
		return false
	}
	w.replace(end-len(pass), end, "password")
	return true
}
