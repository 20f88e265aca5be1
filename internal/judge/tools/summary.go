package tools

import "strings"

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

// Summarize reads the output of a line that ran these tools: red if any of them
// is red. No tools stand for any. A tool that runs others (make, npm), or of which
// nothing is known, is read as any runner's.
//
// The lines that a runner's own format has are believed. What else a line may
// say of failures (`2 errors`, `exit status 1`) is believed where it stands after
// them, or where there are none: before them it is what the tests print. For a
// program that is not in the table it is believed wherever it stands.
func Summarize(output string, runners ...*Tool) Summary {
	names, strict := "", len(runners) > 0
	for _, t := range runners {
		if t == nil || t.Output == "" {
			names, strict = anyFormats, strict && t != nil && t.Names != ""
			break
		}
		names += " " + t.Output
	}
	if len(runners) == 0 {
		names = anyFormats
	}
	s := sum{rest: rest{strict: strict}, readers: readersOf(names + " shell")}
	for line := range lines(output) {
		s.read(line)
	}
	return s.summary()
}

// readersOf begin to read the formats of some names.
func readersOf(names string) (all []*reader) {
	for name := range strings.FieldsSeq(names) {
		for i := range formats {
			if formats[i].Name == name {
				all = append(all, &reader{format: &formats[i]})
			}
		}
	}
	return all
}
