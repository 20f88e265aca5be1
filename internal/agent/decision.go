package agent

import "github.com/piton-project/piton"

// Decision is what was decided at a stop, with its reasons; kept and shown by
// `piton explain`. Its JSON form is a contract (docs/json.md).
type Decision struct {
	At           piton.Time   `json:"at"`
	Session      string       `json:"session" redact:"name"`
	Agent        string       `json:"agent,omitempty"`
	Turn         int          `json:"turn"`
	Held         bool         `json:"held"`
	Reason       Reason       `json:"reason"`
	Categories   []string     `json:"categories"`
	Actions      []string     `json:"actions"`
	Observations []string     `json:"observations"`
	Lines        []string     `json:"lines,omitempty"` // what was no reason to hold, and worth a line to a person
	AllClear     bool         `json:"all_clear"`
	TurnStart    piton.Time   `json:"turn_start,omitzero"`
	ElapsedMS    int64        `json:"elapsed_ms"`
	Files        []FileChange `json:"files"`
	Evidence     []Evidence   `json:"evidence"`
	Verified     []Verified   `json:"verified,omitempty"` // what Piton ran itself
	Open         []Need       `json:"open,omitempty"`     // what the work leaves open
	BudgetLeft   int          `json:"budget_left"`
	Message      string       `json:"message,omitempty"` // what the agent was told
	Notes        []string     `json:"notes,omitempty"`   // what could not be looked at, and why
	// Usage is what the turn has used so far, where the client's log says it.
	Usage  piton.TokenUsage `json:"token_usage,omitzero"`
	TookMS int64            `json:"took_ms,omitempty"` // what deciding took
}

// Reason is why an agent was held or let go.
type Reason string

// The reasons.
const (
	ReasonHeld       Reason = "held"                // something was changed and not verified
	ReasonGeneric    Reason = "held_generic"        // git or the rules could not be asked
	ReasonAudit      Reason = "audit"               // would have been held, but the mode is audit
	ReasonClear      Reason = "all_clear"           // tests were seen to pass, and cover all code that changed
	ReasonFine       Reason = "nothing_asked"       // files changed, and nothing asks for a check of them
	ReasonNothing    Reason = "nothing_changed"     // no file of this turn
	ReasonShort      Reason = "too_short"           // below the least turn length
	ReasonNoTurn     Reason = "no_turn"             // no prompt seen
	ReasonNoTool     Reason = "no_tool_use"         // activity timer without a tool use
	ReasonBudget     Reason = "budget_spent"        // held twice already
	ReasonNoActivity Reason = "no_activity"         // no call since the last stop that was looked at
	ReasonAsked      Reason = "asked_before"        // a second hold would say what the first has said
	ReasonEarlier    Reason = "earlier_work"        // what is open is older than an interruption; the new prompt's own work needs nothing
	ReasonNotice     Reason = "notice"              // only observations
	ReasonMarker     Reason = "clear_marker"        // the way out was taken
	ReasonBackground Reason = "background_subagent" // a subagent still runs
	ReasonRunning    Reason = "background_check"    // a check, or the fetching of packages, still runs in the background; the stop at its end is decided
	ReasonNoCheck    Reason = "no_check_known"      // code was changed, and no command is known that would test it
	ReasonOff        Reason = "off"
	ReasonMoved      Reason = "moved_on"      // the session changed while it was looked at
	ReasonCancelled  Reason = "cancelled"     // a person has broken the request off
	ReasonLetter     Reason = "letter_waits"  // a hold is on its way to this agent already
	ReasonOwnText    Reason = "own_text_last" // a letter would answer Piton's own text
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
	Counts   bool   `json:"counts"`
	Why      string `json:"why"`
}

// Verified is a command of the settings that Piton ran itself at a stop
// (docs/spec.md, "Modes").
type Verified struct {
	Command  string     `json:"command"`
	OK       bool       `json:"ok"`
	ExitCode int        `json:"exit_code"`
	TimedOut bool       `json:"timed_out,omitempty"`
	Cached   bool       `json:"cached,omitempty"` // it ran before, on the very same tree
	At       piton.Time `json:"at"`               // when it ended
	TookMS   int64      `json:"took_ms"`
	Output   string     `json:"output,omitempty"` // beginning and end, redacted

	// Measured: it ran because the agent had run no tests. A failure counts only where
	// the command passes without the turn's changes.
	Measured bool   `json:"measured,omitempty"`
	Before   string `json:"before,omitempty"` // how it went without the turn's changes, or why that is not known; "": nobody could tell
	Unsure   string `json:"unsure,omitempty"` // why it says nothing
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
