package piton

// Run is one execution of a plan (docs/spec.md, "Runs"). Its steps and results
// stand in the checkpoints of its branch; this record says who works on it.
type Run struct {
	ID           string     `json:"id" redact:"name"`                      // `run_…`
	WorkflowID   string     `json:"workflow_id" redact:"name"`             // `wf_…`
	Workflow     string     `json:"workflow,omitempty"`                    // the workflow's name; absent: it has none
	Branch       string     `json:"branch" redact:"name"`                  // the branch that it is on
	Project      string     `json:"project,omitempty" redact:"name"`       // `prj_…`
	SessionID    string     `json:"session_id,omitempty" redact:"name"`    // `ses_…`, whose agent began it
	Plan         string     `json:"plan"`                                  // the plan's name
	PlanFile     string     `json:"plan_file,omitempty"`                   // the plan's file; absent: it came from no file
	PlanSum      string     `json:"plan_sum" redact:"name"`                // the sha256 of the plan as checked, hex
	Dir          string     `json:"dir"`                                   // where its steps work, on the machine `host`
	Host         string     `json:"host,omitempty"`                        // absent: not known
	Namespace    string     `json:"namespace,omitempty" redact:"name"`     // its project, the same on each machine; absent: a run of an older version
	Folder       string     `json:"folder,omitempty"`                      // its folder, below the project's root; absent: outside of it, or of an older version
	PlanPath     string     `json:"plan_path,omitempty"`                   // likewise its plan's file; absent: outside of it, or of an older version
	Daemon       string     `json:"daemon,omitempty" redact:"name"`        // the home whose daemon works on it; absent: no daemon does
	Parent       string     `json:"parent,omitempty" redact:"name"`        // the run of whose plan it is a step; absent: none
	CheckpointID string     `json:"checkpoint_id,omitempty" redact:"name"` // its newest checkpoint; what else is saved to its branch is not its state; absent: none yet
	Status       RunStatus  `json:"status"`
	Wish         RunWish    `json:"wish,omitempty"`       // what was asked of its owner and is not yet done
	Owner        Owner      `json:"owner,omitzero"`       // the process that works on it; absent: nobody does
	Fence        int64      `json:"fence"`                // the number of its owner's claim; every write names it
	LeaseUntil   Time       `json:"lease_until,omitzero"` // until when an owner that cannot be seen is believed; absent: as `owner`
	CreatedAt    Time       `json:"created_at"`
	UpdatedAt    Time       `json:"updated_at"`
	EndedAt      Time       `json:"ended_at,omitzero"` // absent: it has not ended
	DueAt        Time       `json:"due_at,omitzero"`   // until when it waits; absent: it waits for no time
	Done         int        `json:"done"`              // steps that are completed, or skipped by their condition and not for a failure
	Total        int        `json:"total"`             // steps of the plan
	Now          string     `json:"now,omitempty"`     // what it does or waits for, in words: "steps fetch, parse"; absent: nothing
	Error        string     `json:"error,omitempty"`
	Cause        RunCause   `json:"cause,omitempty"`      // why it does not go on; absent: it is not stopped or failed, or of an older version
	Usage        TokenUsage `json:"token_usage,omitzero"` // what it has used; absent: not known
	CostUSD      float64    `json:"cost_usd,omitempty"`   // what it has cost; absent: not known
	WorkMS       int64      `json:"duration_ms"`          // its working time, over all its owners
}

// RunPrefix begins the ids of runs.
const RunPrefix = "run_"

// RunStatus says how far a run is.
type RunStatus string

// The statuses of a run.
const (
	RunQueued    RunStatus = "queued"    // its daemon begins it when one before it has ended
	RunRunning   RunStatus = "running"   // also where its owner has died
	RunWaiting   RunStatus = "waiting"   // for a person's approval
	RunPaused    RunStatus = "paused"    // a person has paused it
	RunStopped   RunStatus = "stopped"   // interrupted, or a budget is used up; it can be resumed
	RunInDoubt   RunStatus = "in_doubt"  // a person must say whether a step took effect
	RunFailed    RunStatus = "failed"    // a step failed; it can be resumed
	RunCompleted RunStatus = "completed" // finished
	RunCancelled RunStatus = "cancelled" // a person has ended it; finished
)

// RunCause says why a run that is stopped or failed does not go on: by it programs
// decide, the words of Run.Error are for people. Runs kept by versions before it have
// none.
type RunCause string

// The causes.
const (
	CauseInterrupted  RunCause = "interrupted"   // its process was asked to end
	CauseHandedOver   RunCause = "handed_over"   // its daemon was stopped; the next one continues it
	CauseStoreLost    RunCause = "store_lost"    // the store could not be reached
	CauseStepFailed   RunCause = "step_failed"   // a step failed, or could not be done
	CauseStepBudget   RunCause = "step_budget"   // a step's own budget is used up
	CauseBudgetTokens RunCause = "budget_tokens" // the run's budget of tokens is used up
	CauseBudgetCost   RunCause = "budget_cost"   // that of money is
	CauseBudgetTime   RunCause = "budget_time"   // that of time is
	CauseBudgetTries  RunCause = "budget_tries"  // that of attempts is
)

// RunStatuses are all statuses of a run.
var RunStatuses = []RunStatus{RunQueued, RunRunning, RunWaiting, RunPaused, RunStopped, RunInDoubt, RunFailed, RunCompleted, RunCancelled}

// Ended tells whether nothing is left to resume.
func (s RunStatus) Ended() bool { return s == RunCompleted || s == RunCancelled }

// RunWish is what a person asks of a run's owner, from any terminal.
type RunWish string

// The wishes.
const (
	WishNothing RunWish = ""
	WishPause   RunWish = "pause"
	WishCancel  RunWish = "cancel"
)

// Owner is the process that works on a run.
type Owner struct {
	PID   int    `json:"pid"`
	Start string `json:"start,omitempty"` // start time in ticks since boot
	Boot  string `json:"boot,omitempty"`  // the kernel's boot id
	Space string `json:"space,omitempty"` // pid namespace
	Host  string `json:"host,omitempty"`
}

// Answer is a person's word on an approval: it holds for exactly what was shown.
type Answer struct {
	RunID    string `json:"run_id" redact:"name"`
	StepID   string `json:"step_id" redact:"name"`
	Shown    string `json:"shown" redact:"name"` // the sha256 of what was shown, hex
	Approved bool   `json:"approved"`
	Words    string `json:"words,omitempty"`
	By       string `json:"by,omitempty"`
	At       Time   `json:"at"`
}

// Artifact is a file that a step of a run has left, kept by its sum.
type Artifact struct {
	Name string `json:"name"` // as steps.ID.artifacts has it
	Path string `json:"path"` // below the step's folder
	Sum  string `json:"sum"`  // the sha256 of its content, hex
	Size int64  `json:"size"` // bytes
	Mode string `json:"mode"` // its permissions: 0755
}

// StartKey is a caller's name for something that is to begin once, however often it is
// asked for: a run, or a checkpoint.
type StartKey struct {
	Scope string `redact:"name"` // what the key is unique in
	Key   string `redact:"name"`
	Sum   string `redact:"name"` // sha256 of what was asked for, hex
	Ref   string `redact:"name"` // the id of what has begun
	At    Time
}

// MaxStartKey bounds the length of a key.
const MaxStartKey = 200

// RunQuery selects runs, newest first; zero fields select all. With Project and
// Namespace it is the runs of either.
type RunQuery struct {
	Project   string
	Namespace string
	Name      string // of the workflow
	Workflow  string // a workflow id
	Branch    string
	Open      bool // not ended
	Status    RunStatus
	Since     Time // began at or after
	Until     Time // began before
	Limit     int
}
