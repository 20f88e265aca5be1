package debrief

import "slices"

// testsBesides asks for the tests that an untrusted project's file names, besides
// those that the rules ask for: it may add to what is asked for, and takes
// nothing's place.
// Rule: docs/spec.md, "Rules".
func (t *turn) testsBesides(groups []group) (finding, bool) {
	f := finding{group: group{rule: Rule{Name: "tests of the project's settings", Untrusted: true}}}
	for _, run := range t.Besides {
		if !slices.ContainsFunc(t.Tests, func(x Test) bool { return x.Run == run && x.Dir == "" }) {
			f.patterns = append(f.patterns, run)
		}
	}
	for _, g := range groups {
		if g.rule.tests() && !g.rule.added() {
			f.group.files = append(f.group.files, g.files...)
		}
	}
	if len(f.patterns) == 0 || len(f.group.files) == 0 {
		return finding{}, false
	}
	f.wish = named(f.patterns[0], "for its tests")
	s := search{category: f.group.rule.Name, patterns: f.patterns, since: newest(f.group.files), test: true}
	t.demand(&f, &s, quote(f.patterns[0])+" has not succeeded since the last edit")
	return f, true
}
