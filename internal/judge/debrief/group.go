package debrief

import (
	"cmp"
	"fmt"
	"slices"
)

// categorise sorts the agent's files into the rules' categories, by
// precedence; among equals the rules' own order holds.
func categorise(rules []Rule, files []file) []group {
	// What only adds comes last: it must not crowd the others out of a message.
	byPrecedence := func(a, b Rule) int {
		if a.added() != b.added() {
			if b.added() {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Precedence, b.Precedence)
	}
	rules = slices.DeleteFunc(slices.SortedStableFunc(slices.Values(rules), byPrecedence), func(r Rule) bool { return r.Untested })
	var groups []group
	taken := make([]bool, len(files))
	add := func(r Rule) {
		contained(func() {
			g := group{rule: r}
			var at []int
			for i, f := range files {
				if !(r.Rest && taken[i]) && r.includes(f.Path) {
					g.files, at = append(g.files, f), append(at, i)
				}
			}
			for _, i := range at {
				taken[i] = taken[i] || !r.Rest && !r.added()
			}
			if len(at) > 0 {
				groups = append(groups, g)
			}
		})
	}
	for _, r := range rules {
		if !r.Sole && !r.Rest {
			add(r)
		}
	}
	for _, r := range rules {
		if r.Rest {
			add(r)
		}
	}
	for _, r := range rules {
		if r.Sole {
			contained(func() { groups = sole(r, groups, files) })
		}
	}
	slices.SortStableFunc(groups, func(a, b group) int { return byPrecedence(a.rule, b.rule) })
	return groups
}

// sole gives the rule its category if every file is in it or a document. It
// then speaks for the rules that ask for no more than a test run.
func sole(r Rule, groups []group, files []file) []group {
	docs := map[string]bool{}
	for _, g := range groups {
		if g.rule.docs() {
			for _, f := range g.files {
				docs[f.Path] = true
			}
		}
	}
	own := group{rule: r}
	for _, f := range files {
		switch {
		case docs[f.Path]:
		case r.includes(f.Path):
			own.files = append(own.files, f)
		default:
			return groups
		}
	}
	if len(own.files) == 0 {
		return groups
	}
	for i, g := range groups {
		if !g.rule.Sole && g.rule.runsTests() && !r.added() {
			groups[i].instead = r.title()
		}
	}
	return append(groups, own)
}

// docsOnly tells whether nothing but documents changed.
func docsOnly(groups []group, files []file) bool {
	return len(files) > 0 && len(groups) == 1 && groups[0].rule.docs() && len(groups[0].files) == len(files)
}

// titlesShown bounds the categories that a message begins with.
const titlesShown = 8

// titles are the categories as a message names them.
func titles(groups []group) []string {
	var names []string
	for i, g := range groups {
		if g.instead != "" {
			continue
		}
		if len(names) == titlesShown {
			return append(names, fmt.Sprintf("%d more", len(groups)-i))
		}
		names = append(names, g.rule.title())
	}
	return names
}
