package piton

// Run is one execution of a plan (docs/spec.md, "Runs"). Its steps and results
// stand in the checkpoints of its branch; this record says who works on it.
type Run struct {
	ID         string `json:"id" redact:"name"`
	WorkflowID string `json:"workflow_id" redact:"name"`
	Workflow   string `json:"workflow,omitempty"`
	Branch     string `json:"branch" redact:"name"`
	Project    string `json:"project,omitempty" redact:"name"`
	SessionID  string `json:"session_id,omitempty" redact:"name"` // whose agent began it
	Plan       string `json:"plan"`                               // the plan's name
	PlanFile   string `json:"plan_file,omitempty"`
	PlanSum    string `json:"plan_sum" redact:"name"` // sha256 of the plan as checked, hex
	// Dir is where its steps work, on the machine Host: the folder of the newest owner.
	Dir  string `json:"dir"`
	Host string `json:"host,omitempty"`
	// Namespace is the project that the run belongs to, the same in each clone and on each
	// machine; Folder and PlanPath are its folder and the plan's file below the project's
	// root. They are empty where they lie outside of it, and in runs of versions before them.
	Namespace string `json:"namespace,omitempty" redact:"name"`
	Folder    string `json:"folder,omitempty"`
	PlanPath  string `json:"plan_path,omitempty"`
	// Daemon is the home whose daemon works on it, or will; "": a person's own process does.
	Daemon string `json:"daemon,omitempty" redact:"name"`
	// CheckpointID is its newest checkpoint: what else is saved to its branch is not
	// its state.
	CheckpointID string    `json:"checkpoint_id,omitempty" redact:"name"`
	Status       RunStatus `json:"status"`
	Wish         RunWish   `json:"wish,omitempty"` // what a person wants of its owner
	Owner        Owner     `json:"owner,omitzero"`
	Fence        int64     `json:"fence"` // rises with each owner; every write names it
	LeaseUntil   Time      `json:"lease_until,omitzero"`
	CreatedAt    Time      `json:"created_at"`
	UpdatedAt    Time      `json:"updated_at"`
	EndedAt      Time      `json:"ended_at,omitzero"`
	Done         int       `json:"done"`  // steps that are completed, or skipped by their condition and not for a failure
	Total        int       `json:"total"` // steps of the plan
	// Now is what it does or waits for, in words: "steps fetch, parse".
	Now     string     `json:"now,omitempty"`
	Error   string     `json:"error,omitempty"`
	Cause   RunCause   `json:"cause,omitempty"` // of a run that is stopped or failed
	Usage   TokenUsage `json:"token_usage,omitzero"`
	CostUSD float64    `json:"cost_usd,omitempty"`
	WorkMS  int64      `json:"duration_ms"` // over all its owners
}

// RunPrefix begins the ids of runs.
const RunPrefix = "run_"

// RunStatus says how far a run is.
type RunStatus string

// The statuses of a run.
const (
	RunQueued    RunStatus = "queued"    // its daemon begins it when one before it has ended
	RunRunning   RunStatus = "running"   // also of an owner that has died: see Owner
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
	CauseBudgetTokens RunCause = "budget_tokens" // the run's budget of tokens is used up; likewise the others
	CauseBudgetCost   RunCause = "budget_cost"
	CauseBudgetTime   RunCause = "budget_time"
	CauseBudgetTries  RunCause = "budget_tries"
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
	Shown    string `json:"shown" redact:"name"` // sha256 of what was shown, hex
	Approved bool   `json:"approved"`
	Words    string `json:"words,omitempty"`
	By       string `json:"by,omitempty"`
	At       Time   `json:"at"`
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
	Limit     int
}
