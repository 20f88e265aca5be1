package tools

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
