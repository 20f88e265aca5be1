package tools

import (
	"go/build/constraint"
	"slices"
	"strconv"
	"strings"
)

// keywords reads an expression of pytest's -k: words that a name contains, joined by
// and, or, not. It is read as a build constraint, which is built in the same way, with
// a tag for each word.
func keywords(text string) (fits func(names []string) bool, ok bool) {
	if len(text) > maxPattern {
		return nil, false
	}
	words := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(strings.ToLower(text)))
	tags := map[string]string{}
	for i, word := range words {
		switch word {
		case "and":
			words[i] = "&&"
		case "or":
			words[i] = "||"
		case "not":
			words[i] = "!"
		case "(", ")":
		default:
			words[i] = "word" + strconv.Itoa(i)
			tags[words[i]] = word
		}
	}
	expr, err := constraint.Parse("//go:build " + strings.Join(words, " "))
	if err != nil {
		return nil, false
	}
	return func(names []string) bool {
		return expr.Eval(func(tag string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, tags[tag]) })
		})
	}, true
}
