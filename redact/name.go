package redact

import "strings"

// secretNames are the last words of names whose values are secret.
var secretNames = map[string]string{
	"password": "password", "passwd": "password", "pwd": "password", "passphrase": "password", "passcode": "password",
	"secret": "secret", "token": "token", "apikey": "api-key", "authtoken": "token", "accesstoken": "token",
	"credential": "credential", "credentials": "credential", "authorization": "authorization",
	"accountkey": "api-key", "secretkey": "secret", "privatekey": "private-key", "accesskey": "api-key",
	"api key": "api-key", "access key": "api-key", "private key": "private-key", "secret key": "secret", "account key": "api-key",
	"signing key": "secret", "encryption key": "secret", "master key": "secret", "key base": "secret", "client secret": "secret",
}

// harmless are the words that, before token, name no secret.
var harmless = map[string]bool{
	"page": true, "next": true, "continuation": true, "cursor": true, "sync": true, "start": true, "end": true,
	"pad": true, "eos": true, "bos": true, "sep": true, "mask": true, "unk": true, "cls": true, "stop": true, "syntax": true,
}

// secretName tells whether a name's value is a secret, and of what kind. The
// last word decides: db_password and githubToken, but not password_file,
// token_usage or max_tokens.
func secretName(name string) (kind string, ok bool) {
	if len(name) > 128 || !mayBeSecret(name) {
		return "", false
	}
	words := split(name)
	if len(words) == 0 {
		return "", false
	}
	last := words[len(words)-1]
	if len(words) > 1 {
		if kind, ok := secretNames[words[len(words)-2]+" "+last]; ok {
			return kind, true
		}
		if last == "token" && harmless[words[len(words)-2]] {
			return "", false
		}
	}
	if kind, ok = secretNames[last]; ok || name != strings.ToUpper(name) {
		return kind, ok
	}
	for _, end := range []string{"password", "passwd", "secret", "token", "apikey"} { // PGPASSWORD
		if strings.HasSuffix(last, end) {
			return secretNames[end], true
		}
	}
	return "", false
}

// mayBeSecret is a cheap look before a name is taken apart: the last letters
// of secretNames' keys.
func mayBeSecret(name string) bool {
	end := len(name)
	for end > 0 && (digit(name[end-1]) || name[end-1] == '_' || name[end-1] == '-') {
		end--
	}
	if end < 3 {
		return false
	}
	switch [3]byte{name[end-3] | 0x20, name[end-2] | 0x20, name[end-1] | 0x20} {
	case [3]byte{'o', 'r', 'd'}, [3]byte{'s', 'w', 'd'}, [3]byte{'p', 'w', 'd'}, [3]byte{'a', 's', 'e'}, [3]byte{'o', 'd', 'e'}, [3]byte{'r', 'e', 't'},
		[3]byte{'k', 'e', 'n'}, [3]byte{'k', 'e', 'y'}, [3]byte{'i', 'a', 'l'}, [3]byte{'a', 'l', 's'}, [3]byte{'i', 'o', 'n'}:
		return true
	}
	return false
}

// split takes a name apart into lower-case words: at _ - . and at capitals.
// Digits at the end of a word fall away.
func split(name string) []string {
	var words []string
	begin := 0
	add := func(end int) {
		if w := strings.ToLower(strings.TrimRight(name[begin:end], "0123456789")); w != "" {
			words = append(words, w)
		}
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '_' || c == '-' || c == '.':
			add(i)
			begin = i + 1
		case i > begin && c >= 'A' && c <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z':
			add(i)
			begin = i
		}
	}
	add(len(name))
	return words
}

// placeholders are values that only stand for a secret.
var placeholders = map[string]bool{
	"changeme": true, "change-me": true, "change_me": true, "example": true, "placeholder": true, "null": true, "none": true, "nil": true,
	"true": true, "false": true, "undefined": true, "required": true, "optional": true, "string": true, "str": true, "text": true,
	"number": true, "bytes": true, "redacted": true, "secret": true, "password": true, "token": true, "dummy": true, "todo": true,
	"bearer": true, "basic": true, "any": true, "object": true, "unset": true, "empty": true, "hidden": true, "masked": true, "missing": true,
}

// placeholder tells whether a value only stands for a secret.
func placeholder(v string) bool {
	v = strings.Trim(v, " \t\"'")
	if v == "" || strings.HasPrefix(v, "[REDACTED:") || len(v) < 64 && placeholders[strings.ToLower(strings.TrimRight(v, "!?,.;"))] {
		return true
	}
	switch v[0] {
	case '<':
		return strings.HasSuffix(v, ">")
	case '$':
		return len(v) > 1 && (v[1] == '{' || v[1] == '(' || letter(v[1]) || v[1] == '_') && !strings.ContainsAny(v[1:], "!@#%^&*")
	case '{':
		return strings.HasPrefix(v, "{{") || strings.HasSuffix(v, "}")
	case '%':
		return strings.HasSuffix(v, "%") || len(v) <= 3
	}
	lower := strings.ToLower(v[:min(len(v), 64)])
	for _, p := range []string{"your-", "your_", "my-secret-", "env:", "vault:", "op://", "xxxx", "insert-", "replace-", "example-", "example_"} {
		if strings.HasPrefix(lower, p) {
			return true
		}
	}
	return strings.Trim(v, "*") == "" || strings.Trim(v, ".") == "" || strings.Trim(lower, "x") == "" || strings.Trim(v, "•") == ""
}

// reference tells whether a value is the name of something: DB_PASSWORD,
// process.env.API_KEY, config.password, a snake_case or camelCase identifier
// that itself ends in such a name.
func reference(v string) bool {
	name := strings.TrimSuffix(v, "()")
	for i := 0; i < len(name); i++ {
		if c := name[i]; !letter(c) && c != '_' && c != '.' && c != '-' && !(digit(c) && i > 0) {
			return false
		}
	}
	if strings.Contains(name, ".") && !hasDigit(name) {
		return true // a path of identifiers
	}
	if !hasDigit(name) && strings.Contains(name, "_") {
		return true
	}
	_, secret := secretName(name)
	return secret && !hasDigit(name)
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }
