// Package proof is the model that a turn's tests are judged by: checks that ran,
// needs of the files that changed, failures that are open until what failed has
// passed. It is pure: nothing is read, run or worded. Paths are relative to the
// work tree's root, with slashes; "" is the root itself.
// Rule: docs/spec.md, "Evidence".
package proof

import "github.com/piton-project/piton/internal/judge/tools"

// Check is one verification that was executed.
type Check struct {
	Name     string        // the command, as it is named
	Dir      string        // the folder that it ran in
	Projects []string      // the folders of the projects that it ran in
	Runs     []tools.Scope // what it takes, seen from the root; several where a task runs several tools
	Build    bool          // it builds or checks types, and runs no test
	Plain    bool          // it is its project's own plain entry: test, check, ci
	Base     bool          // it ran while the changes were put away: what failed in it is not the agent's
	Own      bool          // Piton ran it: its failures are said by themselves
	At       Moment        // its end
	Outcome  Outcome
	Failures []Failure // what it names as failed; as a runner prints it, placed in the tree
	Complete bool      // what failed is all named: no line of it is missing
	Stops    bool      // it ends at its first failure: what it had not reached then did not run
}

// Outcome is how a check went.
type Outcome int

// Outcomes.
const (
	Unknown  Outcome = iota // it proves nothing: interrupted, in the background, no test ran
	Passed                  // its status or its output says so
	Presumed                // nothing says that it failed, and nothing that it passed: its status is hidden
	Failed
)

// Failure is one thing that a check names as failed; what it does not name is
// empty.
type Failure struct {
	Test    string // its name
	File    string // the file that holds it
	Package string // the folder of its package, where a folder is one
	Placed  bool   // Package is known, the root included
	Broken  bool   // it did not build, or could not be collected
	As      string // as the runner prints it, to be quoted
}

// Home is where a changed file lives: see project.Home.
type Home struct {
	Project      string   `json:"project,omitempty"`
	Packaged     bool     `json:"packaged,omitempty"`
	PackageTests bool     `json:"package_tests,omitempty"`
	Own          []string `json:"own,omitempty"`
	Test         bool     `json:"test,omitempty"`
	Entry        bool     `json:"entry,omitempty"`
	Tested       bool     `json:"tested,omitempty"`
	TestsOnly    []string `json:"tests_only,omitempty"`
	Served       bool     `json:"served,omitempty"`
}

// Need is a changed file that a check has to meet.
type Need struct {
	Path    string
	Home    Home
	Since   Moment // its last edit
	Deleted bool
}

// Turn is all that is judged together.
type Turn struct {
	Lost   []Failure // tests that the turn took out, emptied or skips, with their files
	Checks []Check
	Files  []Need   // all that the agent changed: the tests among them count for others
	First  Moment   // the first edit of the turn; what was red before is not the agent's
	Brief  []string // test files that the turn made to try something and took away again: nothing that failed in them is open
	Gone   []string // test files that the turn deleted: no pass shows that what failed in them is right
}

// Open is a failure that is open. The zero Failure: nothing was named, and all
// that the check took is open.
type Open struct {
	Failure
	By     int  // the check that showed it last
	Before bool // the same was red before the turn's first edit
}

// Unnamed reports whether all that the check took is open.
func (o Open) Unnamed() bool { return o.what() == (Failure{}) }

// what is the failure without the runner's words, which hold times.
func (f Failure) what() Failure {
	f.As = ""
	return f
}

// isIn reports whether another failure names the same, or a part of it that may
// be the same: a failed package holds a failed test.
func (f Failure) isIn(other Failure) bool {
	test := f.Test == other.Test || f.Test == "" || other.Test == ""
	file := f.File == other.File || f.File == "" || other.File == ""
	pkg := f.Package == other.Package && f.Placed == other.Placed || !f.Placed || !other.Placed
	return test && file && pkg
}
