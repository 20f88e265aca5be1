package debrief

import (
	"cmp"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// Class is how a changed file stands, and what a fact says.
type Class string

// The classes. The first four hold, unless something excuses them; of the last two
// nothing is said.
const (
	ClassRed      Class = "red"            // a check took it and failed
	ClassOwnIdle  Class = "own_tests_idle" // tests are about it, and no run since can have taken them
	ClassIdle     Class = "idle"           // nothing ran since, and its project has tests
	ClassUntested Class = "untested"       // nothing ran since; its project has no tests, but declares a check
	ClassUnseen   Class = "not_seen"       // a run took it whose result nobody saw, or not all that ran can be read
	ClassStatic   Class = "static_only"    // its types were checked, or it was linted
	ClassNowhere  Class = "no_project"     // it belongs to no project that is known
	ClassUnknown  Class = "no_check_known" // nothing ran since; nothing is known that could
	classCovered  Class = "covered"        // a check passed that covers it
	classRan      Class = "ran"            // it was started, loaded or built
)

// holds reports whether facts of a class hold, where nothing excuses them.
func (c Class) holds() bool {
	return c == ClassRed || c == ClassOwnIdle || c == ClassIdle || c == ClassUntested
}

// Fact is one thing that is known of the turn's work at its end.
type Fact struct {
	Class     Class    `json:"class"`
	Files     []string `json:"files,omitempty"`
	Tests     []string `json:"tests,omitempty"` // own tests that are idle
	Ask       string   `json:"ask,omitempty"`   // the command that would settle it
	Dir       string   `json:"dir,omitempty"`   // where it runs
	Check     string   `json:"check,omitempty"` // the command that failed
	Line      string   `json:"line,omitempty"`  // the line that says so
	Names     []string `json:"names,omitempty"` // what failed
	Holds     bool     `json:"holds"`
	Excused   string   `json:"excused,omitempty"`   // why it does not hold
	Inherited bool     `json:"inherited,omitempty"` // from the work before

	Ran string `json:"ran,omitempty"` // what Piton's own run came to, where that counts for nothing

	measured bool // red: Piton ran it itself
	narrowed bool // Ask is for these files only

	Tree string `json:"tree,omitempty"` // another work tree
}

// What excuses a fact.
const (
	excusedNoTests  = "the person wants no tests"
	excusedRefused  = "the person refused a test run, or broke it off"
	excusedMayFail  = "the person expects it to fail"
	excusedLint     = "the person asked for formatting or linting only"
	excusedNoShell  = "the session has no tool that runs commands"
	excusedChecked  = "the step's own check follows"
	excusedBefore   = "it was red before the turn's first change"
	excusedNoCode   = "the turn changed no code that a test would notice"
	excusedAlike    = "it fails without the changes, too"
	excusedAdmitted = "the agent says so"
	excusedNotHere  = "it was tried, and cannot run here, as the agent says"
	excusedLater    = "a later check that covers the changes passed"
	excusedUnread   = "the command cannot be read"
	excusedAsked    = "the agent was asked for it before"
)

// Open reports whether a fact leaves something of the work open: all that could
// hold does, unless the person has decided otherwise, or it is not of this work.
func (f Fact) Open() bool {
	switch f.Excused {
	case "", excusedAsked, excusedAdmitted, excusedNotHere, excusedRefused, excusedNoShell:
		return f.Class.holds()
	}
	return false
}

// Need is what a fact leaves open of the work.
func (f Fact) Need(at piton.Time) agent.Need {
	return agent.Need{
		Kind: string(f.Class), Files: f.Files, Check: cut(f.Check, ruleShown), Line: cut(f.Line, ruleShown), Ask: f.Ask, Dir: f.Dir,
		Since: at, Asked: f.Excused == excusedAsked || f.Excused == excusedAdmitted || f.Excused == excusedNotHere, Text: f.line(),
	}
}

// text is a fact as a sentence: what is so, and what to do.
func (f Fact) text() string {
	files := list(f.Files)
	it, its, belongs := "it", "its", "it belongs"
	if len(f.Files) > 1 {
		it, its, belongs = "them", "their", "they belong"
	}
	run := "run " + quoteTo(f.Ask, ruleShown)
	if f.Dir != "" {
		run += " in " + quote(f.Dir)
	}
	before := ""
	if f.Inherited {
		before = " before this turn"
	}
	switch {
	case f.Class == ClassRed:
		text := quote(f.Check) + " failed"
		if f.Line != "" {
			text += " (" + quote(f.Line) + ")"
		}
		return text + " and was not seen to pass since: fix it, then " + run + ", or say that it still fails"
	case f.Ran != "":
		return files + " changed" + before + ", and the agent has run no test of " + it + " since; Piton ran " + f.Ran + ": fix it, then " + run + ", or say that it still fails"
	case f.Class == ClassOwnIdle && len(f.Tests) > 0:
		return files + " changed" + before + ", and " + its + " tests (" + list(f.Tests) + ") have not run since: " + run
	}
	said := map[Class]string{
		ClassOwnIdle:  ", and no test of " + it + " has run since: " + run,
		ClassIdle:     ", and no test of " + it + " has run since: " + run,
		ClassUntested: ", no check has run since, and the project has no tests: " + run,
		ClassUnseen:   "; no check of " + it + " was seen to pass here",
		ClassStatic:   "; nothing but static checks ran",
		ClassNowhere:  "; " + belongs + " to no project that is known here",
	}
	return files + " changed" + before + cmp.Or(said[f.Class], "; no test command is known here (`piton rules accept 'CMD'` names one)")
}

// line is a fact as a person reads it.
func (f Fact) line() string {
	text, _, _ := strings.Cut(f.text(), ": fix it, then ")
	text, _, _ = strings.Cut(text, ": run `")
	if f.Excused != "" && f.Excused != excusedAdmitted && f.Excused != excusedAlike {
		text += " (" + f.Excused + ")"
	}
	return text
}
