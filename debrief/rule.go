package debrief

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Rule makes a category of the files it includes and says what is to be done
// after they changed. Its fields are those of a rule in YAML, in lower case.
type Rule struct {
	Name       string
	Include    []string // globs on paths relative to the root; **/ also means the root
	Exclude    []string
	Precedence int // the lower comes first

	// Instruction is what to do; "" for nothing. {test} stands for the test
	// command of the files at hand; without one the instruction falls away, or
	// the clause ", or run {test}" does.
	Instruction string
	// Evidence are patterns of commands (shell.Command.Matches) of which one,
	// successful and after the last edit, proves the instruction done. {test}
	// stands for the project's test commands. Without any, the instruction is
	// an observation: what cannot be proven is not demanded.
	Evidence []string
	Then     *Follow // demanded once the evidence is there

	Ecosystem string // whose tests {test} means; "" by each file's name
	Advice    bool   // an observation even where evidence is named
	Sole      bool   // applies only if all files but docs are in it, and then instead of the rules that "run {test}"
	Rest      bool   // takes only files that are in no other category
	Off       bool   // takes the rule of this name out of force
	Profile   string `yaml:"-"` // of a built-in rule: what Settings.Profiles choose it by
	Untrusted bool   `yaml:"-"` // from a file that nobody vouched for: its words are quoted
}

// Follow is a second action that the first one's evidence demands: after a
// restart, its status.
type Follow struct {
	Instruction string
	Evidence    []string
}

const (
	testMark = "{test}"
	runTests = "run " + testMark
)

// tests tells whether the rule demands a test run.
func (r Rule) tests() bool { return slices.Contains(r.Evidence, testMark) }

// includes tells whether the rule takes a path.
func (r Rule) includes(path string) bool {
	fits := func(glob string) bool { return match(glob, path) }
	return slices.ContainsFunc(r.Include, fits) && !slices.ContainsFunc(r.Exclude, fits)
}

// maxStars bounds what a glob may cost: its matching goes back and forth.
const maxStars = 12

// match is doublestar.Match with a short way for the frequent **/*.go; a
// pattern that is none, or more than anyone needs, fits nothing.
func match(glob, path string) bool {
	if suffix, ok := strings.CutPrefix(glob, "**/*"); ok && !strings.ContainsAny(suffix, `*?[]{}\/`) {
		return strings.HasSuffix(path, suffix)
	}
	if strings.Count(glob, "*") > maxStars || strings.Count(glob, "{") > 4 || len(glob) > 1000 {
		return false
	}
	ok, err := doublestar.Match(glob, path)
	return err == nil && ok
}

// group is a category of this turn: a rule and its files.
type group struct {
	rule  Rule
	files []file
}

// categorise sorts the agent's files into the rules' categories, by
// precedence.
func categorise(rules []Rule, files []file) []group {
	var groups []group
	taken := make([]bool, len(files))
	add := func(r Rule, rest bool) {
		contained(func() {
			g := group{rule: r}
			var at []int
			for i, f := range files {
				if (!rest || !taken[i]) && r.includes(f.Path) {
					g.files, at = append(g.files, f), append(at, i)
				}
			}
			for _, i := range at {
				taken[i] = true
			}
			if len(at) > 0 {
				groups = append(groups, g)
			}
		})
	}
	for _, r := range rules {
		if !r.Sole && !r.Rest {
			add(r, false)
		}
	}
	for _, r := range rules {
		if r.Rest {
			add(r, true)
		}
	}
	for _, r := range rules {
		if r.Sole {
			contained(func() { groups = sole(r, groups, files) })
		}
	}
	slices.SortStableFunc(groups, func(a, b group) int { return a.rule.Precedence - b.rule.Precedence })
	return groups
}

// sole gives the rule its category if every file is in it or a document.
func sole(r Rule, groups []group, files []file) []group {
	docs := map[string]bool{}
	for _, g := range groups {
		if g.rule.Name == docsName {
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
	groups = slices.DeleteFunc(groups, func(g group) bool { return g.rule.Instruction == runTests })
	return append(groups, own)
}

// docsOnly tells whether nothing but documents changed.
func docsOnly(groups []group, files []file) bool {
	return len(files) > 0 && len(groups) == 1 && groups[0].rule.Name == docsName && len(groups[0].files) == len(files)
}
