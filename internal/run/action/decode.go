package action

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxLayers bounds how often a text is decoded: a value in JSON in HTML in an address.
const maxLayers = 4

// decoding is a text of which escapes were decoded, and where each of its bytes stood
// in the text as it came.
type decoding struct {
	text   string
	at     []int // nil: nothing was decoded
	layers int
}

func undecoded(t string) decoding { return decoding{text: t} }

// place is where a byte stood in the text as it came.
func (d decoding) place(i int) int {
	if d.at == nil {
		return i
	}
	return d.at[i]
}

// decode decodes one layer of escapes, of whatever kind each is; false where there is
// none, or where it was done often enough.
func (d decoding) decode() (next decoding, more bool) {
	s := d.text
	if d.layers == maxLayers || !strings.ContainsAny(s, `%&\'"`) {
		return decoding{}, false
	}
	out := make([]byte, 0, len(s))
	at := make([]int, 0, len(s)+1)
	for i := 0; i < len(s); {
		plain, n := escape(s[i:])
		if n == 0 {
			plain, n = s[i:i+1], 1
		} else {
			more = true
		}
		for range len(plain) {
			at = append(at, d.place(i))
		}
		out = append(out, plain...)
		i += n
	}
	return decoding{string(out), append(at, d.place(len(s))), d.layers + 1}, more
}

// escape is what the escape that a text begins with stands for, and how long it is; 0
// where it begins with none.
func escape(s string) (plain string, n int) {
	switch s[0] {
	case '%':
		if len(s) > 1 && s[1] == 'u' {
			return number(s, 2, 4, 16)
		}
		return number(s, 1, 2, 16)
	case '&':
		n = reference(s[:min(len(s), 34)])
		if plain = html.UnescapeString(s[:n]); plain != s[:n] {
			return plain, n
		}
	case '\\':
		return backslash(s)
	case '\'', '"':
		for _, q := range [...]string{`'\''`, `'"'"'`} { // a quote inside the quotes of a shell
			if strings.HasPrefix(s, q) {
				return "'", len(q)
			}
		}
		if len(s) > 1 && s[1] == s[0] { // of SQL, of CSV
			return s[:1], 2
		}
	}
	return "", 0
}

// reference is how long the reference of HTML may be that a text begins with. A number
// needs no semicolon.
func reference(s string) int {
	name, end := s, strings.IndexByte(s, ';')+1
	if strings.HasPrefix(s, "&#") {
		digits := "0123456789"
		if name = s[2:]; name != "" && name[0]|0x20 == 'x' {
			name, digits = name[1:], digits+"abcdefABCDEF"
		}
		if end = len(s) - len(strings.TrimLeft(name, digits)); end < len(s) && s[end] == ';' {
			end++
		}
	}
	return end
}

// backslash is escape for those of JSON, of shells and of programming languages.
func backslash(s string) (plain string, n int) {
	if len(s) < 2 {
		return "", 0
	}
	switch s[1] {
	case 'u':
		if strings.HasPrefix(s[2:], "{") {
			if end := strings.IndexByte(s[:min(len(s), 11)], '}'); end > 0 {
				plain, n = number(s[:end], 3, end-3, 16)
				return plain, n + 1
			}
		}
		return surrogates(s)
	case 'U':
		return number(s, 2, 8, 16)
	case 'x':
		return number(s, 2, 2, 16)
	case '0', '1', '2', '3':
		if plain, n = number(s, 1, 3, 8); n > 0 {
			return plain, n
		}
	}
	if i := strings.IndexByte("abefnrtv", s[1]); i >= 0 {
		return "\a\b\x1b\f\n\r\t\v"[i : i+1], 2
	}
	return s[1:2], 2
}

// number is the byte or the character that digits of a base stand for, which begin at a
// place of an escape.
func number(s string, from, digits, base int) (plain string, n int) {
	if len(s) < from+digits {
		return "", 0
	}
	v, err := strconv.ParseUint(s[from:from+digits], base, 32)
	switch {
	case err != nil || digits == 0:
		return "", 0
	case digits < 4 && s[1] != 'u':
		return string([]byte{byte(v)}), from + digits
	}
	return string(rune(v)), from + digits
}

// surrogates is a character of JSON, which may be written as two.
func surrogates(s string) (plain string, n int) {
	plain, n = number(s, 2, 4, 16)
	if n == 0 || len(s) < 12 || s[6:8] != `\u` {
		return plain, n
	}
	high, _ := strconv.ParseUint(s[2:6], 16, 32)
	low, err := strconv.ParseUint(s[8:12], 16, 32)
	if r := utf16.DecodeRune(rune(high), rune(low)); err == nil && r != utf8.RuneError {
		return string(r), 12
	}
	return plain, n
}
