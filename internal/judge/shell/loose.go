package shell

import "strings"

// Loose is a line that Parse cannot read, cut into words.
type Loose struct {
	parts    [][]string
	programs map[string]bool // that some word may name
}

// ReadLoose cuts a line, or the beginning of a long one, into words.
func ReadLoose(line string) Loose {
	if len(line) > maxLine {
		line = line[:maxLine]
	}
	l := Loose{programs: map[string]bool{}}
	for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(";&|\n()", r) }) {
		words := strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune(" \t\r'\"`{}", r) })
		for _, word := range words {
			l.programs[program(word)] = true
		}
		l.parts = append(l.parts, words)
	}
	return l
}

// Match reports whether a part of the line has the words of the pattern. Parts
// that begin with a program that merely mentions commands do not count.
func (l Loose) Match(p Pattern) bool {
	if len(p.words) == 0 || !l.programs[program(p.words[0])] {
		return false
	}
	for _, words := range l.parts {
		tries := 0
		for i, word := range words {
			if mentions(word) || tries == maxDepth {
				break
			}
			if program(word) == program(p.words[0]) {
				tries++
				if (Command{Words: words[i:]}).Spellings().Match(p) {
					return true
				}
			}
		}
	}
	return false
}
