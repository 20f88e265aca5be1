package app

import (
	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
)

// RunRequest asks for a run of a plan, or for one to go on.
type RunRequest struct {
	// Its Plan is the text of a plan; without one the run that Ref names goes on with its
	// own plan, with one it goes on with that.
	piton.RunRequest
	File     string // the plan's file, as messages name it
	FileLess bool   // File is not a file, but what messages call the plan
	// Ref names what goes on, where Resume is set: a run, a workflow or a checkpoint;
	// "": the newest unfinished run of the plan's workflow, without a plan of the project.
	Ref    string
	Dir    string // where the steps work; "": where the plan or the run says
	Queue  bool   // it is kept for the daemon of this home, which begins it when there is room
	DryRun bool
	Wait   bool // stay while nothing but a person's word is missing
	// Daemon: the daemon of this home works on it, and the next one goes on after its
	// end (Unattended).
	Daemon bool
	// Actions are a program's own, by name.
	Actions map[string]action.Action
	Events  func(runner.Event)
	// Ask asks a person for an input, Accept whether changes of the plan are taken
	// over; nil where no person is there. Neither is called inside an agent.
	Ask    func(plan.Input) (string, error)
	Accept func(changes string) (bool, error)
	// Propose shows a person a state that no run of this store has written, and asks
	// whether it may run; nil where no person is there.
	Propose func(text string) (bool, error)
}

// RunResult is how a run has ended, for now.
type RunResult struct {
	Success    bool            `json:"success"`
	RunID      string          `json:"run_id"`
	Workflow   string          `json:"workflow,omitempty"`
	Status     piton.RunStatus `json:"status"`
	State      runner.State    `json:"state"`
	Error      string          `json:"error,omitempty"`
	Cause      piton.RunCause  `json:"cause,omitempty"`
	Hint       string          `json:"hint,omitempty"` // what to do now
	DurationMS int64           `json:"total_duration_ms"`
	Recovered  int             `json:"steps_recovered"`    // done before, and not run again
	Existing   bool            `json:"existing,omitempty"` // it had begun before, under the caller's key; nothing was run
	Dir        string          `json:"dir,omitempty"`      // where its steps work
	Preview    *RunPreview     `json:"-"`                  // of a dry run
}

// RunPreview is what a run would do.
type RunPreview struct {
	Plan       string         `json:"plan"`
	Workflow   string         `json:"workflow,omitempty"`
	Run        string         `json:"run_id,omitempty"`        // the run that would go on
	Checkpoint string         `json:"checkpoint_id,omitempty"` // where another run would begin
	Inputs     map[string]any `json:"inputs,omitempty"`
	Steps      []RunStep      `json:"steps"` // pending: would run, or be skipped
}

// RunStep is a step with how far it is.
type RunStep struct {
	ID           string           `json:"id"`
	Description  string           `json:"description,omitempty"`
	Action       string           `json:"action,omitempty"`
	Does         string           `json:"does,omitempty"` // of a dry run: the command, request or prompt as the plan writes it
	Effect       plan.Effect      `json:"effect,omitempty"`
	Dependencies []string         `json:"dependencies,omitempty"`
	When         string           `json:"when,omitempty"`
	Stage        int              `json:"stage"` // from 0: steps of one stage may run at once
	Status       runner.Status    `json:"status"`
	Reason       string           `json:"reason,omitempty"`
	Attempt      int              `json:"attempt,omitempty"`
	StartedAt    piton.Time       `json:"started_at,omitzero"`
	EndedAt      piton.Time       `json:"ended_at,omitzero"`
	DurationMS   int64            `json:"duration_ms,omitempty"`
	Usage        piton.TokenUsage `json:"token_usage,omitzero"`
	CostUSD      float64          `json:"cost_usd,omitempty"`
	// Interrupted: it runs no more, because nobody works on the run.
	Interrupted bool `json:"interrupted,omitempty"`
}

// RunList is runs, the newest first.
type RunList struct {
	Runs []RunRow `json:"runs"`
	More bool     `json:"more,omitempty"` // older ones were left out
}

// RunRow is a run with what is known of its owner.
type RunRow struct {
	piton.Run
	Alive OwnerState `json:"owner_state,omitempty"`
	// Place is its place among the queued runs of its daemon, from 1; 0: it is not queued.
	Place int `json:"queue_place,omitempty"`
	// Answered: a person has answered all that it waits for; it goes on when it is resumed.
	Answered bool `json:"answered,omitempty"`
	// Stands is how it stands, where that is known.
	Stands Stand `json:"stands,omitempty"`

	stood []stood
}

// OwnerState says whether the process that works on a run is alive.
type OwnerState string

// The states of an owner; "" of a run that nobody owns.
const (
	OwnerAlive   OwnerState = "alive"
	OwnerDead    OwnerState = "dead"
	OwnerUnknown OwnerState = "unknown" // on another machine, with a lease that has not ended
)

// RunView is all that a person wants to see of a run.
type RunView struct {
	Run        RunRow     `json:"run"`
	Checkpoint string     `json:"checkpoint_id,omitempty"` // its newest
	Steps      []RunStep  `json:"steps"`
	Error      string     `json:"error,omitempty"`
	Questions  []Question `json:"questions,omitempty"` // that wait for a person
	Hint       string     `json:"hint,omitempty"`      // what to do now
}

// Question is what an approval shows a person.
type Question struct {
	RunID  string `json:"run_id"`
	StepID string `json:"step_id"`
	Text   string `json:"text"`
	Shown  string `json:"shown"` // its sha256, hex: an answer holds for this text alone

	Answer *piton.Answer `json:"answer,omitempty"` // that the run has not taken up yet
}

// ApproveRequest is a person's word on an approval.
type ApproveRequest struct {
	Ref    string // a run or its workflow
	Step   string // "": the only one that waits
	Reject bool
	Words  string // why it is rejected
	// Confirm shows a person the question and reports whether they agree; nil: they
	// have agreed.
	Confirm func(Question) (bool, error)
}

// Approval is the answer to a person's word.
type Approval struct {
	piton.Answer
	Given   bool   `json:"given"`             // false: the person did not agree
	Already bool   `json:"already,omitempty"` // the same answer had been given before; nothing has changed
	Hint    string `json:"hint,omitempty"`
}

// Steered is what became of a person's wish.
type Steered struct {
	Run piton.Run `json:"run"`
	// Asked: its owner is alive and was asked; else the run has this status now.
	Asked bool   `json:"asked"`
	Hint  string `json:"hint,omitempty"`
}

// RunLog is the log of a step's attempt.
type RunLog struct {
	StepID  string `json:"step_id"`
	Attempt int    `json:"attempt,omitempty"`
	Path    string `json:"path"`
	Text    string `json:"text"`
}

// RunLogs are the logs of a run.
type RunLogs struct {
	RunID string   `json:"run_id"`
	Logs  []RunLog `json:"logs"`
}

// Stand is how a run stands: the one fact from which lists have their word, and people
// and programs what it waits for and the command that brings it on. A run that none of
// these fits stands as its status says.
type Stand string

// The stands.
const (
	StandRunning     Stand = "running"     // its process is alive
	StandUnseen      Stand = "unseen"      // its process may be alive on another machine
	StandQueued      Stand = "queued"      // its daemon begins it
	StandNoDaemon    Stand = "no_daemon"   // it is left to the daemon, and none runs
	StandGoesOn      Stand = "goes_on"     // the daemon continues it by itself
	StandInDoubt     Stand = "in_doubt"    // nobody knows whether a step took effect
	StandApproval    Stand = "approval"    // a step asks
	StandAnswered    Stand = "answered"    // it has its answers and has not gone on
	StandInterrupted Stand = "interrupted" // its process has died
	StandBudget      Stand = "budget"      // its budget is used up
	StandStepBudget  Stand = "step_budget" // that of a step is
)

// standText is what is said of a stand, and what to do.
type standText struct {
	word    string // in a column; "": the status
	waits   bool   // until a person does something
	idle    bool   // it stays so until it is resumed
	says    string // after the name of the workflow
	command string // that brings it on, as it is typed
	hint    string // what to do now
}

// stood is how a run stands; with a step, one that holds it up.
type stood struct {
	is        Stand
	standText // filled in
	step      string
}
