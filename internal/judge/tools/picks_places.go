package tools

import (
	"path"
	"slices"
	"strings"
)

// add adds the place that a word names. Words that only the shell knows make the
// scope unread; {a,b} are two.
func (s *Scope) add(spots []Spot, word string, not bool) {
	for _, one := range braces(local(word)) {
		place, ok := placeOf(spots, one)
		if !ok {
			continue
		}
		if place.Not = place.Not || not; place.Test != "" && !place.Not {
			s.Said = append(s.Said, one)
		}
		s.Places = append(s.Places, place)
	}
}

// placeOf reads a word as the first spot that it fits says; ok is false where it
// chooses nothing.
func placeOf(spots []Spot, word string) (p Place, ok bool) {
	for i := range spots {
		expr := expression("(?s)" + spots[i].Re)
		if m := expr.FindStringSubmatch(word); m != nil {
			return spots[i].place(word, expr.SubexpNames(), m), !spots[i].None
		}
	}
	return Place{}, false
}

func (spot *Spot) place(word string, names, groups []string) Place {
	p, at := Place{Shape: spot.Shape}, word
	for i, value := range groups {
		switch names[i] {
		case "path":
			at = value
		case "line":
			p.Test = ":" + value
		case "test":
			p.Test = value
		case "of":
			p.Of, at = value, ""
		case "not":
			p.Not = value == "!"
		}
	}
	switch {
	case spot.Foreign:
		p.Path = "$" + word
	case spot.Shape == Dotted:
		p.Path = strings.ReplaceAll(at, ".", "/")
	case spot.Shape == PathExpr, spot.Shape == Import:
		p.Path = at
	default:
		p.Path = slashed(at)
	}
	if spot.Shape == PathPart && strings.HasSuffix(word, "/") {
		p.Path += "/"
	}
	if spot.Shape == Tree && !spot.Literal && strings.ContainsAny(at, "*?") {
		p.Shape = PathGlob
	}
	return p
}

// readable reports whether nothing of the scope is known to the shell alone, and
// all patterns can be read.
func (s *Scope) readable() bool {
	unknown := func(p Place) bool {
		if p.Shape == PathExpr {
			return expression(p.Path) == nil
		}
		return fits("[$`]|^(?:\\{\\}|-)$", p.Path) || fits("[$`]|^(?:\\{\\}|-)$", p.Of) || len(p.Path) > maxPattern
	}
	chosen := func(c Choice) bool { return !c.readable() || slices.ContainsFunc(c.Texts, shellValue) }
	return !slices.ContainsFunc(s.Places, unknown) && !slices.ContainsFunc(s.Names, chosen) &&
		!slices.ContainsFunc(s.Marks, shellValue) && !shellValue(s.Tags)
}

// shellValue reports whether a value holds what the shell puts in: $X and not
// the $ at the end of an expression.
func shellValue(text string) bool { return fits("\\$[{(_@A-Za-z0-9]|`", text) }

// local takes the folder that a run is in off a word: $PWD/x, $(pwd)/x. What go
// list prints of one pattern is that pattern.
func local(word string) string {
	if listed := expression("^\\$\\(go list ([^ |$`()]*)\\)$").FindStringSubmatch(word); listed != nil {
		return listed[1]
	}
	return expression(`^(?:\$PWD|\$\{PWD\}|\$\(pwd\))(/|$)`).ReplaceAllString(word, ".$1")
}

// tooMany stands for more words than anyone writes: only the shell knows them.
const tooMany = "$"

// braces writes out {a,b}, as the shell does.
func braces(word string) []string {
	m := expression(`(?s)^([^{}]*[^{}$]|)\{([^{}]*,[^{}]*)\}(.*)$`).FindStringSubmatch(word)
	if m == nil {
		return []string{word}
	}
	var all []string
	for part := range strings.SplitSeq(m[2], ",") {
		rest := braces(m[1] + part + m[3])
		if all = append(all, rest...); len(all) > 64 || rest[0] == tooMany {
			return []string{tooMany}
		}
	}
	return all
}

// rootOf is the folder that a flag names by itself or by a file in it.
func rootOf(value string) string {
	value = strings.TrimSuffix(value, "/")
	if fits(`[^./]\.[^/]*$`, value) {
		return path.Dir(value)
	}
	return value
}
