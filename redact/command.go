package redact

import "strings"

// options are the programs that take a password behind a short option: on its
// own ("-p X"), or glued to it ("-pX").
var options = []struct {
	option   string
	programs []string
	glued    bool
}{
	{"-p", []string{"sshpass", "mongo", "mongosh", "mongodump", "mongorestore", "docker login", "podman login", "helm registry login", "oc login", "az login"}, false},
	{"-p", []string{"sshpass", "mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump", "7z", "7za"}, true},
	{"-P", []string{"unzip", "zip"}, false},
	{"-a", []string{"redis-cli"}, false},
	{"-w", []string{"ldapsearch", "ldapadd", "ldapmodify", "ldapwhoami", "ldappasswd"}, false},
}

// option takes the password behind a program's short option out.
func (w *walker) option(start, end int) {
	s := w.text
	if end-start < 2 || start > 0 && s[start-1] != ' ' && s[start-1] != '\t' {
		return
	}
	for _, o := range options {
		if s[start:start+2] != o.option || end >= len(s) && end == start+2 {
			continue
		}
		if alone := end == start+2 && strings.IndexByte(" \t", s[end]) >= 0; alone == o.glued || !alone && !o.glued {
			continue
		}
		if !runs(s, start, o.programs) {
			continue
		}
		v := valueAfter(s, start+1) // what is glued, or behind the blanks
		if v.from >= v.to {
			continue
		}
		text := s[v.from:v.to]
		if text[0] == '-' || text[0] == '$' || text[0] == '/' && !v.quoted || placeholder(text) || len(text) < 3 {
			continue
		}
		w.replace(v.from, v.to, "password")
		return
	}
}

// runs tells whether the command that a place belongs to begins with one of
// the programs.
func runs(s string, at int, programs []string) bool {
	before := s[max(0, at-looked):at]
	if i := strings.LastIndexAny(before, "\n;|&("); i >= 0 {
		before = before[i+1:]
	}
	for _, p := range programs {
		i := strings.LastIndex(before, p+" ")
		if i == 0 || i > 0 && strings.IndexByte(" /`'\"\t", before[i-1]) >= 0 {
			return true
		}
	}
	return false
}

// spoken takes a password out that stands behind its name as in a sentence
// ("the password is X") or in a netrc file ("login bob password X").
func (w *walker) spoken(start, end int) {
	s := w.text
	if _, ok := secretName(s[start:end]); !ok || end >= len(s) || s[end] != ' ' && s[end] != '\t' {
		return
	}
	rest := strings.TrimLeft(s[end:min(len(s), end+looked)], " \t")
	at := end + len(s[end:min(len(s), end+looked)]) - len(rest)
	sentence := false
	for _, verb := range []string{"is ", "was "} {
		if strings.HasPrefix(rest, verb) {
			sentence, at = true, at+len(verb)
			break
		}
	}
	netrc := !sentence && strings.Contains(s[max(0, start-looked):start], "login ")
	if !sentence && !netrc {
		return
	}
	v := valueAfter(s, at-1)
	for v.to > v.from && !v.quoted && strings.IndexByte(".!?:", s[v.to-1]) >= 0 {
		v.to--
	}
	text := s[v.from:v.to]
	if len(text) < 6 || text[0] == '$' || text[0] == '/' || placeholder(text) || strings.ContainsAny(text, " (){}[]<>") || reference(text) {
		return
	}
	if netrc && (hasDigit(text) || v.to == len(s) || s[v.to] == '\n') || hasDigit(text) && !allDigits(text) && hasLetter(text) {
		kind, _ := secretName(s[start:end])
		w.replace(v.from, v.to, kindOf(text, kind))
	}
}

func hasLetter(s string) bool {
	for i := range len(s) {
		if letter(s[i]) {
			return true
		}
	}
	return false
}

// cookie takes the value of a cookie header out.
func (w *walker) cookie(name string, i int) bool {
	s := w.text
	if len(name) != len("cookie") && len(name) != len("set-cookie") {
		return false
	}
	if lower := strings.ToLower(name); s[i] != ':' || lower != "cookie" && lower != "set-cookie" {
		return false
	}
	from := i + 1
	for from < len(s) && strings.IndexByte(" \t\"'\\", s[from]) >= 0 {
		from++
	}
	to := from
	for to < len(s) && to-from < 8*looked && strings.IndexByte("\r\n\"'`", s[to]) < 0 && !strings.HasPrefix(s[to:], `\n`) && !strings.HasPrefix(s[to:], `\r`) {
		to++
	}
	if text := s[from:to]; isCookie(text) {
		w.replace(from, to, "cookie")
	}
	return true
}

// isCookie tells whether a text is a list of cookies of which one may open a
// session.
func isCookie(s string) bool {
	for part := range strings.SplitSeq(s, ";") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if ok && len(value) >= 12 && !strings.Contains(name+value, " ") && !placeholder(value) && hasDigit(value) {
			return true
		}
	}
	return false
}

// bot takes a Telegram bot's token out: digits, a colon, 35 characters.
func (w *walker) bot(i int) {
	s := w.text
	left := i
	for left > 0 && i-left < 11 && digit(s[left-1]) {
		left--
	}
	if i-left < 8 || i-left > 10 || !strings.HasPrefix(s[i+1:], "AA") {
		return
	}
	to := i + 1
	for to < len(s) && to-i < 40 && wordy(s[to]) {
		to++
	}
	if to-i-1 == 35 {
		w.replace(left, to, "telegram-token")
	}
}
