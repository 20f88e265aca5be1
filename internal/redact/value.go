package redact

import "strings"

// placeholders are values that only stand for a secret.
var placeholders = words(`changeme change-me change_me example placeholder null none nil true false undefined required optional string str text number bytes redacted secret
	password token dummy todo bearer basic any object unset empty hidden masked missing pass passwd pwd invalid expired wrong incorrect include omit
	same-origin yes no on off strong external sensitive disabled enabled boolean integer default unknown test foo bar foobar username current-password
	new-password unchanged generated inherit deprecated
	passwort kennwort contrasena senha parola wachtwoord adgangskode passord salasana heslo haslo sifre parool geslo zaporka motdepasse clave sandi katasandi`)

// standIns begin values that only stand for a secret.
var standIns = []string{"your", "my-secret-", "env:", "vault:", "op://", "xxxx", "insert-", "replace-", "replace_", "example-", "example_", "change-", "change_",
	"put-your", "some-", "some_", "fake-", "fake_", "dummy-", "dummy_", "test-only", "file:", "arn:aws:", "enter-", "enter_"}

// placeholder tells whether a value only stands for a secret.
func placeholder(v string) bool {
	v = strings.Trim(v, " \t\"'")
	if v == "" || label(v) || strings.HasPrefix(v, "[REDACTED:") || len(v) < 64 && placeholders()[strings.ToLower(strings.TrimRight(v, "!?,.;"))] {
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
	for _, p := range standIns {
		if strings.HasPrefix(lower, p) {
			return true
		}
	}
	if strings.HasSuffix(lower, "-here") || strings.HasSuffix(lower, "_here") || strings.HasSuffix(v, "...") && len(v) < 16 {
		return true
	}
	return strings.Trim(lower, lower[:1]) == "" || strings.Trim(v, "•") == ""
}

// harmlessValue tells whether a value is plainly no secret: it stands for one,
// names one, or is a path, a type, a pattern or a sentence.
func harmlessValue(v string) bool { return harmlessData(v) || typeName(v) }

// harmlessData is harmlessValue where no program stands, and so no type.
func harmlessData(v string) bool {
	if strings.Contains(v, "[REDACTED:") || strings.HasSuffix(v, "/aws4_request") {
		return true
	}
	for _, is := range [...]func(string) bool{placeholder, published, reference, template, path, prose, constant, isDate} {
		if is(v) {
			return true
		}
	}
	return false
}

// published tells whether a value is known to everybody: the examples in the
// documentation of vendors, the keys of their emulators.
func published(v string) bool {
	return strings.HasSuffix(strings.TrimSuffix(v, "KEY"), "EXAMPLE") || len(v) >= 16 && strings.Contains(publishedValues, v)
}

const publishedValues = `4eC39HqLyjWDarjtT1zdp7dc BQokikJOvBiI2HlWgH4olfQ2 SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ
	Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==`

// label tells whether a value is what a form shows beside a field: a sentence or a
// few words in any language, without a digit.
func label(v string) bool {
	if hasDigit(v) || hasSymbol(v) {
		return false
	}
	_, rest, _ := strings.Cut(v, " ")
	sentence := v[0] >= 'A' && v[0] <= 'Z' && rest != "" && rest[0] >= 'a'
	return sentence || rest != "" && strings.ContainsAny(v, "?.") || some(v, func(c byte) bool { return c >= 0x80 })
}

// template tells whether a value is filled in by a program.
func template(v string) bool {
	for i := 0; i+1 < len(v); i++ {
		switch v[i] {
		case '$', '#':
			if v[i+1] == '{' || v[i] == '$' && v[i+1] == '(' {
				return true
			}
		case '{':
			if v[i+1] == '{' || i == 0 && strings.HasSuffix(v, "}") {
				return true
			}
		case '%':
			if strings.IndexByte("sqvd([", v[i+1]) >= 0 && (i == 0 || i+2 == len(v) || v[i+1] == '(' || v[i+1] == '[') {
				return true
			}
		case '<':
			if strings.IndexByte(v[i:], '>') > 0 && (v[i+1] == '%' || i == 0) {
				return true
			}
		}
	}
	if v != "" && strings.IndexByte(":?@", v[0]) >= 0 && identifier(v[1:]) && !random(v[1:]) {
		return true // a parameter of SQL, of a route
	}
	if len(v) > 1 && (v[0] == '^' || v[0] == '/' && v[1] == '^') || strings.HasSuffix(v, "$/") || strings.HasPrefix(v, "(?") || strings.Contains(v, "[^") && strings.Contains(v, "]") {
		return true // a regular expression
	}
	if i := strings.IndexByte(v, '('); i > 0 && reference(v[:i]) || len(v) > 1 && (v[0] == '*' || v[0] == '&') && reference(v[1:]) {
		return true // a call, a pointer
	}
	return strings.HasPrefix(v, "*.") || strings.HasPrefix(v, "**") || strings.HasPrefix(v, "[") && strings.HasSuffix(v, "]") || alternatives(v)
}

// alternatives tells whether a value lists words: required|string|min:8.
func alternatives(v string) bool {
	if strings.IndexByte(v, '|') < 0 {
		return false
	}
	for w := range strings.SplitSeq(v, "|") {
		if w, _, _ = strings.Cut(strings.TrimSpace(w), ":"); !identifier(w) || random(w) {
			return false
		}
	}
	return true
}

// path tells whether a value is a path of files, or an address without a
// secret.
func path(v string) bool {
	if v == "" || len(v) > 1024 {
		return false
	}
	if i := strings.Index(v, "://"); i > 0 && i < 12 {
		return strings.IndexByte(v, '@') < 0 && strings.IndexByte(v, '?') < 0
	}
	begins := v[0] == '/' || v[0] == '~' || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") || strings.HasPrefix(v, "//") ||
		len(v) > 2 && letter(v[0]) && v[1] == ':' && (v[2] == '\\' || v[2] == '/')
	if !begins {
		dot := strings.LastIndexByte(v, '.')
		if dot < 1 || len(v)-dot > 6 || len(v)-dot < 3 || !identifier(v[dot+1:]) || hasDigit(v[dot+1:]) {
			return false
		}
	}
	from, least := 0, 8 // a part of a secret that has a slash
	if begins {
		least = 20
	}
	for i := 0; i <= len(v); i++ {
		if i < len(v) && v[i] != '/' && v[i] != '\\' {
			if c := v[i]; !wordy(c) && strings.IndexByte(".~:@* ()", c) < 0 {
				return false
			}
			continue
		}
		if seg := v[from:i]; len(seg) >= least && random(seg) && strings.IndexByte(seg, '-') < 0 && strings.IndexByte(seg, '.') < 0 {
			return false
		}
		from = i + 1
	}
	return begins || strings.IndexByte(v, '/') > 0 || !random(v)
}

// sizes are the numbers that stand in names of types.
var sizes = words(`1 2 3 8 16 32 64 128 192 224 256 384 512 509 1024 2048 4096 25519`)

// typeName tells whether a value reads like a name of a program's type:
// Uint8Array, Base64String, SHA256Hash.
func typeName(v string) bool {
	if len(v) < 4 || len(v) > 64 {
		return false
	}
	v = strings.TrimSuffix(v, "[]")
	words := 0
	for i := 0; i < len(v); {
		from := i
		switch {
		case digit(v[i]):
			for i < len(v) && digit(v[i]) {
				i++
			}
			if !sizes()[v[from:i]] {
				return false
			}
			continue
		case v[i] >= 'A' && v[i] <= 'Z' || i == 0 && letter(v[i]):
			for i++; i < len(v) && v[i] >= 'A' && v[i] <= 'Z'; i++ {
			}
			for ; i < len(v) && v[i] >= 'a' && v[i] <= 'z'; i++ {
			}
			if i-from < 3 || !vowel(v[from:i]) && i-from > 4 {
				return false
			}
			words++
		default:
			return false
		}
	}
	return words >= 2 || words == 1 && hasDigit(v) && (strings.EqualFold(v[:3], "int") || strings.EqualFold(v[:3], "uin") || strings.EqualFold(v[:3], "sha") || strings.EqualFold(v[:3], "bas"))
}

func vowel(s string) bool { return strings.ContainsAny(s, "aeiouyAEIOUY") }

// proseWords are words that stand in sentences about secrets.
var proseWords = words(`the a an is are was be to of or and not no must your for in on at with from should required invalid please enter password passwords token secret key
	wrong expired missing reset new confirm only this that it by use field value optional string passphrase if when has will can cannot`)

// prose tells whether a value reads like a sentence.
func prose(v string) bool {
	if strings.IndexByte(v, ' ') < 0 {
		return false
	}
	words := strings.Fields(v)
	for _, w := range words {
		if len(words) > 2 && proseWords()[strings.ToLower(strings.Trim(w, ".,:;!?'\"()"))] {
			return true
		}
	}
	return len(words) > 24 || strings.HasSuffix(v, ":") || len(words) == 2 && (proseWords()[strings.ToLower(words[1])] || proseWords()[strings.ToLower(words[0])] && len(words[0]) > 2)
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
	if first, rest, ok := strings.Cut(name, "."); ok && rest != "" && first != "" {
		if last := split(rest); len(last) > 0 && meaningOf(last).level > 0 && !random(first) {
			return true // rotated1.ClientSecret
		}
		if !hasDigit(name) && !random(name) || len(first) < 8 && roots()[strings.ToLower(first)] {
			return true // a path of identifiers
		}
	}
	if !hasDigit(name) && strings.Contains(name, "_") && !random(name) {
		return true
	}
	if name == strings.ToUpper(name) && strings.Count(name, "_") > 1 && !random(name) {
		return true
	}
	return secretName(name).level > 0 && (!hasDigit(name) || !random(name) && name[0] >= 'a' && len(split(name)) > 2)
}

// named tells whether a value is a name for a secret and a number:
// secret-0001.
func named(v string) bool {
	return len(v) <= 24 && !random(v) && secretName(v).level > 0
}

// slug tells whether a value is made of words, as names of things are:
// my-db-credentials-1. Passwords are, too.
func slug(v string) bool {
	parts, digits := 1, 0
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case digit(c):
			digits++
		case c == '-' || c == '_':
			parts++
		case !letter(c) && c != '.':
			return false
		}
	}
	return parts > 2 && digits <= 3 && !random(v)
}

// isDate tells whether a value begins with a date: 2026-01-02.
func isDate(v string) bool {
	return len(v) >= 10 && len(v) <= 35 && v[4] == '-' && v[7] == '-' && allDigits(v[:4]) && allDigits(v[5:7]) && allDigits(v[8:10])
}

// constant tells whether a value is a number of a program or bytes as escapes.
func constant(v string) bool {
	if strings.HasPrefix(v, `\x`) || strings.HasPrefix(v, `\u`) {
		return true
	}
	return len(v) <= 18 && strings.HasPrefix(v, "0x") && all(v[2:], hex)
}

// roots begin paths of identifiers.
var roots = words(`self this var data local module process config cfg os env secrets props req request res ctx state params opts args user input body event session crypto
	t e c s r p m`)

// mixed tells whether a value has letters and digits, as passwords do and
// words do not.
func mixed(v string) bool { return hasDigit(v) && hasLetter(v) }

// generated tells whether a value is no word: a person or a program made it up.
func generated(v string) bool {
	return (mixed(v) || hasSymbol(v)) && strings.IndexByte(v, ' ') < 0 && !harmlessValue(v)
}

// random tells whether a value looks generated: between letters of one case,
// capitals and digits it changes more often than words of any language do.
func random(v string) bool {
	if len(v) < 8 {
		return false
	}
	letters, pieces, digits := 0, 0, 0
	for i := 0; i < len(v); i++ {
		c := v[i]
		if !letter(c) {
			if digit(c) {
				digits++
			}
			continue
		}
		letters++
		upper := c < 'a'
		if i == 0 || !letter(v[i-1]) || upper && (v[i-1] >= 'a' || i+1 < len(v) && v[i+1] >= 'a' && letter(v[i+1])) {
			pieces++
		}
	}
	if digits == 0 {
		return letters >= 16 && letters*10 < pieces*26
	}
	return letters > 0 && letters*10 < pieces*27
}

// hasSymbol tells whether a character that words do not have stands in a value.
func hasSymbol(v string) bool {
	return len(v) > 2 && strings.ContainsAny(v[1:len(v)-1], "!@#$%^&*+=")
}

// isPath tells whether a value may be a place: of files, of a network.
func isPath(v string) bool {
	return strings.IndexByte(v, '/') >= 0 && len(v) < 30 || strings.ContainsAny(v, ":@")
}

// threeClasses tells whether a value has small letters, capitals and digits.
func threeClasses(v string) bool {
	return len(v) >= 8 && hasDigit(v) && v != strings.ToLower(v) && v != strings.ToUpper(v)
}
