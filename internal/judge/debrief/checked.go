package debrief

// Checked is a check that a turn's calls ran: tests, a build, a linter.
type Checked struct {
	Call    int     `json:"call"` // which of Input.Calls ran it
	Command string  `json:"command"`
	Went    Outcome `json:"went"`
	Why     string  `json:"why"` // why it is taken for that, in words
}

// Outcome is how a check went, as far as that was seen.
type Outcome string

// How a check can have gone.
const (
	CheckPassed  Outcome = "passed"
	CheckFailed  Outcome = "failed"
	CheckUnknown Outcome = "unknown" // it ran, or may have, and nobody saw how it went
	CheckNothing Outcome = "nothing" // it never ran, or found nothing to check
)

var outcomes = map[outcome]Outcome{passed: CheckPassed, failed: CheckFailed, unseen: CheckUnknown, unrun: CheckNothing, nothing: CheckNothing}

// Checks are the checks of a turn, in the order in which they ended. Like Look it never
// panics: of a turn that makes a rule fail none are known.
func Checks(in Input) (list []Checked) {
	contained(func() {
		t, _ := ready(in)
		for _, c := range t.checks() {
			if !c.call.own {
				list = append(list, Checked{c.call.at, c.cmd.text, outcomes[c.is], c.why})
			}
		}
	})
	return list
}
