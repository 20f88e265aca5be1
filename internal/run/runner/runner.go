package runner

import (
	"log/slog"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

// Runner works on runs. It is made once and used by one run at a time.
type Runner struct {
	Keeper  history.Keeper // its store keeps runs and checkpoints
	Actions map[string]action.Action
	Owner   piton.Owner // this process
	// Alive reports whether another owner's process runs, and whether that is known.
	Alive  func(piton.Owner) (alive, known bool)
	Now    func() time.Time
	Log    *slog.Logger
	Events func(Event)             // called by one goroutine at a time; nil: nobody watches
	Getenv func(string) string     // for ${env:NAME}
	Env    []string                // of the steps; this process's when nil
	Logs   func(run string) string // the folder of a run's logs
	Lease  time.Duration           // 30 s when 0
	Poll   time.Duration           // how often a person's wishes and answers are looked for; 200 ms when 0
	// Parallel is how many steps run at once; the plan's when 0. It changes no plan.
	Parallel int
	// Hands carry the attempts out, for one turn of the run (Turn); nil: this process does.
	Hands *Hands
}

// Request is a new run.
type Request struct {
	Plan       plan.Plan
	Query      string
	Inputs     map[string]any // checked by plan
	Workflow   string         // id or name; "": the plan's name
	Project    string
	Session    string
	Dir        string
	PlanFile   string
	Root       string          // of the project, without links; Dir and PlanFile are kept relative to it
	Namespace  string          // of the project: see piton.Run
	Host       string          // this machine
	Key        *piton.StartKey // the caller's name for this start; Ref is the run's
	Queue      bool            // it is kept and not begun: a daemon begins it
	WorkDir    string          // where the steps work, whatever the plan says; "": there
	Parent     *piton.Run      // the run whose step it is; nil: none
	New        bool            // beside an unfinished run of the workflow
	NoAuto     bool            // no checkpoint after each step
	WaitPerson bool            // stay while nothing but a person's word is missing
	// Budget is the caller's; its fields that are set go before the plan's, and change
	// no plan. It is kept with the run.
	Budget *plan.Budget
	Daemon string // the home whose daemon calls; "": a person's own process does
}

// Again says how a run goes on.
type Again struct {
	Run        string          // id
	Key        *piton.StartKey // the caller's: Conflict where the run has gone on under it
	Checkpoint string          // an older one: a fork
	Plan       *plan.Plan      // the plan as it is now; nil: the run's own
	AcceptPlan bool            // changes of the plan and of inputs are taken over
	Dir        string          // where its steps work from now on; "": where they did
	PlanFile   string          // where the plan's file lies there
	Host       string          // this machine
	Root       string          // as in Request, for a run that goes on from a checkpoint
	Namespace  string
	Inputs     map[string]any // new values
	Query      string         // what the caller says that the run was asked to do; "": nothing
	From, Redo []string       // steps that run again, with all that depends on them
	Took       []string       // steps in doubt that did take effect
	Given      map[string]any // the outputs of steps of Took, by their ids: of type JSON
	By         string         // the person who says so
	Cancel     bool           // the run is ended: only steps with always() run
	Undo       bool           // what was done is undone
	Queue      bool           // as in Request
	TakeBack   bool           // also where another engine has it
	// Accepted: a person has seen a state that no runner of this store has written, and
	// wants it to run.
	Accepted   bool
	Budget     *plan.Budget // raised
	NoAuto     bool
	WaitPerson bool
	Daemon     string // as in Request

	answered   map[string]bool // waiting steps to which a person has given a word
	unapproved map[string]bool // completed approvals that no person has given
	relist     map[string]bool // steps whose lists are made anew, because the plan has other ones
	looks      map[string]bool // approvals that show more than words: it may have changed
	heard      piton.Time      // when the newest answer was given
	preview    bool            // nothing runs
	undone     bool            // what is undone was undone to its end, and the run has ended with that
}

// Outcome is how a run has ended, for now.
type Outcome struct {
	Success   bool
	RunID     string
	Run       piton.Run
	State     State
	Error     string
	Recovered int // steps that were done before, and not run again
}
