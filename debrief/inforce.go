package debrief

import (
	"slices"
	"strings"
)

// InForce are the rules that a stop is looked at by: the built-in ones of the
// chosen profiles, then the user's and the project's. One that bears the name
// of an earlier one takes its place; one that is off takes it away.
// Rule: docs/spec.md, "Rules".
func (s Settings) InForce() []Rule {
	rules := slices.DeleteFunc(Builtin(), func(r Rule) bool {
		return s.Profiles != nil && !slices.Contains(s.Profiles, r.Profile)
	})
	for _, own := range s.Rules {
		at := slices.IndexFunc(rules, func(r Rule) bool {
			return strings.EqualFold(strings.TrimSpace(r.Name), strings.TrimSpace(own.Name))
		})
		switch {
		case own.Off && at >= 0:
			rules = slices.Delete(rules, at, at+1)
		case own.Off:
		case at >= 0:
			rules[at] = own
		default:
			rules = append(rules, own)
		}
	}
	return rules
}

// ProfileNames are the profiles of the built-in rules, in their order.
func ProfileNames() []string {
	var names []string
	for _, r := range Builtin() {
		if r.Profile != "" && !slices.Contains(names, r.Profile) {
			names = append(names, r.Profile)
		}
	}
	return names
}

// TestCommands joins the test commands that the settings name with those found
// in the work tree.
func (s Settings) TestCommands(found []Test) []Test {
	var all []Test
	for _, run := range s.Tests {
		all = append(all, Test{Run: run})
	}
	return append(all, found...)
}
