package debrief

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton/internal/judge/tools"
)

//go:embed builtin.yaml
var builtinText []byte

// profile is a built-in rule, as builtin.yaml has it.
type profile struct {
	Profile string
	Rule    `yaml:",inline"`
}

// profiles is builtin.yaml, read when it is first asked for.
var profiles = sync.OnceValue(func() (f struct {
	Others, Designs, Tests, Builds, Bare, Litter []string
	Before, After                                []profile
}) {
	if err := yaml.Unmarshal(builtinText, &f); err != nil {
		panic(err)
	}
	return f
})

// Builtin returns the profiles: what everyone's changes are measured by unless
// a rule of the user's or the project's says more.
func Builtin() []Rule { return slices.Clone(builtin()) }

var builtin = sync.OnceValue(func() []Rule {
	rules := dependencies()
	add := func(all []profile) {
		for _, p := range all {
			if p.Rule.Profile = p.Profile; p.Sole {
				p.Include = testFiles()
			}
			rules = append(rules, p.Rule)
		}
	}
	add(profiles().Before)
	rules = append(rules, code()...)
	add(profiles().After)
	return rules
})

// dependencies are the manifests that people write; lock files follow them.
// Nearly everything one does with the tool resolves them, so all of it counts.
func dependencies() []Rule {
	var rules []Rule
	for _, e := range tools.Ecosystems {
		if e.Manifests == "" {
			continue
		}
		r := Rule{Name: e.Title + " dependencies", Profile: e.Name, Ecosystem: e.Name, Precedence: 20, Exclude: profiles().Others}
		for name := range strings.FieldsSeq(e.Manifests) {
			r.Include = append(r.Include, "**/"+name)
		}
		r.Instruction = e.Resolve + ", or " + runTests
		r.Evidence = slices.Concat([]string{testMark}, tools.Phrases(e.Resolvers), tools.Patterns(tools.Umbrella))
		rules = append(rules, r)
	}
	return rules
}

// code makes one rule of each language.
func code() []Rule {
	var rules []Rule
	for _, e := range tools.Ecosystems {
		r := Rule{Name: e.Title + " code", Profile: e.Name, Ecosystem: e.Name, Precedence: 60, Instruction: runTests, Evidence: []string{testMark}}
		for ext := range strings.FieldsSeq(e.Extensions) {
			r.Include = append(r.Include, "**/*."+ext)
		}
		r.Exclude = slices.Concat(profiles().Others, []string{"**/*.min.js"}, profiles().Designs)
		rules = append(rules, r)
	}
	return rules
}

var testFiles = sync.OnceValue(func() []string {
	files := profiles().Tests
	for _, e := range tools.Ecosystems {
		files = append(files, strings.Fields(e.Tests)...)
	}
	for ext := range strings.FieldsSeq("js jsx mjs cjs ts tsx mts cts") {
		files = append(files, "**/*.test."+ext, "**/*.spec."+ext, "**/*_test."+ext)
	}
	return slices.Clip(files)
})
