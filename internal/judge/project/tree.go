package project

import (
	"github.com/piton-project/piton/internal/judge/found"
	"github.com/piton-project/piton/internal/judge/shell"
)

// What is found of a work tree.
type (
	Home        = found.Home
	Run         = found.Run
	TestCommand = found.TestCommand
	Doubt       = found.Doubt
)

// Tests is what the root of a work tree tells of its tests, with what was found
// out of what runs them in the end.
type Tests struct {
	root string
	seen *listings
	top  *folder
	sub  map[string]*folder       // the folders of sub-projects that were looked at
	of   map[string][]TestCommand // what was found in each of them

	left    int                        // lines that may still be parsed
	ran     map[string][]shell.Command // of targets and scripts, with the hops that were left
	idle    map[string]hollow          // of targets, likewise
	parsed  map[string][]shell.Command
	scripts map[string]hollow // those that were read, by their paths
}

// Bounds of the search for tests behind a project's own targets and scripts.
const (
	maxHops     = 4   // a target that calls a target that runs a script
	maxLines    = 500 // lines and scripts parsed in all
	maxGathered = 50  // runners of one target
)

// hollow says how far what a target, script or task does is known to show
// nothing.
type hollow int

const (
	solid    hollow = iota // it runs something, or nobody knows
	forgiven               // it succeeds whatever its commands do
	empty                  // it runs nothing
)

func (h hollow) why() (why string, never bool) {
	switch h {
	case empty:
		return "runs nothing, as its definition reads", true
	case forgiven:
		return "succeeds whatever its tests do, as its definition reads", false
	}
	return "", false
}
