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
	ID string `json:"id" redact:"name"`
	InWorkflow
	AtStep
	Described
	Trigger     Trigger `json:"trigger"`
	CreatedAt   Time    `json:"created_at"`
	ImportedAt  Time    `json:"imported_at,omitzero"` // when it came here from elsewhere
	Completed   bool    `json:"completed"`
	CompletedAt Time    `json:"completed_at,omitzero"`
	SoFar
	OfState
	Origin Origin `json:"origin,omitzero"`
	InStore
}

// InWorkflow is a checkpoint's place among the others.
type InWorkflow struct {
	WorkflowID   string `json:"workflow_id" redact:"name"`
	Workflow     string `json:"workflow,omitempty"` // the caller's name for it
	WorkflowType string `json:"workflow_type"`
	SessionID    string `json:"session_id,omitempty" redact:"name"`
	SessionName  string `json:"session_name,omitempty"`          // what its client or caller calls the session
	Project      string `json:"project,omitempty" redact:"name"` // a project id
	Branch       string `json:"branch" redact:"name"`
	Seq          int64  `json:"seq"` // per workflow, from 1, never falls
	ParentID     string `json:"parent_id,omitempty" redact:"name"`
}

// AtStep is the step or the phase of the work at which a checkpoint was made.
type AtStep struct {
	StepNumber  *int   `json:"step_number,omitempty"`
	StepName    string `json:"step_name,omitempty"`
	PhaseNumber int    `json:"phase_number,omitempty"` // from 1
	PhaseTotal  int    `json:"phase_total,omitempty"`
}

// Described is what a checkpoint's maker says of it.
type Described struct {
	Name        string   `json:"name,omitempty"`
	Description string   `json:"description,omitempty"`
	TaskSummary string   `json:"task_summary,omitempty"`
	Tags        []string `json:"tags,omitempty"`
}

// SoFar is how far the work had come, and what it had taken.
type SoFar struct {
	Progress   *int        `json:"progress,omitempty"` // 0 to 100
	DurationMS int64       `json:"duration_ms,omitempty"`
	TokenUsage *TokenUsage `json:"token_usage,omitempty"`
}

// OfState is what is known of a checkpoint's state without reading it.
type OfState struct {
	StateBytes    int64  `json:"state_bytes"`          // the state in compact form
	StoredBytes   int64  `json:"stored_bytes"`         // what this save added to the store
	SHA256        string `json:"sha256" redact:"name"` // of the compact state, hex
	SchemaVersion int    `json:"schema_version"`
}

// InStore is how a store keeps a checkpoint.
type InStore struct {
	Damaged string `json:"damaged,omitempty"`               // why it was marked as damaged
	Archive string `json:"archive,omitempty" redact:"name"` // the archive's file that holds the state
	File    string `json:"file,omitempty" redact:"name"`    // where a file store keeps it

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
	GitHead       string `json:"git_head,omitempty"`
	GitBranch     string `json:"git_branch,omitempty" redact:"name"`
}

// Trigger says why a checkpoint was made.
type Trigger string

// The triggers (docs/spec.md, "Automatic triggers").
const (
	TriggerManual        Trigger = "manual"
	TriggerPhaseComplete Trigger = "phase_complete"
	TriggerAgentHandoff  Trigger = "agent_handoff"
	TriggerFileChange    Trigger = "file_change"
	TriggerInterval      Trigger = "interval"
	TriggerPreRisky      Trigger = "pre_risky_operation"
	TriggerError         Trigger = "error"
	TriggerAuto          Trigger = "auto"
	TriggerPreCompact    Trigger = "pre_compact"
	TriggerTurnEnd       Trigger = "turn_end"
	TriggerSessionEnd    Trigger = "session_end"
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
	ID        string `json:"id" redact:"name"`
	Name      string `json:"name,omitempty"` // unique in its project
	Type      string `json:"type"`
	Project   string `json:"project,omitempty" redact:"name"`
	SessionID string `json:"session_id,omitempty" redact:"name"`
	CreatedAt Time   `json:"created_at"`
	Seq       int64  `json:"seq"` // the last number given out
	HeadID    string `json:"head_id,omitempty" redact:"name"`
	Closed    bool   `json:"closed"` // finished: not offered for resuming
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
