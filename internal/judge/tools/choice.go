package tools

import (
	"go/build/constraint"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Choice is a choice of tests by their names. A name fits it where it fits one of
// Texts.
type Choice struct {
	By    Reading  `json:"by,omitempty"`
	Texts []string `json:"texts,omitempty"`
	Not   bool     `json:"not,omitempty"` // it leaves out what fits
}

// Reading is how the text of a choice is read.
type Reading int

// Readings.
const (
	Contains Reading = iota // the name contains it
	Exactly                 // it is the name, or that of a group which the test is in
	Expr                    // a regular expression fits a part of the name
	Levels                  // regular expressions, one for each level of the name: go test -run
	Keywords                // pytest's -k: words with and, or, not
	Globbed                 // a glob fits the name, or that of a group which the test is in
)

// readable reports whether the patterns of a choice are ones that can be read.
func (c Choice) readable() bool {
	return !slices.ContainsFunc(c.Texts, func(text string) bool {
		switch c.By {
		case Expr:
			return expression(text) == nil
		case Levels:
			unknown := func(level string) bool { return expression(level) == nil }
			return slices.ContainsFunc(cut(text, "|/"), unknown)
		case Keywords:
			_, ok := keywords(text)
			return !ok
		}
		return len(text) > maxPattern
	})
}

// same reports whether two choices are the same one.
func (c Choice) same(other Choice) bool {
	return c.By == other.By && c.Not == other.Not && slices.Equal(c.Texts, other.Texts)
}

// takes reports whether a test that lies in a file, if that is known, is among
// those that the choice leaves.
func (c Choice) takes(name, file string) bool {
	return name != "" && c.Not != slices.ContainsFunc(c.Texts, func(text string) bool { return c.fits(text, name, file) })
}

func (c Choice) fits(text, name, file string) bool {
	switch c.By {
	case Contains:
		return strings.Contains(name, text) || strings.Contains(spaced(name), text)
	case Exactly:
		return aligned(segments(text), segments(name))
	case Expr:
		return fits(text, name) || fits(text, spaced(name))
	case Levels:
		return slices.ContainsFunc(cut(text, "|"), func(alt string) bool { return levelsFit(cut(alt, "/"), strings.Split(name, "/")) })
	case Keywords:
		fit, ok := keywords(text)
		return ok && fit(append(segments(strings.ToLower(name)), strings.ToLower(path.Base(file))))
	}
	return runFits(text, name)
}

// spaced is a name as runners join the levels of one to search in it.
func spaced(name string) string {
	return strings.NewReplacer(" > ", " ", " › ", " ", "::", " ").Replace(name)
}

// segments are the levels of a test's name, however they are set off:
// tests.TestX::test_y[a.b], FooTest > bar(), suite › test.
func segments(name string) []string {
	name, param, _ := strings.Cut(name, "[")
	name = strings.NewReplacer(" > ", "\x00", " › ", "\x00", "::", "\x00", "#", "\x00", "/", "\x00", ".", "\x00").Replace(strings.TrimSuffix(name, "()"))
	all := slices.DeleteFunc(strings.Split(name, "\x00"), func(s string) bool { return s == "" })
	if param != "" {
		all = append(all, "["+param)
	}
	return all
}

// aligned reports whether a text names a test or a group that it is in. Either
// may begin further up than the other.
func aligned(text, name []string) bool {
	for at := 1 - len(text); at < len(name); at++ {
		from, to := max(at, 0), at+len(text)
		if to <= len(name) && slices.Equal(name[from:to], text[from-at:]) {
			return true
		}
	}
	return false
}

// runFits reports whether a glob fits some levels of a name that follow one
// another. A name may begin further down than the glob does: FooTest.bar of
// com.x.FooTest.bar.
func runFits(glob, name string) bool {
	expr, all := "^"+starred(strings.Join(segments(glob), "."), ".*")+"$", segments(name)
	for from := range all {
		for to := from + 1; to <= len(all); to++ {
			if fits(expr, strings.Join(all[from:to], ".")) {
				return true
			}
		}
	}
	return !strings.Contains(glob, "*") && len(expr) <= maxPattern && aligned(segments(glob), all)
}

// cut splits an expression at each of some marks that stands outside of brackets.
func cut(text, marks string) (all []string) {
	depth, from := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '(', c == '[':
			depth++
		case c == ')', c == ']':
			depth--
		case depth == 0 && strings.IndexByte(marks, c) >= 0:
			all, from = append(all, text[from:i]), i+1
		}
	}
	return append(all, text[from:])
}

// levelsFit reports whether all of a test, and not only some of its subtests, is
// taken: each expression fits the level of the name that it is for.
func levelsFit(levels, name []string) bool {
	if len(levels) > len(name) {
		return false
	}
	return slices.EqualFunc(levels, name[:len(levels)], fits)
}

// keywords reads an expression of pytest's -k: words that a name contains, joined by
// and, or, not. It is read as a build constraint, which is built in the same way, with
// a tag for each word.
func keywords(text string) (fits func(names []string) bool, ok bool) {
	if len(text) > maxPattern {
		return nil, false
	}
	words := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(strings.ToLower(text)))
	operators := map[string]string{"and": "&&", "or": "||", "not": "!", "(": "(", ")": ")"}
	tags := map[string]string{}
	for i, word := range words {
		if words[i] = operators[word]; words[i] == "" {
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
