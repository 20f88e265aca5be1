package agent

import "github.com/piton-project/piton"

// Need is something that work left open: code that was changed and of which no check
// was seen to pass, or a check that failed last. It belongs to the work, not to the
// turn: it is closed by a check that passes and covers its files, or by a person.
// Its JSON is part of a session's state.
// Rule: docs/spec.md, "What work leaves open".
type Need struct {
	Kind  string     `json:"kind"`            // `red`, `own_tests_idle`, `idle` or `untested`
	Files []string   `json:"files"`           // relative to the work tree
	Check string     `json:"check,omitempty"` // the command that failed; absent: it is not `red`
	Line  string     `json:"line,omitempty"`  // the line of its output that says so, redacted; absent: it is not `red`
	Ask   string     `json:"ask,omitempty"`   // the command that would close it; absent: not known
	Dir   string     `json:"dir,omitempty"`   // where it runs, relative to the work tree; absent: in its root
	Since piton.Time `json:"since"`           // when it was left open
	Asked bool       `json:"asked,omitempty"` // the agent was held for it, or said so itself
	Text  string     `json:"text"`            // all this as a sentence
}

// MaxNeeds bounds what a work leaves open; the newest stay.
const MaxNeeds = 50
