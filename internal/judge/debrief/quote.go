package debrief

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/piton-project/piton"
)

// Bounds of what is said, in characters.
const (
	shown      = 120 // a name, a command or a line of output
	ruleShown  = 400 // a rule's instruction
	filesShown = 8   // names in a category
	namesShown = 420 // bytes of them
	labelShown = 60  // a category
)

// quote makes data of a string that a stranger may have written: in back-ticks,
// without line breaks, control characters, back-ticks or what could be a tag, and
// short.
func quote(s string) string { return quoteTo(s, shown) }

// quoteTo is quote with another bound, in characters.
func quoteTo(s string, n int) string {
	s = strings.ReplaceAll(safe(s), "`", "")
	if s = strings.TrimSpace(cut(s, n)); s == "" {
		s = "?"
	}
	return "`" + s + "`"
}

// safe is s on one line, without what could be read as mark-up or would not
// be seen.
func safe(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) || r == utf8.RuneError:
			return -1
		}
		return r
	}, piton.FenceLine(s))
	return strings.Join(strings.Fields(untagged(s)), " ")
}

// tag is what could be read as mark-up; opening is where such could begin.
var (
	tag     = lazily(`<([/!?]?[A-Za-z_][^<>|&;]*)>`)
	opening = lazily(`(^|[^<])<([/!?A-Za-z_])`)
)

// untagged is s with the brackets of tags made round. Redirections keep their
// sign, so that a command can be copied; a file to read from stands apart from
// it.
func untagged(s string) string {
	if !strings.ContainsRune(s, '<') {
		return s
	}
	for next := tag().ReplaceAllString(s, "($1)"); next != s; next = tag().ReplaceAllString(s, "($1)") {
		s = next
	}
	return opening().ReplaceAllString(s, "$1< $2")
}

// cut shortens s to n characters, the last of them an ellipsis.
func cut(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return strings.TrimRight(string(runes[:n-1]), " ") + "…"
}

// label is a category's name.
func label(name string) string {
	if name = strings.ReplaceAll(safe(name), "`", ""); name == "" {
		return "files"
	}
	return cut(name, labelShown)
}

// upper begins a sentence.
func upper(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// list quotes the first few of some names of files and folders. A control
// character in one is shown as an escape, so that the file can be found.
func list(all []string) string {
	var named []string
	room := namesShown
	for i, name := range all {
		q := quote(piton.Printable(name))
		if room -= len(q); i == filesShown || i > 0 && room < 0 {
			named = append(named, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		named = append(named, q)
	}
	return strings.Join(named, ", ")
}
