// Package nearest finds the name that a misspelt one stands for.
package nearest

import (
	"slices"
	"strings"
)

// maxCompared is how long a name is compared, in bytes.
const maxCompared = 100

// Name is the first of the names that are least edits away from a misspelt one, at most a
// third of its length; "" if none is near. Case, and whether words are joined by - or _, do
// not count.
func Name(name string, names []string) string {
	if len(name) > maxCompared {
		return ""
	}
	best, least := "", 0
	for _, have := range names {
		n := edits(plain(name), plain(have))
		if n <= max(1, min(len(name), len(have))/3) && (best == "" || n < least) {
			best, least = have, n
		}
	}
	return best
}

// InHint is Name for a hint; "" where none is surely meant. Short names, and those of very
// different lengths, are near to everything. One with a quote is left out: a hint's quotes
// are for verbs.
func InHint(name string, names []string) string {
	return Name(name, slices.DeleteFunc(names, func(have string) bool {
		long := 2*len(have) > 3*len(name) || 2*len(name) > 3*len(have)
		return len(name) <= 3 || long || strings.Contains(have, "'")
	}))
}

func plain(name string) string { return strings.ReplaceAll(strings.ToLower(name), "-", "_") }

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
