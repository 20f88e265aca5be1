package redact

import (
	_ "embed"
	"strings"
)

// How sure a name is.
const (
	unsure = 1 + iota // its value is a secret where it looks like one
	sure              // its value is a secret unless it is plainly none
)

// meaning is what a name says of its value: nothing at level 0.
type meaning struct {
	kind  string
	level int
}

var levels = map[string]int{"sure": sure, "unsure": unsure}

//go:embed names.txt
var nameTable string

// nameRow is a line of names.txt.
type nameRow struct {
	where string
	meaning
	words string
}

// nameRows goes over names.txt.
func nameRows(yield func(nameRow) bool) {
	for line := range strings.Lines(nameTable) {
		where, rest := cutWord(strings.TrimSuffix(line, "\n"))
		kind, rest := cutWord(rest)
		level, words := cutWord(rest)
		if where != "#" && !yield(nameRow{where, meaning{kind, levels[level]}, words}) {
			return
		}
	}
}

// ending is a word that ends names.
type ending struct {
	word string
	meaning
}

// ends tells whether the last two words of a name end in this word, wherever they part.
func (e *ending) ends(first, last string) bool {
	if strings.HasSuffix(last, e.word) {
		return true
	}
	head, ok := strings.CutSuffix(e.word, last)
	return ok && strings.HasSuffix(first, head)
}
