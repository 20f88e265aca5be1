package plan

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// dotted rewrites steps.fetch-data.output and steps.1.output, whose ids the
// expression language would read as a subtraction or a number, as
// steps["fetch-data"].output. The id of a step goes up to the next dot or bracket;
// an input's name is the longest known one. Texts in quotes stay.
func dotted(text string, inputs []string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if n := quotedLen(text[i:]); n > 0 {
			b.WriteString(text[i : i+n])
			i += n
			continue
		}
		word := ""
		for _, w := range []string{"steps", "inputs"} {
			if strings.HasPrefix(text[i:], w) && (i == 0 || !nameByte(text[i-1]) && text[i-1] != '.') {
				word = w
			}
		}
		rest := text[i+len(word):]
		dot := ""
		for _, d := range []string{"?.", "."} {
			if dot == "" && strings.HasPrefix(rest, d) {
				dot = d
			}
		}
		if word == "" || dot == "" {
			b.WriteByte(text[i])
			i++
			continue
		}
		name := dottedName(rest[len(dot):], word == "steps", inputs)
		b.WriteString(word)
		i += len(word)
		if name == "" {
			continue
		}
		if dot == "?." {
			b.WriteString("?.")
		}
		b.WriteString(`["` + name + `"]`)
		i += len(dot) + len(name)
	}
	return b.String()
}

var leadingName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(-?\w)*`) })

// dottedName is the name at the beginning of a text where it must be rewritten,
// else "".
func dottedName(text string, step bool, inputs []string) string {
	name := leadingName().FindString(text)
	if step {
		rest := text[len(name):]
		if strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "?.") || strings.HasPrefix(rest, "[") {
			return special(name)
		}
		return ""
	}
	best := ""
	for _, have := range inputs {
		if len(have) > len(best) && strings.HasPrefix(name, have) && (len(have) == len(name) || !nameByte(name[len(have)])) {
			best = have
		}
	}
	return special(best)
}

// special is a name that is not an identifier, else "".
func special(name string) string {
	if name == "" || !strings.Contains(name, "-") && (name[0] < '0' || name[0] > '9') {
		return ""
	}
	return name
}

// quotedLen is the length of a text in quotes at the beginning, 0 where there is
// none.
func quotedLen(text string) int {
	if text == "" || !strings.ContainsRune("'\"`", rune(text[0])) {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[0] != '`':
			i++
		case text[i] == text[0]:
			return i + 1
		}
	}
	return len(text)
}

// outsideQuotes is a text with blanks for what stands in quotes.
func outsideQuotes(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if n := quotedLen(text[i:]); n > 0 {
			b.WriteString(strings.Repeat(" ", n))
			i += n
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

func nameByte(c byte) bool {
	return c == '_' || c < utf8.RuneSelf && unicode.In(rune(c), unicode.Letter, unicode.Digit)
}
