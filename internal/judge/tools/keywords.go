package tools

import (
	"slices"
	"strings"
)

// keywords is an expression of pytest's -k: a word that a name contains, or
// others joined by and, or, not.
type keywords struct {
	op   string // "" for a word
	word string
	of   []keywords
}

// maxKeywords bounds the words and brackets of an expression.
const maxKeywords = 200

// readKeywords reads an expression, in small letters.
func readKeywords(text string) (keywords, bool) {
	if len(text) > maxPattern {
		return keywords{}, false
	}
	text = strings.NewReplacer("(", " ( ", ")", " ) ").Replace(strings.ToLower(text))
	r := keywordReader{words: strings.Fields(text)}
	if len(r.words) == 0 || len(r.words) > maxKeywords {
		return keywords{}, false
	}
	k, ok := r.any()
	return k, ok && len(r.words) == 0
}

type keywordReader struct{ words []string }

func (r *keywordReader) next(word string) bool {
	if len(r.words) == 0 || r.words[0] != word {
		return false
	}
	r.words = r.words[1:]
	return true
}

func (r *keywordReader) any() (keywords, bool) { return r.joined("or", r.all) }

func (r *keywordReader) all() (keywords, bool) { return r.joined("and", r.one) }

func (r *keywordReader) joined(op string, part func() (keywords, bool)) (keywords, bool) {
	first, ok := part()
	all := []keywords{first}
	for ok && r.next(op) {
		var k keywords
		k, ok = part()
		all = append(all, k)
	}
	if len(all) == 1 {
		return first, ok
	}
	return keywords{op: op, of: all}, ok
}

func (r *keywordReader) one() (k keywords, ok bool) {
	switch {
	case len(r.words) == 0 || Among("and or )", r.words[0]):
		return k, false
	case r.next("not"):
		k, ok = r.one()
		return keywords{op: "not", of: []keywords{k}}, ok
	case r.next("("):
		k, ok = r.any()
		return k, ok && r.next(")")
	}
	k.word, r.words = r.words[0], r.words[1:]
	return k, true
}

// fit reports whether the names of a test and of what it lies in fit.
func (k keywords) fit(names []string) bool {
	switch k.op {
	case "not":
		return !k.of[0].fit(names)
	case "and":
		return !slices.ContainsFunc(k.of, func(part keywords) bool { return !part.fit(names) })
	case "or":
		return slices.ContainsFunc(k.of, func(part keywords) bool { return part.fit(names) })
	}
	return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, k.word) })
}
