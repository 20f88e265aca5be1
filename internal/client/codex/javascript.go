package codex

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// token is a word of a script.
type token struct {
	kind byte // s: a string, t: a template, i: a name, n: a number, else the sign itself
	text string
}

// maxTokens bounds how much of a script is read.
const maxTokens = 20000

// tokens parts a script into its words. What is not understood is a sign.
func tokens(src string) (list []token) {
	for i := 0; i < len(src) && len(list) < maxTokens; {
		c := src[i]
		rest := src[i:]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case strings.HasPrefix(rest, "//"):
			i += lengthTo(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			i += lengthTo(rest, "*/")
		case c == '"' || c == '\'':
			text, n := quoted(rest, c)
			list, i = append(list, token{'s', text}), i+n
		case c == '`':
			text, n := quoted(rest, c)
			if len(list) > 0 && list[len(list)-1].text == "raw" {
				text = strings.TrimSuffix(rest[1:n], "`")
			}
			list, i = append(list, token{'t', text}), i+n
		case c == '/' && startsPattern(list):
			i += patternLength(rest)
			list = append(list, token{'/', ""})
		case isNameByte(c):
			n := 1
			for n < len(rest) && isNameByte(rest[n]) {
				n++
			}
			kind := byte('i')
			if '0' <= c && c <= '9' {
				kind = 'n'
			}
			list, i = append(list, token{kind, rest[:n]}), i+n
		case strings.HasPrefix(rest, "=>"):
			list, i = append(list, token{'>', "=>"}), i+2
		default:
			list, i = append(list, token{c, string(c)}), i+1
		}
	}
	return list
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf
}

// lengthTo is the length up to and with the end, or all of it.
func lengthTo(s, end string) int {
	if n := strings.Index(s, end); n >= 0 {
		return n + len(end)
	}
	return len(s)
}

// startsPattern tells whether a slash after these words begins a regular
// expression, and is no division.
func startsPattern(before []token) bool {
	if len(before) == 0 {
		return true
	}
	switch last := before[len(before)-1]; last.kind {
	case 's', 't', 'n', ')', ']', '}':
		return false
	case 'i':
		return last.text == "return"
	}
	return true
}

func patternLength(s string) int {
	class := false
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '\n':
			return 1
		case '/':
			if !class {
				return i + 1
			}
		}
	}
	return 1
}

// quoted reads a string or a template, and how long it is in the script. What a
// template puts in stays as it is written: ${name}.
func quoted(s string, end byte) (text string, n int) {
	var b strings.Builder
	deep := 0
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == end && deep == 0:
			return b.String(), i + 1
		case c == '\\' && i+1 < len(s):
			r, n := escaped(s[i+1:])
			b.WriteString(r)
			i += n
		default:
			if end == '`' && (strings.HasPrefix(s[i:], "${") || deep > 0 && c == '{') {
				deep++
				if c == '$' {
					b.WriteByte(c)
					i, c = i+1, '{'
				}
			} else if deep > 0 && c == '}' {
				deep--
			}
			b.WriteByte(c)
		}
	}
	return b.String(), len(s)
}

// escaped reads what follows a backslash, and how long it is.
func escaped(s string) (text string, n int) {
	switch s[0] {
	case 'n':
		return "\n", 1
	case 't':
		return "\t", 1
	case 'r':
		return "\r", 1
	case 'b', 'f', 'v', '0', '\n':
		return "", 1
	case 'x':
		return codePoint(s, 1, 3)
	case 'u':
		if strings.HasPrefix(s, "u{") {
			end := strings.IndexByte(s, '}')
			if end < 0 {
				return "u", 1
			}
			text, _ = codePoint(s, 2, end)
			return text, end + 1
		}
		return codePoint(s, 1, 5)
	}
	_, size := utf8.DecodeRuneInString(s)
	return s[:size], size
}

func codePoint(s string, from, to int) (text string, n int) {
	if to > len(s) {
		return s[:1], 1
	}
	r, err := strconv.ParseUint(s[from:to], 16, 21)
	if err != nil {
		return s[:1], 1
	}
	return string(rune(r)), to
}
