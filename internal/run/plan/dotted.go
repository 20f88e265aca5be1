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
// an input's name is the longest known one, that of a matrix as long as a name can be. Texts in quotes stay.
func dotted(text string, inputs []string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		n := quotedLen(text[i:])
		m := reference().FindStringSubmatch(text[i:])
		begins := i == 0 || !nameByte(text[i-1]) && text[i-1] != '.'
		switch {
		case n > 0:
			b.WriteString(text[i : i+n])
			i += n
		case m == nil || !begins:
			b.WriteByte(text[i])
			i++
		default:
			word, dot, name := m[1], m[2], m[3]
			if m[4] == "" && word == "steps" {
				name = ""
			} else if word == "inputs" {
				name = longest(inputs, name)
			}
			b.WriteString(word)
			i += len(word)
			if special().MatchString(name) {
				if dot == "?." {
					b.WriteString(dot)
				}
				b.WriteString(`["` + name + `"]`)
				i += len(dot) + len(name)
			}
		}
	}
	return b.String()
}

var (
	// reference is a step or an input by its name, and what goes on behind it.
	reference = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(steps|inputs|matrix)(\?\.|\.)((?:-?\w)*)(\.|\?\.|\[|)`)
	})
	// special is a name that is not an identifier.
	special = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]|-`) })
	// quotedText is a text in quotes; it may lack its end.
	quotedText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?s)\"(?:\\\\.|[^\"\\\\])*\\\\?(?:\"|$)|'(?:\\\\.|[^'\\\\])*\\\\?(?:'|$)|`[^`]*(?:`|$)")
	})
)

// longest is the longest of some names that a text begins with.
func longest(names []string, text string) (best string) {
	for _, have := range names {
		if len(have) > len(best) && strings.HasPrefix(text, have) && (len(have) == len(text) || !nameByte(text[len(have)])) {
			best = have
		}
	}
	return best
}

// quotedLen is the length of a text in quotes at the beginning, 0 where there is
// none.
func quotedLen(text string) int {
	if text == "" || !strings.Contains("'\"`", text[:1]) {
		return 0 // most often, and faster than a search
	}
	return len(quotedText().FindString(text))
}

// outsideQuotes is a text with blanks for what stands in quotes.
func outsideQuotes(text string) string {
	return quotedText().ReplaceAllStringFunc(text, func(quoted string) string { return strings.Repeat(" ", len(quoted)) })
}

func nameByte(c byte) bool {
	return c == '_' || c < utf8.RuneSelf && unicode.In(rune(c), unicode.Letter, unicode.Digit)
}
