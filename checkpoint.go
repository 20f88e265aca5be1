package piton

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Checkpoint is the record of one saved state. Its JSON form is a contract
// (docs/json.md): fields only grow, an absent field means unknown. State, sum
// and sequence number never change (docs/spec.md, "Record").
type Checkpoint struct {
	ID string `json:"id" redact:"name"` // `chk_…`
	InWorkflow
	AtStep
	Described
	Trigger     Trigger `json:"trigger"` // why it was saved
	CreatedAt   Time    `json:"created_at"`
	ImportedAt  Time    `json:"imported_at,omitzero"`  // when it was imported; retention counts from then; absent: it was saved here
	Completed   bool    `json:"completed"`             // finished: by `piton complete`, or because the saved state has nothing left to do
	CompletedAt Time    `json:"completed_at,omitzero"` // absent: not completed
	SoFar
	OfState
	Origin Origin `json:"origin,omitzero"` // where it was made, as far as that is known; absent: nothing is known
	InStore
}

// InWorkflow is a checkpoint's place among the others.
type InWorkflow struct {
	WorkflowID   string `json:"workflow_id" redact:"name"`          // `wf_…`
	Workflow     string `json:"workflow,omitempty"`                 // the caller's name of the workflow; absent: it has none
	WorkflowType string `json:"workflow_type"`                      // `session`, `phases`, `conductor`, `plan`, `custom` or the caller's own
	SessionID    string `json:"session_id,omitempty" redact:"name"` // `ses_…`; absent: no session
	SessionName  string `json:"session_name,omitempty"`             // what its client or caller calls the session; absent: there is no name
	Project      string `json:"project,omitempty" redact:"name"`    // a project id, `prj_…`; not a path and not a name; absent: no project
	Branch       string `json:"branch" redact:"name"`               // `main` or a fork's
	Seq          int64  `json:"seq"`                                // sequence number in the workflow, from 1, never falls
	ParentID     string `json:"parent_id,omitempty" redact:"name"`  // `chk_…`; absent: the first of its line
}

// AtStep is the step or the phase of the work at which a checkpoint was made.
type AtStep struct {
	StepNumber  *int   `json:"step_number,omitempty"`  // the caller's count of steps; may be 0; absent: not known
	StepName    string `json:"step_name,omitempty"`    // name of the step or phase; absent: not given
	PhaseNumber int    `json:"phase_number,omitempty"` // from 1; absent: no phases
	PhaseTotal  int    `json:"phase_total,omitempty"`  // absent: no phases
}

// Described is what a checkpoint's maker says of it.
type Described struct {
	Name        string   `json:"name,omitempty"`         // of the caller or of a hook, like the next two; absent: not given
	Description string   `json:"description,omitempty"`  // absent: not given
	TaskSummary string   `json:"task_summary,omitempty"` // absent: not given
	Tags        []string `json:"tags,omitempty"`
}

// SoFar is how far the work had come, and what it had taken.
type SoFar struct {
	Progress   *int        `json:"progress,omitempty"`    // 0 to 100; absent: cannot be computed
	DurationMS int64       `json:"duration_ms,omitempty"` // time spent; absent: not known
	TokenUsage *TokenUsage `json:"token_usage,omitempty"` // absent: not known
}

// OfState is what is known of a checkpoint's state without reading it.
type OfState struct {
	StateBytes    int64  `json:"state_bytes"`          // size of the state in compact form
	StoredBytes   int64  `json:"stored_bytes"`         // what this save added to the store
	SHA256        string `json:"sha256" redact:"name"` // of the compact state, hex
	SchemaVersion int    `json:"schema_version"`       // of the record
}

// InStore is how a store keeps a checkpoint.
type InStore struct {
	Damaged string `json:"damaged,omitempty"`               // why the checkpoint is marked as damaged; absent: it is not known to be damaged
	Archive string `json:"archive,omitempty" redact:"name"` // the archive file that holds the state; absent: the state is in the store
	File    string `json:"file,omitempty" redact:"name"`    // where a file store keeps it; absent: any other store

	Ordinal   int64 `json:"-"` // store-wide order, from 1, never falls
	BadRecord bool  `json:"-"` // the record itself is damaged, Damaged says how: it is listed, and a load is Corrupt
}

// TokenUsage counts tokens.
type TokenUsage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
}

// UnmarshalJSON reads counts by kind, or one number: then only the total is known, and
// it counts as input, which most of it is.
func (u *TokenUsage) UnmarshalJSON(b []byte) error {
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		*u = TokenUsage{Input: n}
		return nil
	}
	type counts TokenUsage
	return json.Unmarshal(b, (*counts)(u))
}

// Plus adds two counts. A sum that is too large is the largest number.
func (u TokenUsage) Plus(v TokenUsage) TokenUsage {
	return TokenUsage{plus(u.Input, v.Input), plus(u.Output, v.Output), plus(u.CacheRead, v.CacheRead), plus(u.CacheWrite, v.CacheWrite)}
}

// Minus is what u has more than v.
func (u TokenUsage) Minus(v TokenUsage) TokenUsage {
	return u.Plus(TokenUsage{-v.Input, -v.Output, -v.CacheRead, -v.CacheWrite})
}

// Total is all tokens, whatever they cost, bounded as in Plus.
func (u TokenUsage) Total() int64 {
	return plus(plus(u.Input, u.Output), plus(u.CacheRead, u.CacheWrite))
}

// plus adds without an overflow: a budget that is used up stays used up.
func plus(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

// Origin says where a checkpoint was made.
type Origin struct {
	Agent         string `json:"agent,omitempty"`
	ClientVersion string `json:"client_version,omitempty"`
	Host          string `json:"host,omitempty"`
	By            string `json:"by,omitempty"` // who saved it, or whose agent: git's name of them, else $USER; absent: not known, or checkpoints.by is off
	GitHead       string `json:"git_head,omitempty"`
	GitBranch     string `json:"git_branch,omitempty" redact:"name"`
}

// Trigger says why a checkpoint was made.
type Trigger string

// The triggers (docs/spec.md, "Automatic triggers").
const (
	TriggerManual        Trigger = "manual"              // someone asked for it
	TriggerPhaseComplete Trigger = "phase_complete"      // a phase was completed
	TriggerAgentHandoff  Trigger = "agent_handoff"       // a subagent starts or ends
	TriggerFileChange    Trigger = "file_change"         // files were changed
	TriggerInterval      Trigger = "interval"            // after 10 minutes of work
	TriggerPreRisky      Trigger = "pre_risky_operation" // before `rm -r`, `git reset --hard`, `git clean`, a force push, `drop table` and the like
	TriggerError         Trigger = "error"               // something failed
	TriggerAuto          Trigger = "auto"                // the runner
	TriggerPreCompact    Trigger = "pre_compact"         // the client is about to compact its context
	TriggerTurnEnd       Trigger = "turn_end"            // the agent was let go at a stop
	TriggerSessionEnd    Trigger = "session_end"         // the session ended
)

// Triggers lists them all.
var Triggers = []Trigger{
	TriggerManual, TriggerPhaseComplete, TriggerAgentHandoff, TriggerFileChange, TriggerInterval,
	TriggerPreRisky, TriggerError, TriggerAuto, TriggerPreCompact, TriggerTurnEnd, TriggerSessionEnd,
}

// MainBranch is the branch a workflow begins with.
const MainBranch = "main"

// AsidePrefix begins the names of the branches for what an import or a flush
// cannot put in its place, because the workflow has gone on by itself there. Nothing on them is
// a workflow's head as long as there is anything else, and nobody saves to them.
const AsidePrefix = "imported/"

// IsAside tells whether a branch is such a one.
func IsAside(branch string) bool { return strings.HasPrefix(branch, AsidePrefix) }

// AsideOf is the branch for what cannot stand on this one.
func AsideOf(branch string) string {
	if IsAside(branch) {
		return branch
	}
	return AsidePrefix + branch
}

// Types of workflow that Piton knows; any other name is the caller's own.
const (
	TypeSession   = "session"
	TypePhases    = "phases"
	TypeConductor = "conductor"
	TypePlan      = "plan"
	TypeCustom    = "custom"
)

// Workflow is a line of checkpoints with branches. Its head is the checkpoint
// with the highest sequence number over all branches but those an import has set
// aside.
type Workflow struct {
	ID        string `json:"id" redact:"name"` // `wf_…`
	Name      string `json:"name,omitempty"`   // the caller's name, unique in its project; absent: it has none
	Type      string `json:"type"`             // as `workflow_type` of a checkpoint
	Project   string `json:"project,omitempty" redact:"name"`
	SessionID string `json:"session_id,omitempty" redact:"name"`
	CreatedAt Time   `json:"created_at"`
	Seq       int64  `json:"seq"` // the last sequence number that was given
	HeadID    string `json:"head_id,omitempty" redact:"name"`
	Closed    bool   `json:"closed"` // it is finished and not offered for resuming
}

// Label is what people call the workflow: its name, else its id.
func (w Workflow) Label() string {
	if w.Name != "" {
		return w.Name
	}
	return w.ID
}

// Label is what people call the checkpoint's workflow: its name, else its id.
func (c Checkpoint) Label() string {
	if c.Workflow != "" {
		return c.Workflow
	}
	return c.WorkflowID
}

// Step is what people call the checkpoint's place: the step's name, the
// checkpoint's own name, the task, its workflow's name, or the trigger. At the end
// of a plan there is no step, and the description says so.
func (c Checkpoint) Step() string {
	atEnd := ""
	if c.WorkflowType == TypePlan && c.Completed {
		atEnd = c.Description
	}
	return cmp.Or(c.StepName, c.Name, atEnd, c.TaskSummary, c.Description, c.Workflow, string(c.Trigger))
}

// Says is the line by which lists show the checkpoint: its place, or how a plan has
// failed.
func (c Checkpoint) Says() string {
	if c.WorkflowType == TypePlan && c.Trigger == TriggerError && c.Description != "" {
		return c.Description
	}
	return c.Step()
}

// Finishes tells whether a checkpoint ends its workflow: it is completed, or
// it is the last of its phases (docs/spec.md, "Verbs").
func (c Checkpoint) Finishes() bool {
	return c.Completed || c.PhaseTotal > 0 && c.PhaseNumber == c.PhaseTotal
}

// Query selects checkpoints; zero fields select all.
type Query struct {
	Workflow  string   // a workflow id
	Session   string   // a session id
	Sessions  []string // session ids, any of which will do
	Project   string   // a project id
	Shared    bool     // with Project: what names no project fits too
	Branch    string
	Type      string // of the workflow
	NotType   string
	Trigger   Trigger
	Agent     string // whose hooks saved it: Origin.Agent
	Tag       string
	Name      string // of the checkpoint, whole
	Archive   string // a file of the archive that holds the state
	Completed *bool
	Open      bool // heads of open workflows only
	Since     Time // created at or after
	Until     Time // created before
	Limit     int  // at most this many, 0 for all
	Before    int64
	// Before is a cursor: only ordinals below it, 0 for the newest.
}

// Page is a part of a list, newest first. Next is the cursor of the next part,
// 0 when there is none.
type Page struct {
	Checkpoints []Checkpoint
	Next        int64
}
