package tools

import (
	"path"
	"slices"
	"strings"
)

// Ecosystem is a language with its projects. Lists are written as in Tool.
type Ecosystem struct {
	Name, Title string
	Extensions  string  // of its code
	Tests       string  // globs of its test files
	Manifests   string  // files that name what a project depends on
	Resolve     string  // how to check them, for a person
	Resolvers   string  // phrases: commands that check them
	Named       string  // globs of the names of its test files, whatever they test
	Roots       string  // files of which each makes its folder a project: alternatives, as in Project.Files
	Own         string  // how a test file is named after the file it tests, without extensions: "*" is that file's name, and before / stands the folder that such a test must lie in
	Inline      string  // phrases: words by which a file holds tests of its own
	Cases       string  // a regular expression: where a test begins, with its name as a group
	Skips       string  // a regular expression: what keeps a test from running
	Packages    bool    // a folder is a package, and its tests lie in it
	Checks      []Check // what a project without tests declares; the first that is there counts
	Projects    []Project
}

// Check is how a project tells that its types can be checked, or that it can be built.
type Check struct {
	File     string // alternatives, as in Project.Files
	Mentions string // a word that it must hold
	Scripts  string // its scripts, of which the first that is there is run: alternatives; "": Run alone
	Run      string
}

// Project is how a project with tests is recognised, and how they are run. Of an
// ecosystem the first that is there counts.
type Project struct {
	Files     []string // files that must be there: alternatives, "|" between them, / at the end of a folder
	Mentions  string   // a word that one of the first alternatives must hold
	TestFiles bool     // a test file must lie somewhere below
	Nested    string   // a folder with this file is a project of its own
	Whole     string   // a file of a folder above, whose project then runs the tests of this one, too
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
	Library Library
}

// Library is the runner that a language brings along, for tests that are
// written for it and mention no other.
type Library struct {
	Mentions string // what such a test says
	Run      string // runs those that it finds by itself
	Folder   string // runs those of a folder that it does not look into
	Marks    string // the file by which it looks into a folder
}

// Setting is a line of a file that can keep tools from running tests.
type Setting struct {
	File string // its name; "": any
	Key  string
	Runs string // phrases: what does not run then
	Dry  bool   // where the value is a flag with which the first of them runs nothing; else where it is a program that does nothing
}

// Suite is how a suite of tests is recognised that needs more than the tree.
type Suite struct {
	Configs string // beginnings of the names of its settings: alternatives
	Folder  string // where it lies customarily, seen from them
}

// The rows of all ecosystems and of none, in the order in which rules name them.
var (
	Ecosystems []*Ecosystem
	Settings   []Setting
	Umbrellas  []Project // of no ecosystem
	Served     []Suite
)

// OfFile is a file's ecosystem; nil if it has none.
func OfFile(file string) *Ecosystem {
	name := EcosystemOf(file)
	at := slices.IndexFunc(Ecosystems, func(e *Ecosystem) bool { return e.Name == name })
	if name == "" || at < 0 {
		return nil
	}
	return Ecosystems[at]
}

// Stem is a file's name without its folder and extensions: a.test for
// web/a.test.ts.
func Stem(file string) string {
	name := path.Base(file)
	return strings.TrimSuffix(name, path.Ext(name))
}

// Holds reports whether a file is named as one that holds tests. A file of a
// folder of tests that bears no such name is none: it may be a helper.
func (e *Ecosystem) Holds(file string) bool {
	if EcosystemOf(file) != e.Name {
		return false
	}
	if e.TestFile(path.Base(file)) {
		return true
	}
	stem := Stem(file)
	if e.Inline != "" && Among("test tests", stem) {
		return true
	}
	return slices.ContainsFunc(strings.Fields(e.Own), func(own string) bool {
		folder, own := path.Split(own)
		before, after, _ := strings.Cut(own, "*")
		return inFolder(file, folder) && len(stem) >= len(own) && strings.HasPrefix(stem, before) && strings.HasSuffix(stem, after)
	})
}

// inFolder reports whether a file lies in a folder of this name, with / at its
// end; any will do where none is named.
func inFolder(file, folder string) bool {
	return folder == "" || path.Base(path.Dir(file))+"/" == folder
}

// Owns reports whether a test file bears the name of another file.
func (e *Ecosystem) Owns(test, file string) bool {
	if !e.Holds(test) {
		return false
	}
	stem, of := Stem(test), Stem(file)
	if Among("test tests", strings.ToLower(stem)) { // of all in its folder
		return path.Dir(test) == path.Dir(file) || path.Dir(test) == strings.TrimSuffix(file, path.Ext(file))
	}
	names := []string{of, strings.TrimLeft(of, "_")}
	if Among("index mod __init__", of) { // stand for their folder
		names = append(names, path.Base(path.Dir(file)))
	}
	return slices.ContainsFunc(strings.Fields(e.Own), func(own string) bool {
		folder, own := path.Split(own)
		return inFolder(test, folder) && slices.ContainsFunc(names, func(name string) bool { return stem == strings.Replace(own, "*", name, 1) })
	})
}

// TestFolder reports whether a folder of this name customarily holds tests and
// nothing else.
func TestFolder(name string) bool {
	return Among(testFolders, name)
}

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

// TestFile reports whether a file of this name holds tests, wherever it lies.
func (e *Ecosystem) TestFile(name string) bool {
	return slices.ContainsFunc(strings.Fields(e.Named), func(glob string) bool {
		fits, err := path.Match(glob, name)
		return err == nil && fits
	})
}

// Phrases splits a list of phrases.
func Phrases(list string) []string {
	if list == "" {
		return nil
	}
	return slices.Clip(strings.Split(list, "|"))
}
