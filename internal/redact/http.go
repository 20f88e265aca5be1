package redact

import "strings"

// authorization takes the credential of an HTTP header out, and leaves the
// scheme.
func (w *walker) authorization(v value) {
	text := w.text[v.from:v.to]
	scheme, _, _ := strings.Cut(text, " ")
	if from := v.from + len(scheme); from < len(w.text) && w.text[from] == ' ' && all(scheme, letter) || schemes()[scheme] {
		least := 16
		if schemes()[scheme] {
			least = 6
		}
		w.credential(run(w.text, from, len(w.text), blank), least)
		return
	}
	if !v.quoted && strings.ContainsAny(text, "[]") {
		return
	}
	m := meaning{"authorization", sure}
	if p := inProse; m.fits(text, p) || v.quoted && m.fits(text, inQuotes) && hasDigit(text) {
		w.replace(v.from, v.to, "authorization")
	}
}

// schemes are those of HTTP that have one credential, which may be short.
var schemes = words("Bearer Basic Token token bearer basic BASIC BEARER ApiKey apikey Digest NTLM Negotiate SSWS")

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
	text := w.text[from:to]
	if len(text) >= least && !placeholder(text) && (hasDigit(text) && !harmlessValue(text) || len(text) >= 24 && (random(text) || basic(text))) && !strings.HasPrefix(text, "realm=") {
		w.replace(from, to, kindOf(text, "authorization"))
	}
}

// cookie takes the value of a cookie header out.
func (w *walker) cookie(name string, i int) bool {
	s := w.text
	if s[i] != ':' || !(len(name) == len("cookie") && name[0]|0x20 == 'c' || len(name) == len("set-cookie") && name[0]|0x20 == 's') {
		return false
	}
	if lower := strings.ToLower(name); lower != "cookie" && lower != "set-cookie" {
		return false
	}
	from := i + 1
	for from < len(s) && strings.IndexByte(" \t\"'\\", s[from]) >= 0 {
		from++
	}
	w.cookies(from)
	return true
}

// cookies takes a list of cookies out.
func (w *walker) cookies(from int) {
	s, c := w.text, &w.cookieSeen
	if from < c.from || from > c.stop {
		*c = cookieScan{from, from, from}
	}
	most := min(len(s), from+8*looked)
	for c.stop < most && !endsCookies(s, c.stop) {
		c.stop++
	}
	to := min(c.stop, most)
	first := to
	if n := strings.IndexByte(s[from:to], ';'); n >= 0 {
		first = from + n
	}
	rest := min(max(first, c.checked), to)
	if isCookie(s[from:first]) || isCookie(s[rest:to]) {
		w.replace(from, to, "cookie")
		return
	}
	c.checked = max(c.checked, from+strings.LastIndexByte(s[from:to], ';')+1)
}

// endsCookies tells whether a list of cookies ends at a place.
func endsCookies(s string, at int) bool {
	switch s[at] {
	case '\r', '\n', '"', '\'', '`':
		return true
	case '\\':
		return at+1 < len(s) && (s[at+1] == 'n' || s[at+1] == 'r')
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

// asana takes a personal access token of Asana out: 1 or 2, one or two ids behind
// slashes, a colon, 32 hexadecimal digits.
func (w *walker) asana(i int) {
	s, left, to := w.text, i, run(w.text, i+1, i+40, wordy)
	for left > 0 && i-left < 48 && (digit(s[left-1]) || s[left-1] == '/') {
		left--
	}
	version, id, _ := strings.Cut(s[left:i], "/")
	named := (version == "1" || version == "2") && len(id) >= 10
	if secret := s[i+1 : to]; named && len(secret) == 32 && all(secret, lowerHex) {
		w.replace(left, to, "asana-token")
	}
}

// queryName is the kind of a parameter of addresses that is a secret there only.
func queryName(name string) string {
	switch name {
	case "sig", "signature", "Signature", "X-Amz-Signature", "X-Goog-Signature", "hmac":
		return "signature"
	case "key", "apikey":
		return "api-key"
	case "auth":
		return "token"
	}
	return ""
}

// query takes the value of a parameter out that looks generated.
func (w *walker) query(from int, kind string) {
	s, to := w.text, from
	if w.tooNested(from) {
		return
	}
	for to < len(s) && to-from < looked && strings.IndexByte("&#;\"'`<>\\) \t\r\n", s[to]) < 0 {
		to++
	}
	w.nests(from, to)
	v := s[from:to]
	made := random(v) || kind == "signature" && mixed(v)
	if made && len(v) >= 16 && !harmlessValue(v) {
		w.replace(from, to, kindOf(v, kind))
	}
}

// url takes the password of scheme://user:password@host out, and the secret
// part of a webhook.
func (w *walker) url(i int) {
	from := i + 3
	w.at = from
	stop := from
	for stop < len(w.text) && stop-from < 4096 && strings.IndexByte("/?# \t\r\n\"'`<>\\", w.text[stop]) < 0 {
		stop++
	}
	if strings.HasPrefix(w.text[stop:], "#") && !isHost(w.text[from:stop]) {
		n := strings.IndexAny(w.text[stop:min(len(w.text), stop+looked)]+"\n", "/? \t\r\n\"'`<>\\")
		if strings.IndexByte(w.text[stop:stop+n], '@') > 0 {
			stop += n // the # stands in a password
		}
	}
	authority := w.text[from:stop]
	for _, h := range w.tables.webhooks {
		if (authority == h.host || h.host[0] == '.' && strings.HasSuffix(authority, h.host)) && strings.HasPrefix(w.text[stop:], h.path) {
			path := stop + len(h.path)
			end := path
			for end < len(w.text) && (wordy(w.text[end]) || w.text[end] == '/' || w.text[end] == '@') {
				end++
			}
			if text := lastPart(w.text[path:end]); end-path >= 20 && len(text) >= 16 && hasDigit(text) {
				w.replace(path, end, h.kind)
			}
			return
		}
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return
	}
	user, secret, ok := strings.Cut(authority[:at], ":")
	if secret == user {
		return // guest:guest
	}
	if ok && secret != "" && !placeholder(secret) && !template(secret) {
		w.replace(from+at-len(secret), from+at, "password")
		return
	}
	if ok || at < 20 || publicKey(user, w.text[stop:]) {
		return
	}
	if hasDigit(user) && !placeholder(user) {
		w.replace(from, from+at, kindOf(user, "password"))
	}
}

// isHost tells whether the beginning of an address is a host, with its port or without,
// and not the user and a part of the password.
func isHost(s string) bool {
	_, port, ok := strings.Cut(s, ":")
	return !ok || s[0] == '[' || port != "" && allDigits(port)
}

// publicKey tells whether a user of an address is the public key of Sentry: what
// follows is the number of a project.
func publicKey(user, path string) bool {
	return len(user) == 32 && all(user, lowerHex) && len(path) > 1 && path[0] == '/' && digit(path[1])
}

// lastPart is the longest part of a path.
func lastPart(path string) (longest string) {
	for part := range strings.SplitSeq(path, "/") {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}
