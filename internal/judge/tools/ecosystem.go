package tools

import (
	"path"
	"slices"
	"strings"
)

// Ecosystem is a language with its projects. Lists are written as in Tool.
type Ecosystem struct {
	Name, Title string
	Extensions  string // of its code
	Tests       string // globs of its test files
	Manifests   string // files that name what a project depends on
	Resolve     string // how to check them, for a person
	Resolvers   string // phrases: commands that check them
	TestFile    func(name string) bool
	Projects    []Project
}

// Project is how a project with tests is recognised, and how they are run. Of an
// ecosystem the first that is there counts.
type Project struct {
	Files     []string // files that must be there: alternatives, "|" between them, / at the end of a folder
	Mentions  string   // a word that one of the first alternatives must hold
	TestFiles bool     // a test file must lie somewhere below
	Nested    string   // a folder with this file is a project of its own
	Run       string   // how its tests are run
	Counts    string   // phrases: what counts as a run of them, too
	Form      Form     // how a file says the rest
	Loose     *Loose
	Locks     []Lock
}

// Lock is a file that tells by what a project's tests are run.
type Lock struct{ File, Run string }

// Loose is how a project is recognised that need not say how its tests are run.
type Loose struct {
	Config  string // files of the runner
	Top     string // files that configure it at the root
	Configs string // files that may mention it
	Marks   string // other files of such a project
	Own     Lock   // its own runner, where nothing names the usual one
}

// Setting is a line of a file that can keep tools from running tests.
type Setting struct {
	File string // its name; "": any
	Key  string
	Runs string // phrases: what does not run then
	Dry  bool   // where the value is a flag with which the first of them runs nothing; else where it is a program that does nothing
}

// Ecosystems are all of the table, in the order in which rules name them.
var Ecosystems []*Ecosystem

// EcosystemOf is the name of a file's ecosystem, "" if it has none.
func EcosystemOf(file string) string {
	if ext := strings.TrimPrefix(path.Ext(file), "."); ext != "" {
		for _, e := range Ecosystems {
			if Among(e.Extensions, ext) {
				return e.Name
			}
		}
	}
	return ""
}

// scriptTest tells a test file of JavaScript or TypeScript.
func scriptTest(name string) bool {
	for _, mark := range []string{".test.", ".spec.", "_test."} {
		if _, ext, ok := strings.Cut(name, mark); ok {
			return Among("js jsx mjs cjs ts tsx mts cts", ext)
		}
	}
	return false
}

// Phrases splits a list of phrases.
func Phrases(list string) []string {
	if list == "" {
		return nil
	}
	return slices.Clip(strings.Split(list, "|"))
}
