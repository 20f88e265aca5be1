package redact

import (
	"strings"
)

// value is a place in the text.
type value struct {
	from, to int
	quoted   bool
	spaced   bool // white space stands before it
}

var (
	// inBare are the bytes of a value without quotes; a \ may end it.
	inBare = notChars(" \t\r\n\"'`,;&<>|(){}\x1b\\")
	// closing are the bytes that may stand between a name and its sign.
	closing = chars(" \t\"'`\\]")
	// inLiteral are those before the sign in a literal.
	inLiteral = chars("A-Za-z0-9_. /-")
	// noLiteral are the first bytes behind a quote that ends a literal.
	noLiteral = chars(");,+")
	quotes    = chars("\"'\\")
	// lineStarts may stand before a name that begins its line.
	lineStarts = chars(" \t+\"'-")
)

// valueAfter is what follows a sign on the same line.
func valueAfter(s string, i int) value {
	at := i + 1
	if byteAt(s, at) == '=' {
		at++ // :=
	}
	v := value{from: run(s, at, len(s), &space)}
	v.spaced = v.from > at
	v.from = skipColour(s, v.from)
	v.from += literalPrefix(s[v.from:])
	quote := quoteOf(s[v.from:])
	if quote == "" {
		v.to = endOf(s, v.from, v.from+2*looked, &inBare, `\n`, `\u00`, `\"`, `\x1b`)
		return v
	}
	v.quoted = true
	v.from += len(quote)
	v.to = v.from
	n := strings.Index(behind(s, v.from, 8*looked), quote)
	if n <= 0 {
		return v
	}
	inner := s[v.from : v.from+n]
	program := noLiteral.has(inner[0]) && (inner[0] != '+' || !some(inner, &digit))
	if !program && !strings.Contains(inner, "\n") && !closes(s, i, quote[len(quote)-1]) {
		v.to += n
	}
	return v
}

// quoteOf is the quote that a text begins with; a \ may stand before it.
func quoteOf(s string) string {
	n := run(s, 0, 1, &backslash)
	if c := byteAt(s, n); c == '"' || c == '\'' || c == '`' && n == 0 {
		return s[:n+1]
	}
	return ""
}

var backslash = chars("\\")

// endOf is where a run of a set ends; a \ is not in it, and ends it in some escapes only.
func endOf(s string, at, most int, of *set, escapes ...string) int {
	for {
		at = run(s, at, most, of)
		if at >= most || byteAt(s, at) != '\\' || startsWith(s[at:], escapes...) {
			return at
		}
		at++
	}
}

// closes tells whether the quote right behind a sign ends a literal that began
// with the name: "PWD=" + dir.
func closes(s string, i int, quote byte) bool {
	at := back(s, i, i-64, &inLiteral)
	if at == i || byteAt(s, at-1) != quote {
		return false
	}
	// "a" "b=": whether the quote before the name opens a literal.
	return strings.Count(lineBefore(s, at, looked), string(quote))%2 == 1
}

// skipColour goes over a terminal's colour.
func skipColour(s string, at int) int {
	if byteAt(s, at) != '\x1b' || byteAt(s, at+1) != '[' {
		return at
	}
	end := run(s, at+2, at+15, &colouring)
	if byteAt(s, end) == 'm' {
		return end + 1
	}
	return at
}

// literalPrefix is the length of what may stand before a literal's quote:
// b"...", string = "...", String::from("...").
func literalPrefix(s string) int {
	for _, p := range []string{"String::from(", "string = "} {
		if strings.HasPrefix(s, p) {
			return len(p)
		}
	}
	n := run(s, 0, 1, &literalLetters)
	if c := byteAt(s, n); c == '"' || c == '\'' {
		return n
	}
	return 0
}

var literalLetters = chars("brf@LN")

// lineEnd tells whether nothing but a comment stands behind a place on its
// line.
func lineEnd(s string, at int) bool {
	rest := strings.TrimLeft(behind(s, skipColour(s, at), 8), " \t\r")
	return rest == "" || startsWith(rest, "\n", "#", `\n`)
}

// headerStart tells whether a name begins the value of curl's -H.
func headerStart(s string, at int) bool {
	return endsWith(strings.TrimRight(before(s, back(s, at, 0, &quotes), 16), " ="), "-H", "--header")
}

// lineStart tells whether only white space, a list's dash, a sign of a
// difference or a quote stands before a place on its line.
func lineStart(s string, at int) bool {
	at = back(s, at, 0, &lineStarts)
	return at == 0 || endsWith(s[:at], "\n", `\n`)
}

// nameBefore is the name before a sign, without quotes, brackets, colours and
// spaces; left is where it begins, not before from, where a secret has ended.
func nameBefore(s string, i, from int) (name string, left int) {
	least := max(from, i-looked)
	end := i
	if i > least && s[i-1] == ':' {
		end-- // Pascal's and Go's :=
	}
	for again := true; again; {
		end = back(s, end, least, &closing)
		end, again = beforeColour(s, end, least)
	}
	left = back(s, end, least, &dotted)
	if left > least && end-left > 5 && startsWith(s[left-1:end], `\u0`) {
		left += 5 // an escape that nobody decoded
	}
	return s[left:end], left
}

// beforeColour goes back over a terminal's colour.
func beforeColour(s string, end, least int) (at int, found bool) {
	if end-least <= 3 || s[end-1] != 'm' {
		return end, false
	}
	at = back(s, end-1, least, &colouring)
	if strings.HasSuffix(s[least:at], "\x1b[") {
		return at - 2, true
	}
	return end, false
}

// wholeLine is a value of several words that ends its line; an empty one where
// it is a sentence or goes on as a program.
func wholeLine(s string, v value, name string) value {
	line := cut(behind(s, v.from, looked), "\n", "\r", `\n`)
	line = strings.TrimRight(cut(strings.TrimRight(line, " \t"), " #"), " \t")
	v.to = v.from
	program := strings.ContainsAny(line, "\"'`,;(){}[]<>|") || strings.HasSuffix(line, ".")
	ofWords := mixed(line) && line == strings.ToLower(line)
	if !program && (ofWords || strings.HasSuffix(strings.ToLower(name), "phrase")) {
		v.to += len(line)
	}
	v.quoted = v.to > v.from
	return v
}
