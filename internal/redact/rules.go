package redact

import (
	"slices"
	"strings"
)

// Rules say what stays although it looks like a secret: what the user knows to
// be harmless. Tokens of known vendors never stay. The zero value and nil keep
// nothing.
type Rules struct {
	Names    []string // names whose values stay, in any case; * stands for any characters
	Patterns []string // patterns of values that stay; * stands for any characters
}

// keepsName tells whether the values under a name stay.
func (r *Rules) keepsName(name string) bool {
	return r != nil && slices.ContainsFunc(r.Names, func(n string) bool { return glob(strings.ToLower(n), strings.ToLower(name)) })
}

// keeps tells whether a value stays.
func (r *Rules) keeps(value, kind string) bool {
	return r != nil && slices.ContainsFunc(r.Patterns, func(p string) bool { return glob(p, value) }) && !ofVendor(kind)
}

// glob tells whether a text fits a pattern in which * stands for any
// characters.
func glob(pattern, s string) bool {
	first, rest, more := strings.Cut(pattern, "*")
	if !more {
		return pattern == s
	}
	s, ok := strings.CutPrefix(s, first)
	if !ok {
		return false
	}
	for {
		part, behind, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(s, part)
		}
		_, s, ok = strings.Cut(s, part)
		if !ok {
			return false
		}
		rest = behind
	}
}
