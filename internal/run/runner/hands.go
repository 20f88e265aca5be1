package runner

import (
	"encoding/json"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
)

// Cause is why an attempt was ended; "": it has come to its own end.
type Cause string

// The causes.
const (
	halted      Cause = "stopped" // by its worker too, and of a run that was lost
	cancelledBy Cause = "cancelled"
	tooLong     Cause = "timeout"
	overTime    Cause = "budget"
	cleanUpOver Cause = "clean_up"
)

// Attempt names one attempt at a step of a run.
type Attempt struct {
	Step    string `json:"step"`
	Attempt int    `json:"attempt"` // from 1, over all owners
}

// EngineHost is the host of an owner that is no process, but an engine which has runs
// worked on by many; Boot tells the engine's own works on a run apart. No machine has it.
const EngineHost = "engine:temporal"

// engineLease is as good as for ever: an engine gives its runs back.
const engineLease = 10 * 365 * 24 * time.Hour

// Hands are the attempts of a run that are carried out elsewhere, and what an engine that
// has them carried out keeps from one turn to the next.
type Hands struct {
	Memory Memory        `json:"memory"`
	Begin  []Begin       `json:"begin,omitempty"` // to be carried out, each once
	End    []Ending      `json:"end,omitempty"`   // to be ended
	Wake   time.Duration `json:"wake,omitempty"`  // until the next turn, at the latest; zero: until something happens
	Asks   []Asking      `json:"asks,omitempty"`  // steps that wait for a person's word
	Over   bool          `json:"over,omitempty"`  // the run was given back, or another owner has it
	rest   bool
	// How the run stands, where it is over.
	Status piton.RunStatus `json:"status,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// Begin is an attempt that is to be carried out.
type Begin struct {
	Attempt
	Host string `json:"host,omitempty"` // the machine with the run's folder, where the step needs that
}

// Ending is an attempt that is to be ended.
type Ending struct {
	Attempt
	Cause Cause `json:"cause"`
}

// Asking is a step that waits for a person's word on what it shows.
type Asking struct {
	Step  string `json:"step"`
	Shown string `json:"shown"` // its sha256, hex
}

// Memory is what an engine knows of a run that its state does not say.
type Memory struct {
	Stop   *Stopping             `json:"stop,omitempty"`   // nothing new starts
	Until  time.Time             `json:"until,omitzero"`   // when steps end that run after a stop; zero before the first
	Late   bool                  `json:"late,omitempty"`   // they were ended
	Busy   time.Time             `json:"busy,omitzero"`    // since when steps run that are not counted yet
	Looked map[string]piton.Time `json:"looked,omitempty"` // by step: the approval after which it has looked again
	Stale  []Attempt             `json:"stale,omitempty"`  // whose results do not count; of an engine whose attempts are carried out elsewhere
}

// Stopping says why nothing new starts.
type Stopping struct {
	Status piton.RunStatus `json:"status"`
	Why    string          `json:"why,omitempty"`
	Hard   bool            `json:"hard,omitempty"`   // running steps are ended
	Cleans bool            `json:"cleans,omitempty"` // steps with always() run all the same
	Cause  piton.RunCause  `json:"cause,omitempty"`
}

// Ended is what an attempt has brought, for the turn that takes it in. What another process
// has carried out is JSON of at most 2 MiB, without secrets.
type Ended struct {
	Attempt
	Lost     bool               `json:"lost,omitempty"`    // nobody has heard of its end
	Unbegun  bool               `json:"unbegun,omitempty"` // it was ended before anybody had it
	Cause    Cause              `json:"cause,omitempty"`
	TookMS   int64              `json:"took_ms,omitempty"`
	Output   json.RawMessage    `json:"output,omitempty"`
	Redacted bool               `json:"redacted,omitempty"` // secrets were taken out of the output
	Usage    piton.TokenUsage   `json:"token_usage,omitzero"`
	CostUSD  float64            `json:"cost_usd,omitempty"`
	Note     action.Note        `json:"note,omitzero"`
	Noted    bool               `json:"noted,omitempty"` // it has noted something itself
	Named    *action.Checkpoint `json:"named,omitempty"`
	Left     []action.Artifact  `json:"left,omitempty"` // its files; without their contents where these are in the store
	Failed   *failure           `json:"failed,omitempty"`
	used     Used               // set when it is taken in
}

// failure is the error of an attempt; one of its kinds is set, or none.
type failure struct {
	Text       string           `json:"text"`
	Final      bool             `json:"final,omitempty"`
	Known      action.Knowledge `json:"known,omitempty"`
	OverBudget bool             `json:"over_budget,omitempty"`
	After      time.Duration    `json:"after,omitempty"`
	CouldNot   bool             `json:"could_not,omitempty"`
	Wait       *action.Wait     `json:"wait,omitempty"`
	Sum        string           `json:"sum,omitempty"` // of all that it shows, secrets too
}
