package redact

import "strings"

// Classes of bytes.
const (
	other = iota
	word  // letters, digits, _ and -
	sign  // = and :
	angle // <
	dollar
	brace // { and [
)

var class = func() (c [256]uint8) {
	for b := 'a'; b <= 'z'; b++ {
		c[b], c[b-'a'+'A'] = word, word
	}
	for b := '0'; b <= '9'; b++ {
		c[b] = word
	}
	c['_'], c['-'] = word, word
	c['='], c[':'], c['<'], c['$'], c['{'], c['['] = sign, sign, angle, dollar, brace, brace
	return c
}()

// closing are the bytes that may stand between a name and its sign, inNames those of
// the name.
var (
	closing = [256]bool{' ': true, '\t': true, '"': true, '\'': true, '`': true, '\\': true, ']': true}
	inNames = byteSet(dotted)
)

func byteSet(of alphabet) (set [256]bool) {
	for b := range set {
		set[b] = of(byte(b))
	}
	return set
}

func upperDigit(c byte) bool { return c >= 'A' && c <= 'Z' || digit(c) }
func digit(c byte) bool      { return c >= '0' && c <= '9' }
func letter(c byte) bool     { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func alnum(c byte) bool      { return letter(c) || digit(c) }
func wordy(c byte) bool      { return class[c] == word }
func hex(c byte) bool        { return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
func blank(c byte) bool      { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
func lowerHex(c byte) bool   { return digit(c) || c >= 'a' && c <= 'f' }
func base32(c byte) bool     { return c >= 'a' && c <= 'z' || c >= '2' && c <= '7' }
func base64ish(c byte) bool  { return alnum(c) || strings.IndexByte("+/=_-", c) >= 0 }
func tilded(c byte) bool     { return dotted(c) || c == '~' }
func cryptic(c byte) bool    { return base64ish(c) || strings.IndexByte("$.,", c) >= 0 }
func dotted(c byte) bool     { return wordy(c) || c == '.' }

// alphabet says which characters a token has behind its prefix.
type alphabet func(c byte) bool

// all tells whether every byte of a text is of an alphabet.
func all(s string, of alphabet) bool { return run(s, 0, len(s), of) == len(s) }

// some tells whether a byte of a text is of an alphabet.
func some(s string, of alphabet) bool {
	for i := range len(s) {
		if of(s[i]) {
			return true
		}
	}
	return false
}

// run is where the bytes of an alphabet end that begin at from, most at the
// latest.
func run(s string, from, most int, of alphabet) int {
	for from < min(len(s), most) && of(s[from]) {
		from++
	}
	return from
}

// anyByte tells whether a byte is one of a set.
func anyByte(set string) alphabet { return func(c byte) bool { return strings.IndexByte(set, c) >= 0 } }

func hasDigit(s string) bool   { return some(s, digit) }
func hasLetter(s string) bool  { return some(s, letter) }
func allDigits(s string) bool  { return all(s, digit) }
func identifier(s string) bool { return s != "" && all(s, wordy) }
