package debrief

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Rule makes a category of the files it includes and says what is to be done
// after they changed. In YAML its fields have the names below (docs/rules.md).
type Rule struct {
	Name       string   `yaml:"name"`              // one of an earlier layer's name takes its place
	Include    []string `yaml:"include,omitempty"` // globs on paths relative to the root; **/ also means the root
	Exclude    []string `yaml:"exclude,omitempty"`
	Precedence int      `yaml:"precedence,omitempty"` // the lower comes first

	// Instruction is what to do; "" for nothing. {test} stands for the test
	// command of the files at hand; without one the instruction falls away, or
	// the clause ", or run {test}" does.
	Instruction string `yaml:"instruction,omitempty"`
	// Evidence are patterns of commands (shell.Command.Matches) of which one,
	// successful and after the last edit, proves the instruction done. {test}
	// stands for the project's test commands. Without any, the instruction is
	// an observation: what cannot be proven is not demanded.
	Evidence []string `yaml:"evidence,omitempty"`
	Then     *Follow  `yaml:"then,omitempty"` // demanded once the evidence is there

	Ecosystem string `yaml:"ecosystem,omitempty"` // whose tests {test} means; "" by each file's name
	Advice    bool   `yaml:"advice,omitempty"`    // an observation even where evidence is named
	Sole      bool   `yaml:"sole,omitempty"`      // applies only if all files but docs are in it, and then instead of the rules that "run {test}"
	Untested  bool   `yaml:"untested,omitempty"`  // asks for nothing: its evidence stands for a test run where the files' project has no tests, or they serve a suite that needs a server
	Rest      bool   `yaml:"rest,omitempty"`      // takes only files that are in no other category
	Off       bool   `yaml:"off,omitempty"`       // takes the rule of this name out of force

	Profile   string `yaml:"-"` // of a built-in rule: what Settings.Profiles choose it by
	Untrusted bool   `yaml:"-"` // from a file that nobody vouched for: its words are quoted
	Beside    bool   `yaml:"-"` // it takes nothing from another: neither a name's place nor files nor words
}

// Follow is a second action that the first one's evidence demands: after a
// restart, its status.
type Follow struct {
	Instruction string   `yaml:"instruction"`
	Evidence    []string `yaml:"evidence"`
}

// named tells whether the rule bears a name; how it is capitalised says
// nothing.
func (r Rule) named(name string) bool {
	return strings.EqualFold(strings.TrimSpace(r.Name), strings.TrimSpace(name))
}

// docsName is the category that needs nothing.
const docsName = "docs"

// docs tells whether the rule is the one of documents, which need nothing.
func (r Rule) docs() bool { return r.named(docsName) && !r.added() }

// added tells whether the rule may only add to what others ask for.
func (r Rule) added() bool { return r.Untrusted || r.Beside }

// title is the rule's name as messages have it: a stranger's is quoted.
func (r Rule) title() string {
	if r.Untrusted {
		return quote(label(r.Name))
	}
	return label(r.Name)
}

const (
	testMark = "{test}"
	runTests = "run " + testMark
)

// tests tells whether a test run is evidence for the rule.
func (r Rule) tests() bool { return slices.Contains(r.Evidence, testMark) }

// runsTests tells whether the rule asks for a test run and nothing else.
func (r Rule) runsTests() bool {
	return r.tests() && strings.Contains(r.Instruction, testMark) && !strings.Contains(r.Instruction, ", or "+runTests)
}

// judged tells whether the rule is a built-in one of code: its files are judged by
// what ran (docs/spec.md, "What holds").
func (r Rule) judged() bool { return r.Profile != "" && r.runsTests() }

// untestedEvidence are the commands that people's rules name as builds of projects
// without tests.
func untestedEvidence(rules []Rule) (all []string) {
	for _, r := range rules {
		if r.Untested && !r.added() {
			all = append(all, r.Evidence...)
		}
	}
	return all
}

// includes tells whether the rule takes a path.
func (r Rule) includes(path string) bool {
	fits := func(glob string) bool { return match(glob, path) }
	return slices.ContainsFunc(r.Include, fits) && !slices.ContainsFunc(r.Exclude, fits)
}

// Takes tells whether the rule is about any of these files.
func (r Rule) Takes(paths []string) bool { return slices.ContainsFunc(paths, r.includes) }

// maxStars bounds what a glob may cost: its matching goes back and forth.
const maxStars = 12

func tooWild(glob string) bool {
	return strings.Count(glob, "*") > maxStars || strings.Count(glob, "{") > 4 || len(glob) > 1000
}

// match is doublestar.Match with a short way for the frequent **/*.go; a
// pattern that is none, or more than anyone needs, fits nothing.
func match(glob, path string) bool {
	if suffix, ok := strings.CutPrefix(glob, "**/*"); ok && !strings.ContainsAny(suffix, `*?[]{}\/`) {
		return strings.HasSuffix(path, suffix)
	}
	if tooWild(glob) {
		return false
	}
	ok, err := doublestar.Match(glob, path)
	return err == nil && ok
}
