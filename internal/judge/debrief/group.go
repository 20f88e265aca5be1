package debrief

import (
	"cmp"
	"slices"
)

// categorise sorts the agent's files into the rules' categories, by precedence;
// among equals the rules' own order holds. The categories of rules that only add
// stand apart: nothing in them changes what the others take or ask for.
func categorise(rules []Rule, files []file) (groups, added []group) {
	groups = sorted(keep(rules, func(r Rule) bool { return !r.Untested && !r.added() }), nil, files)
	return groups, sorted(keep(rules, func(r Rule) bool { return !r.Untested && r.added() }), groups, files)
}

// sorted makes the categories of some rules, beside those of others.
func sorted(rules []Rule, beside []group, files []file) (groups []group) {
	taken := map[string]bool{}
	for _, g := range beside {
		g.takes(taken)
	}
	for _, rest := range []bool{false, true} {
		for _, r := range rules {
			if r.Rest != rest || r.Sole {
				continue
			}
			contained(func() {
				g := group{rule: r, files: keep(files, func(f file) bool { return !(rest && taken[f.Path]) && r.includes(f.Path) })}
				if len(g.files) > 0 {
					groups = append(groups, g)
				}
			})
		}
		for _, g := range groups {
			g.takes(taken)
		}
	}
	for _, r := range rules {
		if r.Sole {
			contained(func() { groups = sole(r, beside, groups, files) })
		}
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(a.rule.Precedence, b.rule.Precedence) })
	return groups
}

// takes notes the files that a rule for the rest has no more claim on.
func (g group) takes(taken map[string]bool) {
	for _, f := range g.files {
		taken[f.Path] = taken[f.Path] || !g.rule.Rest && !g.rule.added()
	}
}

// sole gives the rule its category if every file is in it or a document. It
// then speaks for the rules that ask for no more than a test run.
func sole(r Rule, beside, groups []group, files []file) []group {
	docs := map[string]bool{}
	for _, g := range slices.Concat(beside, groups) {
		for _, f := range g.files {
			docs[f.Path] = docs[f.Path] || g.rule.docs()
		}
	}
	others := keep(files, func(f file) bool { return !docs[f.Path] })
	if len(others) == 0 || slices.ContainsFunc(others, func(f file) bool { return !r.includes(f.Path) }) {
		return groups
	}
	for i, g := range groups {
		if !g.rule.Sole && g.rule.runsTests() && !r.added() {
			groups[i].instead = r.title()
		}
	}
	return append(groups, group{rule: r, files: others})
}

// docsOnly tells whether nothing but documents changed.
func docsOnly(groups []group, files []file) bool {
	return len(files) > 0 && len(groups) == 1 && groups[0].rule.docs() && len(groups[0].files) == len(files)
}
