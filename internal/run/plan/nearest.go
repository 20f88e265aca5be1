package plan

import (
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/nearest"
)

// DidYouMean suggests the nearest of the names, or lists them where they are few. It
// begins with "; ", or is "".
func DidYouMean(name string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	if best := nearest.Name(name, names); best != "" {
		return "; did you mean " + quoted(best) + "?"
	}
	if len(names) > maxListed {
		return ""
	}
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	return "; there are " + strings.Join(sorted, ", ")
}

const maxListed = 24 // names

// quoted is a name for people, shortened.
func quoted(name string) string {
	return `"` + visible(clippedAt(name, 60)) + `"`
}

// visible is a text with blanks for its control characters.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
}

// clipped is a text for an error.
func clipped(text string) string { return clippedAt(text, 80) }

func clippedAt(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
