package screen

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// wrapping is how long lines are broken for a person's terminal: at blanks, with a
// hanging indent. What people copy stays on one line, even where that is wider than the
// terminal: words and therefore ids and paths, what stands in quotes (commands), and the
// phrases to keep. Only wide characters, which have no blanks between them, are broken
// inside of a word that fits no line.
type wrapping struct {
	columns int                   // of the terminal; 0 or less: lines stay as they are
	indent  func(line string) int // of a line's continuation
	keep    []string              // phrases that are never broken
}

// Always is the same indent for every line.
func Always(columns int) func(string) int { return func(string) int { return columns } }

// Wrap breaks the lines of a text where they are wider than a terminal of so many columns;
// 0 for one whose width is not known, which keeps them. indent is where the rest of a line
// goes on, and keep are phrases that are never broken.
func Wrap(text string, columns int, indent func(line string) int, keep ...string) string {
	return wrapping{columns, indent, keep}.lines(text)
}

// lines breaks each line of a text.
func (w wrapping) lines(text string) string {
	if w.columns <= 0 {
		return text
	}
	var b strings.Builder
	for l := range strings.Lines(text) {
		l, end := strings.CutSuffix(l, "\n")
		b.WriteString(w.line(l))
		if end {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// line breaks a line. The blanks at a break are left out.
func (w wrapping) line(l string) string {
	if Columns(l) <= w.columns {
		return l
	}
	indent := min(w.indent(l), w.columns/2)
	var b strings.Builder
	at, blanks := 0, ""
	for rest := l; rest != ""; {
		var word string
		gap := len(rest) - len(strings.TrimLeft(rest, " "))
		blanks, rest = rest[:gap], rest[gap:]
		word, rest = w.word(rest)
		for _, part := range parts(word, w.columns-indent) {
			if at > indent && at+len(blanks)+Columns(part) > w.columns {
				b.WriteString("\n")
				at, blanks = indent, strings.Repeat(" ", indent)
				b.WriteString(blanks + part)
			} else {
				at += len(blanks)
				b.WriteString(blanks + part)
			}
			at, blanks = at+Columns(part), ""
		}
	}
	return b.String()
}

// word cuts off what stays together at the beginning of a text that begins with no
// blank.
func (w wrapping) word(text string) (word, rest string) {
	end := inQuotes(text)
	inside := strings.TrimLeft(text, opening)
	for _, phrase := range w.keep {
		if strings.HasPrefix(inside, phrase) {
			end = max(end, len(text)-len(inside)+len(phrase))
		}
	}
	if blank := strings.IndexByte(text[end:], ' '); blank >= 0 {
		return text[:end+blank], text[end+blank:]
	}
	return text, ""
}

// Marks: what may stand before a quote or a phrase without a blank, the quotes in which
// commands stand, and what may follow one without a blank.
const (
	opening = "(["
	quotes  = "'`"
	closing = " ,.;:!?)]"
)

// inQuotes is how many bytes at the beginning of a text are in quotes; 0 for none. An
// apostrophe is not a quote.
func inQuotes(text string) int {
	start := len(text) - len(strings.TrimLeft(text, opening))
	if start == len(text) || strings.IndexByte(quotes, text[start]) < 0 {
		return 0
	}
	for i := start + 1; i < len(text); i++ {
		if text[i] == text[start] && (i+1 == len(text) || strings.IndexByte(closing, text[i+1]) >= 0) {
			return i + 1
		}
	}
	return 0
}

// parts is a word, or where it has no room in a line, the parts that it may be broken
// into: after each wide character.
func parts(word string, columns int) (list []string) {
	if Columns(word) <= columns {
		return []string{word}
	}
	start, at := 0, 0
	for rest := onTerminal.StringGraphemes(word); rest.Next(); {
		at += len(rest.Value())
		if rest.Width() > 1 {
			list, start = append(list, word[start:at]), at
		}
	}
	return slices.DeleteFunc(append(list, word[start:]), func(s string) bool { return s == "" })
}

// onTerminal measures texts as terminals show them: wide characters take two
// columns, what steers the terminal none.
var onTerminal = displaywidth.Options{ControlSequences: true}

// Columns is how many columns a line takes on a terminal.
func Columns(line string) int { return onTerminal.String(line) }

// CutEnd is the beginning of a text that takes at most so many columns.
func CutEnd(text string, columns int) string {
	return onTerminal.TruncateString(text, max(columns, 1), "…")
}

// CutBeginning is the end of a text that takes at most so many columns.
func CutBeginning(text string, columns int) string {
	over := Columns(text) - columns
	if over <= 0 {
		return text
	}
	rest := onTerminal.StringGraphemes(text)
	dropped, at := 0, 0
	for dropped < over+1 && rest.Next() {
		dropped += rest.Width()
		at += len(rest.Value())
	}
	return "…" + text[at:]
}
