// Package words cuts texts and questions into the terms by which every store
// finds checkpoints, so that all of them find the same.
package words

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/piton-project/piton"
)

// Bounds of what a checkpoint is found by, in bytes.
const (
	termLength = 64        // of a term; longer ones are cut, here and in a question
	termsTotal = 128 << 10 // of all terms of a checkpoint, but for the last
)

// maxAsked bounds the terms of a question.
const maxAsked = 100

// Terms are what a text is found by, sorted: every word; and of a word that has parts, as
// paths and identifiers do (src/fooBar_test.go), each part and what follows it
// in one piece, to the end of the identifier and to the end of the word. So
// "foobar", "bar_test" and "src/foo" are found, each as the beginning of such a
// piece. They are letters, digits and signs in lower case, never punctuation.
func Terms(text string) []string {
	seen := map[string]bool{}
	room := termsTotal
	add := func(s string) {
		if s = cutTerm(s); s != "" && !seen[s] {
			seen[s] = true
			room -= len(s)
		}
	}
	for word := range strings.FieldsFuncSeq(text, outside) {
		parts := split(word)
		for i, p := range parts {
			if room < 0 {
				break
			}
			add(p.text)
			piece := ""
			for j := i; j < len(parts) && len(piece) < termLength; j++ {
				if j > i && parts[j].begins {
					add(piece)
				}
				piece += parts[j].text
			}
			add(piece)
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// Asked is a term that is looked for.
type Asked struct {
	Term  string
	Begin bool // the beginning of a term will do
}

// Question turns what somebody types into the terms to look for. Nothing in it
// has a meaning of its own. The last word may be unfinished.
func Question(words string) []Asked {
	var list []Asked
	fields := strings.FieldsFunc(words, outside)
	for i, word := range fields {
		parts := split(word)
		piece := ""
		for _, p := range parts {
			if len(piece) < termLength {
				piece += p.text
			}
		}
		a := Asked{cutTerm(piece), len(parts) > 1 || i == len(fields)-1}
		if a.Term != "" && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// Checked is the Question that a search answers. Invalid when there is no word, or too
// many.
func Checked(words string) ([]Asked, error) {
	const op = "search"
	list := Question(words)
	switch {
	case len(list) == 0:
		return nil, piton.Errorf(piton.Invalid, op, "give at least one word, with a letter or a digit in it", "there is nothing to search for in %.40q", words)
	case len(list) > maxAsked:
		return nil, piton.Errorf(piton.Invalid, op, "give the few words that matter", "%d words are more than %d", len(list), maxAsked)
	}
	return list, nil
}

// Fits tells whether every term that is asked for is among sorted ones.
func Fits(list []Asked, terms []string) bool {
	for _, a := range list {
		i, found := slices.BinarySearch(terms, a.Term)
		if !found && !(a.Begin && i < len(terms) && strings.HasPrefix(terms[i], a.Term)) {
			return false
		}
	}
	return true
}

// outside tells what stands between words; what is not UTF-8 does, too.
func outside(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar
}

// part is a piece of a word that is a word itself.
type part struct {
	text   string
	begins bool // after a character that belongs to no identifier
}

// split finds the parts of a word: between punctuation, where a small letter
// is followed by a large one, and each sign of a script without blanks.
func split(word string) []part {
	var parts []part
	var b strings.Builder
	begins := false
	end := func() {
		if b.Len() > 0 {
			parts = append(parts, part{b.String(), begins})
			b.Reset()
			begins = false
		}
	}
	rs := []rune(word)
	for i, r := range rs {
		switch {
		case alone(r):
			end()
			b.WriteRune(r)
			end()
			continue
		case !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.M, r):
			end()
			begins = begins || r != '_'
			continue
		case unicode.IsUpper(r) && (!unicode.IsUpper(rs[max(i-1, 0)]) || unicode.IsLower(rs[min(i+1, len(rs)-1)])):
			end()
		}
		b.WriteString(fold(r))
	}
	end()
	return parts
}

// alone tells which signs are words by themselves: those of scripts without
// blanks, and pictures.
func alone(r rune) bool {
	return r >= 0x80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && !unicode.Is(unicode.M, r) || unicode.Is(unicode.So, r))
}

// cutTerm cuts a term to what is kept of it.
func cutTerm(s string) string {
	if len(s) <= termLength {
		return s
	}
	return strings.ToValidUTF8(s[:termLength], "")
}
