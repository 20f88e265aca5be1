package debrief

import "github.com/piton-project/piton/internal/agent"

// demand is an instruction of a category whose evidence is missing.
type demand struct {
	subjects    []subject
	missing     string   // "no test run has passed since"
	instruction string   // "" for none
	patterns    []string // what would prove it
	asks        []Test   // the test commands it names
	tried       *call    // the failed call that it speaks of
	testRun     bool     // it asks for a test run and nothing else
	advice      bool
}

// subject is a category with the names of its files.
type subject struct{ name, files string }

// finding is what a rule came to: a demand, or why there is none.
type finding struct {
	demand
	group   group
	wish    string // the rule's instruction, filled in
	rows    []agent.Evidence
	verdict string
}

// asksFor tells whether the finding makes an action.
func (f finding) asksFor() bool { return f.instruction != "" && !f.advice }

// settle takes the demand back.
func (f *finding) settle(why string) { f.demand, f.verdict = demand{}, why }
