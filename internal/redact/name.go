package redact

import (
	"strings"
	"sync"
)

// How sure a name is.
const (
	unsure = 1 + iota // its value is a secret where it looks like one
	sure              // its value is a secret unless it is plainly none
)

// meaning is what a name says of its value.
type meaning struct {
	kind  string
	level int
}

// lastWords are the last words of names whose values are secret.
var lastWords = map[string]meaning{
	"password": {"password", sure}, "passwd": {"password", sure}, "pwd": {"password", sure}, "passphrase": {"password", sure}, "passcode": {"password", sure},
	"pass": {"password", unsure}, "pw": {"password", unsure}, "userpass": {"password", sure}, "storepass": {"password", sure}, "keypass": {"password", sure},
	"secret": {"secret", sure}, "token": {"token", sure}, "credential": {"credential", sure}, "credentials": {"credential", sure}, "cred": {"credential", unsure}, "creds": {"credential", unsure},
	"authorization": {"authorization", sure}, "mnemonic": {"secret", sure}, "pin": {"password", unsure}, "otp": {"password", unsure}, "bearer": {"token", unsure},
	"auth": {"credential", unsure}, "dockerconfigjson": {"credential", sure}, "dockercfg": {"credential", sure}, "jwt": {"token", unsure}, "pat": {"token", unsure},
	"passwords": {"password", sure}, "passwds": {"password", sure}, "passphrases": {"password", sure}, "secrets": {"secret", unsure}, "tokens": {"token", unsure},
	"apikeys": {"api-key", sure}, "hmac": {"secret", unsure}, "psk": {"password", unsure}, "masterauth": {"password", sure}, "requirepass": {"password", sure},
}

// endings are words that end names in which nothing parts them: PGPASSWORD, dbpassword.
var endings = []struct {
	end string
	meaning
}{
	{"password", meaning{"password", sure}}, {"passwd", meaning{"password", sure}}, {"passphrase", meaning{"password", sure}}, {"apikey", meaning{"api-key", sure}},
	{"secretkey", meaning{"secret", sure}}, {"privatekey", meaning{"private-key", sure}}, {"accesskey", meaning{"api-key", sure}}, {"accountkey", meaning{"api-key", sure}},
	{"authkey", meaning{"api-key", sure}}, {"authtoken", meaning{"token", sure}}, {"accesstoken", meaning{"token", sure}}, {"apitoken", meaning{"token", sure}}, {"identitytoken", meaning{"token", sure}},
	{"clientsecret", meaning{"secret", sure}}, {"apisecret", meaning{"secret", sure}}, {"sessiontoken", meaning{"token", sure}}, {"refreshtoken", meaning{"token", sure}},
	{"accesskeys", meaning{"api-key", sure}}, {"encryptionkey", meaning{"secret", sure}}, {"signingkey", meaning{"secret", sure}},
}

// keyWords are the words that, before key, name a secret.
var keyWords = sync.OnceValue(func() map[string]meaning {
	return map[string]meaning{
		"api": {"api-key", sure}, "access": {"api-key", sure}, "account": {"api-key", sure}, "private": {"private-key", sure}, "secret": {"secret", sure},
		"signing": {"secret", sure}, "encryption": {"secret", sure}, "decryption": {"secret", sure}, "master": {"secret", sure}, "storage": {"api-key", sure}, "license": {"secret", unsure},
		"hmac": {"secret", sure}, "auth": {"api-key", sure}, "shared": {"secret", sure}, "deploy": {"private-key", unsure}, "ssh": {"private-key", unsure},
		"session": {"secret", unsure}, "cookie": {"secret", unsure}, "webhook": {"secret", unsure}, "admin": {"api-key", unsure}, "service": {"api-key", unsure},
		"app": {"api-key", unsure}, "server": {"api-key", unsure}, "integration": {"api-key", unsure}, "ingest": {"api-key", unsure}, "write": {"api-key", unsure},
		"jwt": {"secret", unsure}, "token": {"secret", unsure}, "unseal": {"secret", unsure}, "recovery": {"secret", unsure}, "aes": {"secret", unsure}, "crypto": {"secret", unsure},
		"cipher": {"secret", unsure}, "logged in": {"secret", unsure}, "nonce": {"secret", unsure}, "subscription": {"api-key", unsure}, "functions": {"api-key", unsure}, "rest": {"api-key", unsure},
		"client": {"private-key", unsure}, "tls": {"private-key", unsure}, "ssl": {"private-key", unsure}, "root": {"secret", unsure}, "wallet": {"private-key", unsure}, "registration": {"secret", unsure},
	}
})

// pairs are other names of two words, by the last.
var pairs = map[string]map[string]meaning{
	"base":   {"key": {"secret", sure}},
	"data":   {"key": {"private-key", unsure}},
	"phrase": {"seed": {"secret", sure}, "recovery": {"secret", sure}, "mnemonic": {"secret", sure}, "pass": {"password", sure}},
	"codes":  {"backup": {"secret", unsure}, "recovery": {"secret", unsure}},
	"text":   {"secret": {"secret", unsure}},
	"string": {"secret": {"secret", sure}},
}

// trailing are words that stand behind the word that decides: API_KEY_PROD.
var trailing = map[string]bool{"prod": true, "production": true, "dev": true, "development": true, "staging": true, "stage": true, "test": true, "live": true, "old": true,
	"new": true, "admin": true, "root": true, "value": true, "plain": true, "plaintext": true, "base": true, "raw": true, "encoded": true, "primary": true, "secondary": true, "backup": true, "current": true, "previous": true}

// harmless are the words that, before token, name no secret.
var harmless = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"page": true, "next": true, "continuation": true, "cursor": true, "sync": true, "start": true, "end": true, "max": true, "min": true, "total": true, "key": true,
		"pad": true, "eos": true, "bos": true, "sep": true, "mask": true, "unk": true, "cls": true, "stop": true, "syntax": true, "special": true, "prompt": true, "design": true,
		"input": true, "output": true, "completion": true, "cached": true, "num": true, "reasoning": true, "thinking": true, "public": true, "current": true, "last": true, "first": true,
	}
})

// secretName tells whether a name's value is a secret, of what kind, and how
// sure that is; 0 when it is none. The last word decides: db_password and
// githubToken, but not password_file, token_usage or max_tokens.
func secretName(name string) (kind string, level int) {
	if len(name) > 128 || !mayBeSecret(name) {
		return "", 0
	}
	m := meaningOf(split(name))
	return m.kind, m.level
}

// writtenName is secretName for a text that may be no name at all.
func writtenName(name string) (kind string, level int) {
	if len(name) > 128 || !mayBeSecret(name) || len(name) == 3 && strings.EqualFold(name, "key") {
		return "", 0
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; !wordy(c) && strings.IndexByte("./ :@", c) < 0 && c < 0x80 {
			return "", 0
		}
	}
	return secretName(name)
}

// knownName is a name and what it says.
type knownName struct {
	name, kind string
	level      int
}

// secretName is secretName by the walk's rules. A text holds few names many
// times, so the last ones are remembered.
func (w *walker) secretName(name string) (kind string, level int) {
	if len(name) == 0 || len(name) > 128 || !mayBeSecret(name) {
		return "", 0
	}
	if w.names == nil {
		w.names = new([64]knownName)
	}
	n := len(name)
	known := &w.names[(int(name[0])*7+int(name[n/2])*5+int(name[n-1])*3+n)%64]
	if known.name == name {
		return known.kind, known.level
	}
	if kind, level = secretName(name); level > 0 && w.rules.keepsName(name) {
		kind, level = "", 0
	}
	*known = knownName{name, kind, level}
	return kind, level
}

func (w *walker) writtenName(name string) (kind string, level int) {
	return w.rules.writtenName(name)
}

func (r *Rules) writtenName(name string) (kind string, level int) {
	if kind, level = writtenName(name); level > 0 && r.keepsName(name) {
		return "", 0
	}
	return kind, level
}

func meaningOf(words []string) meaning {
	n := len(words)
	if n > 1 && trailing[words[n-1]] {
		if m := meaningOf(words[:n-1]); m.level > 0 {
			return meaning{m.kind, unsure}
		}
	}
	if n == 0 {
		return meaning{}
	}
	last, before := words[n-1], ""
	if n > 1 {
		before = words[n-2]
		if m, ok := pairs[last][before]; ok {
			return m
		}
		if last == "key" || last == "keys" {
			return keyWords()[before]
		}
		if (last == "token" || last == "tokens") && harmless()[before] {
			return meaning{}
		}
		if last == "pin" || last == "pat" || last == "hmac" || last == "bearer" {
			return meaning{}
		}
	}
	m, ok := lastWords[last]
	if ok {
		if n > 1 && (last == "pass" || last == "pw") {
			m.level = sure
		}
		return m
	}
	for _, e := range endings {
		if strings.HasSuffix(last, e.end) || strings.HasSuffix(e.end, last) && last != "" && strings.HasSuffix(before, e.end[:len(e.end)-len(last)]) {
			return e.meaning
		}
	}
	return meaning{}
}

// endsOf has a bit for the last three letters of each word that can end the
// name of a secret.
var endsOf = func() (t [32 * 32 * 32 / 64]uint64) {
	add := func(w string) {
		if w = w[max(0, len(w)-3):]; len(w) == 3 {
			n := ending(w[0], w[1], w[2])
			t[n/64] |= 1 << (n % 64)
		}
	}
	for w := range lastWords {
		add(w)
	}
	for w := range pairs {
		add(w)
	}
	for w := range trailing {
		add(w)
	}
	for _, e := range endings {
		add(e.end)
	}
	add("key")
	add("keys")
	add("data")
	return t
}()

func ending(a, b, c byte) uint {
	return uint(a&31)<<10 | uint(b&31)<<5 | uint(c&31)
}

// mayBeSecret is a cheap look before a name is taken apart: at its last
// letters.
func mayBeSecret(name string) bool {
	end := len(name)
	for end > 0 && !letter(name[end-1]) {
		end--
	}
	if end < 3 {
		return end == 2 && name[0]|0x20 == 'p' && name[1]|0x20 == 'w'
	}
	n := ending(name[end-3], name[end-2], name[end-1])
	return endsOf[n/64]&(1<<(n%64)) != 0 || name[end-1]|0x20 == 'w' && name[end-2]|0x20 == 'p' && !letter(name[end-3])
}

// split takes a name apart into lower-case words: at _ - . and blanks, and at
// capitals. Digits at the end of a word fall away.
func split(name string) []string {
	words := make([]string, 0, 4)
	begin := 0
	add := func(end int) {
		if w := strings.ToLower(strings.TrimRight(name[begin:end], "0123456789")); w != "" {
			words = append(words, w)
		}
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case !letter(c) && !digit(c):
			add(i)
			begin = i + 1
		case i > begin && c >= 'A' && c <= 'Z' && (name[i-1] >= 'a' && name[i-1] <= 'z' || i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z' && letter(name[i-1])):
			add(i)
			begin = i
		}
	}
	add(len(name))
	return words
}
