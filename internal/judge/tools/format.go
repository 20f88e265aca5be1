package tools

//go:generate go run ./gen

import (
	"regexp"
	"sync/atomic"
)

// Format is how some runners print: the lines that say how a run went. What is known
// of them stands in data/*.toml; gen writes them as
// the table Formats.
type Format struct {
	Name  string `toml:"name"`
	Inner string `toml:"inner"` // what joins a test to the one around it, which it stands for
	Field string `toml:"field"` // of a line that is JSON: the member that holds the line
	Lines []Line `toml:"lines"` // the first that fits counts
	First int    `toml:"-"`     // the number of its first line over all formats, made by gen
}

// Line is a line that a runner prints. In its expression the groups passed, failed,
// skipped and total are numbers, counts is a list of numbers with words, test, file and
// package are names, and line is what of it is quoted. A digit may follow: failed2.
type Line struct {
	Re     string `toml:"re"`
	Not    string `toml:"not"`    // what fits this, too, is another line
	Is     string `toml:"is"`     // what it says, a word of says in gen
	In     string `toml:"in"`     // only while the format is in one of these states
	To     string `toml:"to"`     // the state from here on; - is none, one with ! at its end lasts for a line
	Needs  string `toml:"needs"`  // only where this was kept: test, file, package, top, total, passed, or a failure
	Rank   string `toml:"rank"`   // red: how much it says: exit, count, unit, test
	Better string `toml:"better"` // it is quoted, if what is quoted does not begin with one of these phrases

	Top      bool `toml:"top"`      // tests may stand below it
	Under    bool `toml:"under"`    // it stands below a test, or is none
	Below    bool `toml:"below"`    // its test is one in the test that was kept
	Nested   bool `toml:"nested"`   // tests in it that failed stand above it, indented
	Each     bool `toml:"each"`     // it stands for one test
	Closes   bool `toml:"closes"`   // it ends the lines of a package
	Broken   bool `toml:"broken"`   // no test of it ran
	Quiet    bool `toml:"quiet"`    // it is not quoted
	Quote    bool `toml:"quote"`    // it is quoted for a line that follows
	Quotes   bool `toml:"quotes"`   // the line before is quoted for it
	Keeps    bool `toml:"keeps"`    // its names are kept for lines that follow
	Renames  bool `toml:"renames"`  // it names the file of the newest failure
	Replaces bool `toml:"replaces"` // its counts stand for those before
	Settles  bool `toml:"settles"`  // and are not replaced themselves

	With string `toml:"with"` // names that are taken from what was kept
	Drop string `toml:"drop"` // an expression for what is not part of a test's name
	As   string `toml:"as"`   // what stands in its place, or joins test and test2

	// The words behind or before the numbers of counts; empty: those of most runners.
	Passed string `toml:"passed"`
	Failed string `toml:"failed"`
	Total  string `toml:"total"`

	Has  []string `toml:"-"` // what fits holds one of these texts, made by gen
	expr atomic.Pointer[regexp.Regexp]
}

// ranks are those that a red line can have; without a word it is the first.
var ranks = map[string]rank{"": byExit, "exit": byExit, "count": byCount, "unit": byUnit, "test": byTest}

// rank is how much a line says of a failure: the best is quoted, of equal ones
// the first.
type rank int

const (
	byExit  rank = iota + 1 // exit status 1
	byCount                 // 3 failed, 2 passed
	byUnit                  // FAIL src/a.test.ts
	byTest                  // --- FAIL: TestX
)

// Summary is what the output of a run says of how it went, over all its lines:
// tests, suites, files, errors. Red, Green and None exclude each other; none of
// them means that the output does not say.
// Rule: docs/spec.md, "Evidence".
type Summary struct {
	Passed, Failed int       // tests; where the runner does not count them, packages or suites
	Red            bool      // something failed: any line says so
	Green          bool      // something passed, and nothing failed; for a build, Passed is 0
	None           bool      // nothing ran: no test was found, or all were skipped
	Failures       []Failure // what failed, by name, as far as it is named; at most maxFailures
	More           bool      // more failed than Failures names
	Line           string    // the runner's own failing line, without colours; "" unless Red
}

// Failure is what a runner names as failed, in its own words: a test, a file, a
// package, or a test in one of them. What is not told is empty.
type Failure struct {
	Test    string // as printed: TestF/case, TestClass::test_x, suite > name
	File    string
	Package string // Go's import path, a class, a crate
	Broken  bool   // it did not build, or was not collected: no test of it ran
}
