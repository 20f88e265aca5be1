package piton

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cut is the beginning of a text, of n bytes at most and of whole characters.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Printable is a text that others wrote as a record or a message may have it:
// on one line. White space of any kind becomes a space; other control
// characters and bytes that are not UTF-8 are written as escapes such as \x1b,
// so that they are seen and steer no terminal.
func Printable(s string) string { return printable(s, false) }

// PrintableLines is Printable with the text's lines and tabs kept; CR LF and CR
// become LF.
func PrintableLines(s string) string { return printable(s, true) }

func printable(s string, lines bool) string {
	stays := func(r rune) bool { return !unicode.IsControl(r) || lines && (r == '\n' || r == '\t') }
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !stays(r) }) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case stays(r):
			b.WriteRune(r)
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			// the line feed behind it stands for both
		case lines && r == '\r':
			b.WriteByte('\n')
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}
