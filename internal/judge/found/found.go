// Package found holds what is found in a work tree and judged by: where files live, which
// commands run tests, what a line comes to in the end. Package project finds it, package
// debrief judges by it, and recorded turns hold it.
package found

import "github.com/piton-project/piton/internal/judge/tools"

// Home is where a changed file lives: what must be known of its surroundings to
// say which test runs are about it. All paths are relative to the work tree's
// root, with slashes; "" is the root itself.
type Home struct {
	Project      string   `json:"project,omitempty"`       // the folder of its project: that of the nearest manifest of its ecosystem
	Manifest     bool     `json:"manifest,omitempty"`      // that folder has a manifest
	Packaged     bool     `json:"packaged,omitempty"`      // its folder is a package, with tests of its own (Go)
	PackageTests bool     `json:"package_tests,omitempty"` // tests lie in its folder, or did when the turn began
	Own          []string `json:"own,omitempty"`           // test files that bear its name, wherever they lie; itself, where it holds its own tests
	Test         bool     `json:"test,omitempty"`          // it is a test file
	Tested       bool     `json:"tested,omitempty"`        // its project has tests, or had some when the turn began
	AmongTests   bool     `json:"among_tests,omitempty"`   // its folder holds tests only: integration_test, e2e, tests
	Served       bool     `json:"served,omitempty"`        // it belongs to a suite that needs a server: Playwright, Cypress, a live database
}

// Run is a command that a line comes to in the end.
type Run struct {
	Words []string    `json:"words"`
	Dir   string      `json:"dir,omitempty"`   // where it runs, relative to the root with slashes
	Scope tools.Scope `json:"scope,omitzero"`  // what it takes, seen from the root, with the project's members at their places
	Plain bool        `json:"plain,omitempty"` // the line is the project's own plain entry: test, check, ci
}

// TestCommand is a command that runs tests.
type TestCommand struct {
	Run       string   `json:"run"`                 // as a person types it: "go test ./..."
	Matches   []string `json:"matches,omitempty"`   // patterns for shell.Command.Matches that also count: "go test"
	Ecosystem string   `json:"ecosystem,omitempty"` // "go", "node", …; empty for the project's own umbrella (make test)
	Dir       string   `json:"dir,omitempty"`       // where it runs, relative to the root with slashes; empty at the root
}

// Doubt is why runs of a command show less than their exit status says.
type Doubt struct {
	Run   string `json:"run"`             // a pattern for shell.Command.Matches
	Dir   string `json:"dir,omitempty"`   // where it runs, relative to the root with slashes
	Why   string `json:"why"`             // "runs nothing, as its definition reads (Makefile)"
	Never bool   `json:"never,omitempty"` // no run of it shows anything; else one does whose output names tests that passed
}
