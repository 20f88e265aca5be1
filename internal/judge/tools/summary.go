package tools

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
