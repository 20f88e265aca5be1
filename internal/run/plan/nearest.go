package plan

import (
	"slices"
	"strings"
)

// DidYouMean suggests the nearest of the names, or lists them where they are few. It
// begins with "; ", or is "".
func DidYouMean(name string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	if best := nearest(name, names); best != "" {
		return "; did you mean " + quoted(best) + "?"
	}
	if len(names) > maxListed {
		return ""
	}
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	return "; there are " + strings.Join(sorted, ", ")
}

const (
	maxListed   = 24  // names that are listed
	maxCompared = 100 // bytes of a name that is compared
)

// nearest is the name that is least edits away, at most a third of its length.
func nearest(name string, names []string) string {
	if len(name) > maxCompared {
		return ""
	}
	best, least := "", 0
	for _, have := range names {
		n := edits(strings.ToLower(name), strings.ToLower(have))
		if n <= max(1, min(len(name), len(have))/3) && (best == "" || n < least) {
			best, least = have, n
		}
	}
	return best
}

// edits counts the insertions, deletions, changes and swaps of neighbours between
// two words.
func edits(a, b string) int {
	if len(b) > maxCompared {
		return maxCompared
	}
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

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
