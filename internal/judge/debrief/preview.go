package debrief

import (
	"slices"
	"strings"
)

// Preview is what a rule asks for in a project and what proves it done, before any
// file has changed: {test} is the commands that could be asked for.
type Preview struct {
	Asks     string   // "" where nothing is asked for
	ProvenBy []string // the rule's evidence
}

// Preview fills in the project's test commands (Settings.TestCommands). Where a file
// may lie in one of several projects all their commands are named: the nearest to the
// file is the one asked for.
// Rule: docs/spec.md, "Rules".
func (r Rule) Preview(tests []Test) Preview {
	var p Preview
	add := func(commands ...string) {
		for _, run := range commands {
			if run = strings.TrimSpace(run); run != "" {
				p.ProvenBy = union(p.ProvenBy, run)
			}
		}
	}
	serving := keep(tests, func(x Test) bool { return x.serves(r) })
	for _, e := range r.Evidence {
		if e != testMark {
			add(e)
			continue
		}
		for _, x := range serving {
			add(append([]string{x.Run}, x.Matches...)...)
		}
	}
	if !r.Untested && (len(p.ProvenBy) > 0 || len(r.Evidence) == 0) {
		p.Asks = fill(r, askable(r, serving), " or ")
	}
	return p
}

// askable are the commands that a rule could ask for: an accepted one that runs the
// tests of all its files alone, else the first choice of each project.
func askable(r Rule, serving []Test) (asks []Test) {
	for _, x := range serving {
		if x.Accepted && (x.Ecosystem == "" || x.Ecosystem == r.Ecosystem) {
			return []Test{x}
		}
		rival := slices.IndexFunc(asks, func(y Test) bool {
			return x.Dir == y.Dir && x.Accepted == y.Accepted && (x.Ecosystem == "" || y.Ecosystem == "" || x.Ecosystem == y.Ecosystem)
		})
		switch {
		case rival < 0:
			asks = append(asks, x)
		case x.Ecosystem == "" && asks[rival].Ecosystem != "": // it runs all tests there
			asks[rival] = x
		}
	}
	return asks[:min(len(asks), asksShown)]
}

// serves tells whether the test could be asked for by a rule, whatever its files are.
func (x Test) serves(r Rule) bool {
	return r.Ecosystem == "" || x.Ecosystem == "" || x.Ecosystem == r.Ecosystem
}
