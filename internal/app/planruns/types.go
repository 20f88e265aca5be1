package planruns

import (
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
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
	Ref string
	// Again is the caller's key for a run that goes on, by its id (Continued).
	Again  *piton.StartKey
	Dir    string // where the steps work; "": where the plan or the run says
	Undo   bool   // what was done is undone
	Queue  bool   // it is kept for the daemon of this home, which begins it when there is room
	DryRun bool
	Wait   bool // stay while nothing but a person's word is missing
	// KeyHere: what has begun under the key is sought under the project's name of now alone.
	KeyHere bool
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
	Success    bool            `json:"success"`            // all steps are completed or skipped
	RunID      string          `json:"run_id"`             // `run_…`
	Workflow   string          `json:"workflow,omitempty"` // name or id of its workflow; absent: not known
	Status     piton.RunStatus `json:"status"`
	State      runner.State    `json:"state"`              // the newest state: of kind `plan` (`piton schema plan`), with `plan`, `results`, `current_step_index`, `last_error`, `used`
	Error      string          `json:"error,omitempty"`    // why it did not succeed; absent: it did
	Cause      piton.RunCause  `json:"cause,omitempty"`    // why it did not go on; absent: it did not stop or fail
	Hint       string          `json:"hint,omitempty"`     // what to do now; absent: nothing is to be done
	DurationMS int64           `json:"total_duration_ms"`  // working time, over all processes that worked on the run
	Recovered  int             `json:"steps_recovered"`    // steps that were done before and did not run again
	Existing   bool            `json:"existing,omitempty"` // the run had begun before under the key, and nothing was run now
	Dir        string          `json:"dir,omitempty"`      // where its steps work; absent: not known
	Preview    *RunPreview     `json:"-"`                  // of a dry run
	Word       string          `json:"-"`                  // how it stands, for people
	InDoubt    bool            `json:"-"`                  // a step of it, or of the run that it waits for, is in doubt
}

// RunPreview is what a run would do.
type RunPreview struct {
	Plan       string         `json:"plan"` // its name
	Workflow   string         `json:"workflow,omitempty"`
	Run        string         `json:"run_id,omitempty"`        // the run that would continue
	Checkpoint string         `json:"checkpoint_id,omitempty"` // where another run would begin
	Inputs     map[string]any `json:"inputs,omitempty"`
	Steps      []RunStep      `json:"steps"` // as the run would begin with them: `pending` is what would run, or be skipped
}

// RunStep is a step with how far it is.
type RunStep struct {
	ID           string           `json:"id"` // as in the plan, like `description`, `action`, `effect` and `when`
	Description  string           `json:"description,omitempty"`
	Action       string           `json:"action,omitempty"`
	Does         string           `json:"does,omitempty"`     // the command, request or prompt as the plan writes it; absent: not in a dry run
	ForEach      string           `json:"for_each,omitempty"` // what it runs for, as the plan writes it; absent: it runs once, or not in a dry run
	Undo         string           `json:"undo,omitempty"`     // what undoes it, as the plan writes it; absent: nothing does, or not in a dry run
	Effect       plan.Effect      `json:"effect,omitempty"`
	Dependencies []string         `json:"dependencies,omitempty"` // ids of the steps that come before it
	When         string           `json:"when,omitempty"`
	Stage        int              `json:"stage"` // from 0; steps of one stage can run at the same time
	Status       runner.Status    `json:"status"`
	Reason       string           `json:"reason,omitempty"`      // why it is as it is
	Attempt      int              `json:"attempt,omitempty"`     // from 1; absent: it has not begun
	StartedAt    piton.Time       `json:"started_at,omitzero"`   // absent: it has not begun
	EndedAt      piton.Time       `json:"ended_at,omitzero"`     // absent: not ended
	DurationMS   int64            `json:"duration_ms,omitempty"` // absent: not known
	Usage        piton.TokenUsage `json:"token_usage,omitzero"`  // absent: not known
	CostUSD      float64          `json:"cost_usd,omitempty"`    // absent: not known
	Interrupted  bool             `json:"interrupted,omitempty"` // it runs no more, because nobody works on the run
	Items        *int             `json:"items,omitempty"`       // how many items it runs for, each a step of its own; absent: it runs for none, or its list is not made yet
	ItemsDone    int              `json:"items_done,omitempty"`  // how many of them are completed
	Of           string           `json:"of,omitempty"`          // the step of whose items it is one; absent: none
	Undoes       string           `json:"undoes,omitempty"`      // the step that it undoes; absent: none
	Child        string           `json:"run,omitempty"`         // the run that it is, of a step that runs another plan; absent: none, or it has not begun
	DueAt        piton.Time       `json:"due_at,omitzero"`       // until when it waits; absent: it waits for no time
	Signal       string           `json:"signal,omitempty"`      // the signal that it waits for; absent: none
	Artifacts    []piton.Artifact `json:"artifacts,omitempty"`   // the files that it has left; absent: none
}

// RunList is runs, the newest first.
type RunList struct {
	Runs []RunRow `json:"runs"`           // newest first
	More bool     `json:"more,omitempty"` // older runs were left out
}

// RunRow is a run with what is known of its owner.
type RunRow struct {
	piton.Run
	Alive    caller.OwnerState `json:"owner_state,omitempty"` // whether its owner is at work; a run whose status is running without an owner that is alive was interrupted; absent: nobody works on it
	Place    int               `json:"queue_place,omitempty"` // its place in the queue, from 1; absent: it is not queued
	Answered bool              `json:"answered,omitempty"`    // a person has answered all that it waits for, and it has not gone on since
	Stands   Stand             `json:"stands,omitempty"`      // how it stands, whatever its status was when its process ended; absent: it cannot be read

	Stood []Stood `json:"-"` // what holds it up, the first thing first
}

// RunView is all that a person wants to see of a run.
type RunView struct {
	Run        RunRow     `json:"run"`
	Checkpoint string     `json:"checkpoint_id,omitempty"` // its newest checkpoint; absent: it has none yet
	Steps      []RunStep  `json:"steps"`                   // in their order
	Error      string     `json:"error,omitempty"`
	Questions  []Question `json:"questions,omitempty"` // they wait for a person; absent: nothing waits
	Hint       string     `json:"hint,omitempty"`      // what to do now; absent: nothing is to be done
}

// Question is what an approval shows a person.
type Question struct {
	RunID  string `json:"run_id"`
	StepID string `json:"step_id"`
	Text   string `json:"text"`
	Shown  string `json:"shown"` // the sha256 that an approval names, hex

	Answer *piton.Answer `json:"answer,omitempty"` // where the run has not gone on since; absent: nobody has answered
}

// ApproveRequest is a person's word on an approval.
type ApproveRequest struct {
	Ref    string // a run or its workflow
	Step   string // "": the only one that waits
	Reject bool
	Words  string // why it is rejected
	// Confirm shows a person the question, and writes their answer into the request. False:
	// they gave none. nil: the request has it.
	Confirm func(Question, *ApproveRequest) (bool, error)
}

// Approval is the answer to a person's word.
type Approval struct {
	piton.Answer        // what was answered
	Given        bool   `json:"given"`             // false: the person did not agree, and nothing was written
	Already      bool   `json:"already,omitempty"` // the same answer had been given before: `by` and `at` are that one's, and nothing was written
	Hint         string `json:"hint,omitempty"`
}

// Steered is what became of a person's wish.
type Steered struct {
	Run   piton.Run `json:"run"`
	Asked bool      `json:"asked"` // its process is alive and was asked; otherwise the run has its new status already
	Hint  string    `json:"hint,omitempty"`
}

// RunLog is the log of a step's attempt.
type RunLog struct {
	StepID  string `json:"step_id"`
	Attempt int    `json:"attempt,omitempty"`
	Path    string `json:"path"`
	Text    string `json:"text"` // what the attempt has written; with `--follow`, what was added

	at time.Time // when it was last written to
}

// RunLogs are the logs of a run.
type RunLogs struct {
	RunID string   `json:"run_id"`
	Logs  []RunLog `json:"logs"`
}

// RunArtifact is a file that a step of a run has left.
type RunArtifact struct {
	StepID string `json:"step_id"`
	piton.Artifact
}

// RunArtifacts are the files that the steps of a run have left.
type RunArtifacts struct {
	RunID     string        `json:"run_id"`
	Artifacts []RunArtifact `json:"artifacts"`
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
	StandWorker      Stand = "worker"      // it is left to workers of Temporal, which have not begun it
	StandNoDaemon    Stand = "no_daemon"   // it is left to the daemon, and none runs
	StandGoesOn      Stand = "goes_on"     // the daemon continues it by itself
	StandInDoubt     Stand = "in_doubt"    // nobody knows whether a step took effect; also before the run is resumed whose process died in it
	StandApproval    Stand = "approval"    // a step asks
	StandTimer       Stand = "timer"       // a step waits for a time
	StandSignal      Stand = "signal"      // a step waits for a signal
	StandChild       Stand = "child"       // a step waits for its run
	StandAnswered    Stand = "answered"    // it has its answers and has not gone on
	StandInterrupted Stand = "interrupted" // its process has died
	StandBudget      Stand = "budget"      // its budget is used up
	StandStepBudget  Stand = "step_budget" // that of a step is
)

// standText is what is said of a stand, and what to do.
type standText struct {
	word    string // in a column; "": the status
	Waits   bool   // until a person does something
	Idle    bool   // it stays so until it is resumed
	Says    string // after the name of the workflow
	Command string // that brings it on, as it is typed
	hint    string // what to do now
}

// Stood is how a run stands, with what is said of it; with a step, one that holds it up.
type Stood struct {
	Is        Stand
	standText // filled in
	step      string
}
