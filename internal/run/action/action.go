// Package action is what a step of a run can do: it runs a command, asks a server
// over HTTP or MCP, and the like. Each action is one type; what they share is here
// (docs/spec.md, "Actions").
package action

import (
	"context"
	"io"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// Action carries out steps. It is used by many steps at once.
type Action interface {
	// Check reports what is wrong with a step's parameters as they are written,
	// before anything runs: Invalid, one line. Values with ${{ … }} are not known
	// yet.
	Check(s plan.Step) error
	// Effect is what a step has where the plan names none.
	Effect(s plan.Step) plan.Effect
	// Do carries out one attempt. Its ctx ends at the step's timeout, and when the
	// run is cancelled or lost: then nothing that Do began may go on.
	Do(ctx context.Context, c Call) (Result, error)
}

// Call is one attempt at a step.
type Call struct {
	Run, Step   string
	Description string
	Attempt     int            // from 1, over all owners
	Key         string         // the idempotency key: the same for every attempt at this step
	Parameters  map[string]any // resolved; secrets are in place
	Dir         string         // the run's folder, absolute
	DirValued   bool           // the parameter dir has a value in it: it stays in the project
	Env         []string       // of the run's caller
	Log         io.Writer      // the step's log: bounded, secrets are taken out
	Words       string         // why a person has sent the step back; "" otherwise
	Check       []plan.Check
	Artifacts   map[string]string // the files that it leaves: paths by their names
	Shared      string            // the folder of the artifacts that it is given; "": none
	CheckEnv    map[string]string // the variables that the commands in Check refer to
	// Holds tells whether the expression of a check is true of an output; it sees what
	// the step depends on. nil: it sees the output alone.
	Holds func(expr string, output any) (bool, error)
	Left  plan.Budget // what may still be used; zero fields: no bound
	Stays bool        // the caller stays while nothing but a person's word is missing
	// Noted is what an earlier attempt, broken off, has noted.
	Noted Note
	// Note keeps what the next attempt must know if this one is broken off; it is
	// durable when it returns.
	Note func(context.Context, Note) error
	// Say shows a line of progress to whoever watches.
	Say func(text string)
}

// Note is what an attempt leaves for the one after it. Usage and CostUSD are what
// this attempt alone has used so far: if it is broken off, they count as they stand
// here; an attempt that comes to an end has them in its Result.
type Note struct {
	Agent   string           `json:"agent,omitempty"`
	Session string           `json:"session,omitempty"` // the client's id
	Usage   piton.TokenUsage `json:"token_usage,omitzero"`
	CostUSD float64          `json:"cost_usd,omitempty"`
	Data    map[string]any   `json:"data,omitempty"`
}

// Result is what an attempt has brought.
type Result struct {
	Output  any // JSON: nil, bool, float64, string, []any, map[string]any
	Usage   piton.TokenUsage
	CostUSD float64
	Note    Note
	// Checkpoint names the checkpoint that keeps this result; nil: it has no name.
	Checkpoint *Checkpoint
}

// Checkpoint is how a step wants the run's state kept. The runner gives the
// checkpoint that records the step's result this name, description and tags.
type Checkpoint struct {
	Name        string
	Description string
	Tags        []string
}

// Knowledge is what is known of the effect of an attempt that has failed. It decides what
// becomes of a step whose effect may happen only once (docs/runs.md, "Effects").
type Knowledge string

// What is known.
const (
	Unknown  Knowledge = ""         // there was no answer: it may have taken effect
	Before   Knowledge = "before"   // it failed before it could take effect
	Answered Knowledge = "answered" // who carries it out says that it failed
)

// Failed is the error of an attempt that failed; any other error counts as one
// that may be tried again.
type Failed struct {
	Err   error
	Final bool // another try cannot help: it is not made
	Known Knowledge
	// OverBudget: it was ended because what Call.Left allows is used up.
	OverBudget bool
	// After is how long to wait before the next try at least, as a server has asked.
	After time.Duration
	// Result is what the attempt used all the same.
	Result Result
}

func (f *Failed) Error() string { return f.Err.Error() }
func (f *Failed) Unwrap() error { return f.Err }

// CouldNot is the error of an attempt whose agent says, or whose checks show, that
// the task could not be done: neither completed nor failed.
type CouldNot struct {
	Reason string
	Result Result
}

func (c *CouldNot) Error() string { return c.Reason }

// Wait is the error of an attempt that needs a person's word on what it shows, or that
// waits for a time, a signal, or another run.
type Wait struct {
	Message string
	Shown   string        // the whole of what is shown; its sha256 is what an answer names
	Until   time.Time     // with a signal or a run: not longer
	For     time.Duration // the same, from now on
	Signal  string
	Run     string
}

// Other tells whether it waits for something else than a person's word.
func (w *Wait) Other() bool { return !w.Until.IsZero() || w.For > 0 || w.Signal != "" || w.Run != "" }

func (w *Wait) Error() string { return "waits for a person: " + w.Message }
