package screen

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/piton-project/piton"
)

// steers tells which characters must not reach a terminal from a text that
// others wrote: controls (C0, DEL, C1) steer it, bidirectional marks reorder
// what is read.
func steers(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// ownSequence is a style, or a move of the cursor, that a program for people writes itself.
var ownSequence = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)

// Fence is piton.Fence for what a program prints, with the sequences for the terminal
// that it writes itself: an agent may read it, in a pipe or in a terminal of its own.
func Fence(text string, terminal bool) string {
	if !terminal {
		return piton.Fence(text)
	}
	var b strings.Builder
	done := 0
	for _, at := range ownSequence.FindAllStringIndex(text, -1) {
		b.WriteString(piton.Fence(text[done:at[0]]) + text[at[0]:at[1]])
		done = at[1]
	}
	return b.String() + piton.Fence(text[done:])
}

// Line makes one line of a text that others wrote. It is fenced, as it may be cut before
// it is printed.
func Line(s string) string {
	return piton.FenceLine(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "�"), func(r rune) bool { return unicode.IsSpace(r) || steers(r) }), " "))
}

// Clean makes lines of a text that others wrote safe to show, as Line does; the lines stay.
func Clean(s string) string {
	return piton.Fence(strings.Map(func(r rune) rune {
		if steers(r) && r != '\n' && r != '\t' {
			return '�'
		}
		return r
	}, strings.ToValidUTF8(s, "�")))
}

// CleanJSON writes the characters that must not reach a terminal as JSON
// escapes: the value stays the same.
func CleanJSON(b []byte) []byte {
	var out []byte
	done := 0
	for i, r := range string(b) {
		if r < 0x7f || !steers(r) {
			continue
		}
		out = fmt.Appendf(append(out, b[done:i]...), "\\u%04x", r)
		done = i + len(string(r))
	}
	if done == 0 {
		return b
	}
	return append(out, b[done:]...)
}

// Short is a text on one line that takes at most n columns of a terminal.
func Short(s string, n int) string { return CutEnd(Line(s), n) }

// Counted is a number of things, each called noun.
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// OrDash is a text, and a dash for none.
func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Percent is a portion, and a dash where it is not known.
func Percent(p *int) string {
	if p == nil {
		return "-"
	}
	return strconv.Itoa(*p) + "%"
}

// Quote writes a command so that a shell reads it back.
func Quote(argv ...string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		if w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:@") == "" {
			words[i] = w
			continue
		}
		words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(words, " ")
}
