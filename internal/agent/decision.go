package agent

import "github.com/piton-project/piton"

// Decision is what was decided at a stop, with its reasons; kept and shown by
// `piton explain`. Its JSON form is a contract (docs/json.md).
type Decision struct {
	At           piton.Time       `json:"at"`                    // when it was decided
	Session      string           `json:"session" redact:"name"` // `ses_…`
	Agent        string           `json:"agent,omitempty"`       // `claude`, `gemini` or `codex`; absent: it was decided before this was recorded
	Turn         int              `json:"turn"`                  // the turn, counted by human prompts
	Held         bool             `json:"held"`                  // the agent was held
	Reason       Reason           `json:"reason"`
	Categories   []string         `json:"categories"`          // of the changed files
	Actions      []string         `json:"actions"`             // what was missing
	Observations []string         `json:"observations"`        // what was noticed
	Lines        []string         `json:"lines,omitempty"`     // what was no reason to hold, and worth a line to a person
	AllClear     bool             `json:"all_clear"`           // tests were seen to pass that cover all code that changed, and nothing is left to say
	TurnStart    piton.Time       `json:"turn_start,omitzero"` // the start that the timer used; absent: there was none
	ElapsedMS    int64            `json:"elapsed_ms"`          // time of work since then
	Files        []FileChange     `json:"files"`
	Evidence     []Evidence       `json:"evidence"`             // the commands that were weighed
	Verified     []Verified       `json:"verified,omitempty"`   // results of the commands of `debrief.verify`; absent: none ran
	Open         []Need           `json:"open,omitempty"`       // what the work leaves open; absent: nothing
	BudgetLeft   int              `json:"budget_left"`          // holds left for this prompt
	Message      string           `json:"message,omitempty"`    // what the agent was told; absent: nothing was said
	Notes        []string         `json:"notes,omitempty"`      // what could not be checked, and why
	Usage        piton.TokenUsage `json:"token_usage,omitzero"` // what the turn had used so far; absent: the client's log does not say
	TookMS       int64            `json:"took_ms,omitempty"`    // what deciding took, up to its commit; absent: less than a millisecond, or not measured
}

// Reason is why an agent was held or let go.
type Reason string

// The reasons.
const (
	ReasonHeld       Reason = "held"                // something was changed and not verified
	ReasonGeneric    Reason = "held_generic"        // git or the rules failed: the message is a generic one
	ReasonAudit      Reason = "audit"               // would have been held, but the mode is `audit`
	ReasonClear      Reason = "all_clear"           // tests were seen to pass that cover all code that changed
	ReasonFine       Reason = "nothing_asked"       // files changed and nothing holds, but no test was seen to pass that covers all of it
	ReasonNothing    Reason = "nothing_changed"     // no file of this turn
	ReasonShort      Reason = "too_short"           // shorter than the minimum length of a turn
	ReasonNoTurn     Reason = "no_turn"             // no prompt was seen
	ReasonNoTool     Reason = "no_tool_use"         // activity timer without a tool use
	ReasonBudget     Reason = "budget_spent"        // held twice already
	ReasonNoActivity Reason = "no_activity"         // no call since the last stop of the turn that was looked at
	ReasonAsked      Reason = "asked_before"        // a second hold would say what the first has said
	ReasonEarlier    Reason = "earlier_work"        // what is open is older than an interruption; the new prompt's own work needs nothing
	ReasonNotice     Reason = "notice"              // observations only
	ReasonMarker     Reason = "clear_marker"        // the marker file existed
	ReasonBackground Reason = "background_subagent" // a subagent still runs
	ReasonRunning    Reason = "background_check"    // a check, or the fetching of packages, still runs in the background; the stop at its end is decided
	ReasonNoCheck    Reason = "no_check_known"      // code was changed, and no command is known that would test it
	ReasonOff        Reason = "off"                 // the mode is `off`
	ReasonMoved      Reason = "moved_on"            // the same stop was reported twice, or the session moved on during the decision
	ReasonCancelled  Reason = "cancelled"           // a person stopped the agent; the turn goes on with the next prompt
	ReasonLetter     Reason = "letter_waits"        // a hold already waits for this agent, as a letter
	ReasonOwnText    Reason = "own_text_last"       // the last message is Piton's own: a letter would answer itself
)

// LeavesOpen reports whether a stop that is let through for this reason leaves the
// turn as it is: it is not over, or another stop has ended it.
func (r Reason) LeavesOpen() bool {
	switch r {
	case ReasonBackground, ReasonRunning, ReasonMoved, ReasonCancelled, ReasonLetter:
		return true
	}
	return false
}

// FileChange is a changed file and whose work it is.
type FileChange struct {
	Path  string `json:"path"` // relative to the work tree
	Whose Owner  `json:"whose"`
}

// Owner is whose work a change is.
type Owner string

// The owners.
const (
	OwnerAgent   Owner = "agent"
	OwnerForeign Owner = "foreign" // another agent's or a person's
)

// Evidence is a command that proved, or failed to prove, a category.
type Evidence struct {
	Category string `json:"category"`
	Command  string `json:"command"`
	Counts   bool   `json:"counts"` // whether it counts
	Why      string `json:"why"`    // why it does or does not
}

// Verified is a command of the settings that Piton ran itself at a stop
// (docs/spec.md, "Modes").
type Verified struct {
	Command  string     `json:"command"`
	OK       bool       `json:"ok"`
	ExitCode int        `json:"exit_code"`
	TimedOut bool       `json:"timed_out,omitempty"`
	Cached   bool       `json:"cached,omitempty"` // an earlier result for the same tree
	At       piton.Time `json:"at"`               // when it ended
	TookMS   int64      `json:"took_ms"`
	Output   string     `json:"output,omitempty"` // its beginning and end, redacted

	Measured bool   `json:"measured,omitempty"` // it ran because the agent had run no tests: a failure counts only where it passes without the turn's changes
	Before   string `json:"before,omitempty"`   // how it went without the turn's changes (`passed`, `failed`), or why that is not known (`changed`: the tree had changes when the turn began, `no_time`)
	Unsure   string `json:"unsure,omitempty"`   // why it says nothing
}

// How a command went without the turn's changes.
const (
	BeforePassed  = "passed"
	BeforeFailed  = "failed"
	BeforeChanged = "changed" // not known: the tree had changes when the turn began
	BeforeNoTime  = "no_time" // not known: the time for it ran out
)

// Answered reports whether the run came to an answer: it ended in its time, on a tree
// that stayed as it was.
func (v Verified) Answered() bool { return !v.TimedOut && v.Unsure == "" }

// Counts reports whether what the command gave says something of the turn's work.
func (v Verified) Counts() bool {
	return v.Answered() && (v.OK || !v.Measured || v.Before == BeforePassed)
}

// DecisionsKept is how many decisions are kept.
const DecisionsKept = 2000

// VerifiedKept is how many results of commands that Piton ran itself are kept.
const VerifiedKept = 500
