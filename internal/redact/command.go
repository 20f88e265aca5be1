package redact

import "strings"

// option takes the password behind a program's option out.
func (w *walker) option(start, end int) {
	s := w.text
	if end-start < 2 || start > 0 && strings.IndexByte(" \t\n\"'[,", s[start-1]) < 0 {
		return
	}
	opt := s[start:end]
	options := takers().options
	for i := range options {
		if o := &options[i]; opt[1] == o.option[1] && strings.HasPrefix(opt, o.option) && w.optionOf(o, start, end) {
			return
		}
	}
	switch {
	case opt == "-b" || opt == "--cookie":
		if end < len(s) && (s[end] == ' ' || s[end] == '=') && w.runs(start, curl) {
			at := end + 1
			if at < len(s) && (s[at] == '"' || s[at] == '\'') {
				at++
			}
			w.cookies(at)
		}
	case opt == "--password-stdin" || opt == "--with-token" || opt == "--passphrase-fd" || opt == "--pass-stdin" || opt == "-S" && w.runs(start, sudo):
		w.piped(start)
	case opt == "--password-command":
		if v := valueAfter(s, end); v.quoted && strings.HasPrefix(s[v.from:v.to], "echo ") {
			v.from += len("echo ")
			w.take(v, "password")
		}
	case strings.HasPrefix(opt, "--"):
		w.flag(start, end)
	}
}

// optionOf takes the secret behind an option out that a program has; true where it is
// that program's, whether or not it has a secret.
func (w *walker) optionOf(o *taker, start, end int) bool {
	s, after := w.text, start+len(o.option)
	alone := after == end && end < len(s) && strings.IndexByte(" \t=", s[end]) >= 0
	parts, user := strings.CutPrefix(o.way, "user")
	if after >= len(s) || o.option[1] == '-' && after != end || !user && alone != (o.way == "after") {
		return false
	}
	if !w.runs(start, o.programs) {
		return false
	}
	v := valueAfter(s, after-1) // what is glued, or behind the blanks
	if s[after] == '=' {
		v = valueAfter(s, after)
	}
	text := s[v.from:v.to]
	if user {
		name, secret, _ := strings.Cut(text, parts)
		stands := placeholder(secret) || secret[0] == '$' || v.quoted && template(secret)
		if !stands && !strings.Contains(name, " ") {
			w.replace(v.to-len(secret), v.to, "password")
		}
		return true
	}
	if len(text) < 3 || strings.IndexByte("-$", text[0]) >= 0 || text[0] == '/' && !v.quoted || placeholder(text) {
		return false
	}
	w.replace(v.from, v.to, kindOf(text, "password"))
	return true
}

var curl, sudo = []string{"curl"}, []string{"sudo"}

// runs tells whether the command that a place belongs to begins with one of
// the programs.
func (w *walker) runs(at int, names []string) bool {
	s, c := w.text, &w.cmd
	i := max(c.seen, at-looked)
	if i > c.seen {
		c.n = 0
	}
	for i < at {
		switch b := s[i]; {
		case b == '\n' && (i == 0 || s[i-1] != '\\') || b == ';' || b == '|' || b == '&' || b == '(':
			c.n = 0
		case letter(b) || b == '7':
			from := i
			for i < at && (wordy(s[i]) || s[i] == '.') {
				i++
			}
			begins := from == 0 || strings.IndexByte(" /`'\"\t\n;|&(", s[from-1]) >= 0
			ends := i < len(s) && s[i] == ' ' && i-from < 24
			if begins && ends && takers().programs[s[from:i]] {
				c.found[c.n%len(c.found)] = from + 1
				c.n++
			}
			continue
		}
		i++
	}
	c.seen = max(c.seen, at)
	for k := range min(c.n, len(c.found)) {
		from := c.found[k] - 1
		if at-from > looked {
			continue
		}
		for _, n := range names {
			if rest := s[from:]; len(rest) > len(n) && rest[:len(n)] == n && rest[len(n)] == ' ' {
				return true
			}
		}
	}
	return false
}

// piped takes out what echo or printf hands on to a program that reads a
// password, or what stands behind <<<. at is in that program's command.
func (w *walker) piped(at int) {
	s := w.text
	from := max(w.copied, at-looked)
	if from >= at {
		return
	}
	line := s[from:at]
	if i := strings.LastIndexByte(line, '\n'); i >= 0 {
		from, line = from+i+1, line[i+1:]
	}
	if end := strings.LastIndexByte(line, '|'); end >= 0 {
		cmd := strings.TrimRight(line[:end], " \t")
		i := max(strings.LastIndex(cmd, "echo "), strings.LastIndex(cmd, "printf "))
		if i < 0 || strings.ContainsAny(cmd[i:], "|;&`") && !strings.ContainsAny(cmd[i:], "'\"") {
			return
		}
		var v value
		if last := cmd[len(cmd)-1]; last == '"' || last == '\'' {
			open := strings.LastIndexByte(cmd[:len(cmd)-1], last)
			if open < i {
				return
			}
			v = value{from: from + open + 1, to: from + len(cmd) - 1, quoted: true}
		} else {
			open := strings.LastIndexByte(cmd, ' ')
			v = value{from: from + open + 1, to: from + len(cmd)}
		}
		text := s[v.from:v.to]
		if _, pass, ok := strings.Cut(text, ":"); ok && strings.HasSuffix(s[:at], "chpasswd") {
			v.from, text = v.to-len(pass), pass
		}
		if len(text) >= 4 && text[0] != '$' && text[0] != '-' && !placeholder(text) && !template(text) && !strings.HasSuffix(cmd[:max(0, len(cmd)-len(text))], "(") {
			w.replace(v.from, v.to, kindOf(text, "password"))
		}
	}
}

// here takes a text out that a here-string hands to a program which asks for
// a secret. i is the last of <<<.
func (w *walker) here(i int) {
	s := w.text
	v := valueAfter(s, i)
	text := s[v.from:v.to]
	before := s[max(0, i-looked):i]
	if nl := strings.LastIndexByte(before, '\n'); nl >= 0 {
		before = before[nl:]
	}
	lower := strings.ToLower(before)
	if len(text) >= 6 && mixed(text) && !harmlessValue(text) && (strings.Contains(lower, "pass") || strings.Contains(lower, "token") || strings.Contains(lower, "secret") || strings.Contains(lower, "login") || strings.Contains(lower, "key")) {
		w.replace(v.from, v.to, kindOf(text, "password"))
	}
}

// opensslPass tells whether a name before a colon is the word of openssl's
// -pass pass:X, -passin pass:X.
func opensslPass(s string, left int) bool {
	before := strings.TrimRight(s[max(0, left-16):left], " '\"=")
	return strings.HasSuffix(before, "-pass") || strings.HasSuffix(before, "-passin") || strings.HasSuffix(before, "-passout")
}

// flag takes the value of --password VALUE and its like out.
func (w *walker) flag(start, end int) {
	m := w.secretName(strings.TrimLeft(w.text[start:end], "-"))
	if m.level == 0 || end >= len(w.text) || w.text[end] != ' ' {
		return
	}
	v := valueAfter(w.text, end-1)
	text := w.text[v.from:v.to]
	if v.from >= v.to || text[0] == '-' || text[0] == '$' || harmlessValue(text) && (!v.quoted || strings.IndexByte(text, ' ') < 0) {
		return
	}
	if hasDigit(text) && m.fits(text, inQuotes) || v.quoted && m.fits(text, inQuotes) && hasSymbol(text) {
		w.replace(v.from, v.to, kindOf(text, m.kind))
	}
}

// commandWord looks at a word of a command line that may say where a secret stands.
func (w *walker) commandWord(start, end int) {
	s := w.text
	switch s[start:end] {
	case "htpasswd":
		w.htpasswd(end)
	case "sqlplus":
		// sqlplus USER/PASSWORD@HOST
		w.slashed(end)
	case "identified", "IDENTIFIED", "Identified":
		w.identified(end)
	case "send":
		w.sent(start, end)
	case "ConvertTo-SecureString", "encrypt_string":
		v := valueAfter(s, end)
		if text := s[v.from:v.to]; v.quoted && len(text) >= 4 {
			w.take(v, "password")
		}
	default:
		if takers().programs[s[start:end]] {
			w.store(start)
		}
	}
}

// store takes out what a command keeps that begins at a place and whose work it is to
// keep secrets.
func (w *walker) store(start int) {
	for _, o := range takers().stores {
		for _, p := range o.programs {
			end := start + len(p)
			if !strings.HasPrefix(w.text[start:], p) || end < len(w.text) && strings.IndexByte(" \n\"'", w.text[end]) < 0 {
				continue
			}
			switch o.way {
			case "stdin":
				w.piped(end)
				w.handedOn(end)
			default:
				w.operands(o.way, end)
			}
		}
	}
}

// operands takes the secrets among the operands of a command out: the value of each
// name=value, or the last one.
func (w *walker) operands(way string, at int) {
	s, last, n := w.text, value{}, 0
	for at < len(s) && n < 32 && s[at] == ' ' {
		v := valueAfter(s, at)
		if at = v.to + 1; !v.quoted {
			at = v.to
		}
		if v.from >= v.to {
			break
		}
		n++
		name, _, pair := strings.Cut(strings.TrimPrefix(s[v.from:v.to], "--from-literal="), "=")
		switch {
		case way == "pairs" && pair && all(name, dotted):
			from := v.to - len(s[v.from:v.to]) + strings.Index(s[v.from:v.to], name+"=") + len(name) + 1
			w.kept(value{from: from, to: v.to, quoted: v.quoted})
		case way == "last" && s[v.from] != '-':
			last = v
		}
	}
	if last.to > 0 {
		w.kept(last)
	}
}

// kept takes a secret out that a command keeps.
func (w *walker) kept(v value) {
	text := w.text[v.from:v.to]
	if len(text) >= 4 && text[0] != '@' && generated(text) && !slug(text) {
		w.replace(v.from, v.to, kindOf(text, "secret"))
	}
}

// handedOn takes out what a here-document or a here-string hands to a command.
func (w *walker) handedOn(at int) {
	s := w.text
	line := strings.LastIndexByte(s[:at], '\n') + 1
	stop := at + strings.IndexByte(s[at:min(len(s), at+looked)]+"\n", '\n')
	i := strings.Index(s[line:min(stop, len(s))], "<<")
	if i < 0 {
		return
	}
	i += line + len("<<")
	if strings.HasPrefix(s[i:], "<") {
		w.kept(valueAfter(s, i))
		return
	}
	word := strings.Trim(s[i:i+run(s[i:], 0, 32, anyByte("-'\"ABCDEFGHIJKLMNOPQRSTUVWXYZ_"))], "-'\"")
	body := s[min(stop+1, len(s)):min(len(s), stop+8*looked)]
	if n := strings.Index(body, "\n"+word); word != "" && n > 0 && !template(body[:n]) && !placeholder(body[:n]) {
		w.replace(stop+1, stop+1+n, "secret")
	}
}

// htpasswd takes the password of htpasswd -b FILE USER PASSWORD out, or of
// htpasswd -nb USER PASSWORD.
func (w *walker) htpasswd(end int) {
	s := w.text
	line := s[end:min(len(s), end+looked/4)]
	if i := strings.IndexAny(line, "\n;|&"); i >= 0 {
		line = line[:i]
	}
	behind, batch, seen := 2, false, 0 // operands before the password
	for at, n := 0, 0; n < 12; n++ {
		for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
			at++
		}
		from := at
		for at < len(line) && line[at] != ' ' && line[at] != '\t' {
			at++
		}
		switch a := line[from:at]; {
		case a == "":
			return
		case a[0] == '-':
			batch = batch || strings.IndexByte(a, 'b') >= 0
			if strings.IndexByte(a, 'n') >= 0 {
				behind = 1
			}
		case seen < behind:
			seen++
		default:
			if batch {
				w.take(value{from: end + from, to: end + at}, "password")
			}
			return
		}
	}
}

// slashed takes the password of USER/PASSWORD@HOST out, behind a place.
func (w *walker) slashed(end int) {
	s := w.text
	from := end + 1
	to := from
	for to < len(s) && to-from < looked && strings.IndexByte(" \t\n\"'", s[to]) < 0 {
		to++
	}
	user, rest, ok := strings.Cut(s[min(from, len(s)):to], "/")
	at := strings.LastIndexByte(rest, '@')
	if i := strings.Index(rest, "@//"); i >= 0 {
		at = i
	}
	if at < 0 && s[end] == ' ' {
		at = len(rest)
	}
	if ok && user != "" && rest != "" && at > 0 {
		f := from + len(user) + 1
		w.take(value{from: f, to: f + at}, "password")
	}
}
