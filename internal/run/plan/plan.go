// Package plan says what a run is to do: it reads plans in YAML and JSON, checks
// them before anything runs, and resolves what their parameters say. It opens no
// file and starts nothing (docs/spec.md, "Plans").
package plan

import (
	"time"

	"github.com/piton-project/piton"
)

// Plan is what a run is to do.
type Plan struct {
	Name        string  `json:"name,omitempty"`
	Description string  `json:"description,omitempty"`
	Query       string  `json:"query,omitempty"` // what was asked for
	Inputs      []Input `json:"inputs,omitempty"`
	Steps       []Step  `json:"steps"`
	Parallel    int     `json:"parallel,omitempty"` // steps at once; 0: 4
	MaxRuns     int     `json:"max_runs,omitempty"` // its runs that daemons work on at once; 0: no bound
	OnCrash     OnCrash `json:"on_crash,omitempty"`
	Budget      Budget  `json:"budget,omitzero"`
	Dir         string  `json:"dir,omitempty"` // where its steps work, relative to the plan's folder
	// FinallyTimeout bounds its last steps, once the others were stopped; 0: 5 minutes.
	FinallyTimeout Duration  `json:"finally_timeout,omitempty"`
	OnFailure      OnFailure `json:"on_failure,omitempty"`
	// Plans are those that its steps run, by their files' names as the steps write them.
	Plans map[string]Plan `json:"plans,omitempty"`
	// Done are the steps that its file calls completed, with the outputs that it gives
	// them: a new run begins behind them. It is not part of what is to be done.
	Done map[string]any `json:"-"`
	// Notes are what its file says that changes nothing, each as "file:line: what is so
	// instead", for the person who runs it. They are not part of it either.
	Notes []string `json:"-"`
	// Schedule is when it proposes to be run; nil: never. It is not part of what is to be
	// done either.
	Schedule *Schedule `json:"-"`
}

// Schedule is when a plan proposes to be run. Nothing runs by it until a person has added
// it: what a repository says starts nothing.
type Schedule struct {
	Times   []piton.CronTime
	Overlap piton.Overlap // "": not said
	CatchUp piton.CatchUp // likewise
	Within  Duration      // likewise
}

// OnCrash says what becomes of a run whose owner has died.
type OnCrash string

// Continue: whoever looks after runs goes on with it by itself. Ask (the default):
// it waits for a person.
const (
	Ask      OnCrash = "ask"
	Continue OnCrash = "continue"
)

// OnFailure says what becomes of what was done when a step has failed.
type OnFailure string

// Keep (the default): it stays. Undo: the steps with undo are undone, the last one first.
const (
	Keep OnFailure = "keep"
	Undo OnFailure = "undo"
)

// Input is a value that a run is given at its start.
type Input struct {
	Name        string   `json:"name"`
	Type        string   `json:"type,omitempty"` // string (the default), number, boolean, choice, object, list
	Description string   `json:"description,omitempty"`
	Default     any      `json:"default,omitempty"`
	Required    bool     `json:"required,omitempty"`
	Options     []string `json:"options,omitempty"` // of a choice
}

// Wait is the action of a step that waits for a time or a signal.
const Wait = "wait"

// Approve is the action of a step that waits for a person's approval.
const Approve = "approve"

// Child is the action of a step that is a run of another plan.
const Child = "plan"

// Fixed are the actions of Piton that do what their parameters say, and no more: they
// hold nothing against checks, and take a person's words only where a parameter names them.
var Fixed = []string{"shell", "http", "mcp", Approve, "checkpoint", Wait, Child}

// Step is one thing to do.
type Step struct {
	ID           string         `json:"id"`
	Description  string         `json:"description,omitempty"`
	Action       string         `json:"action"`
	Parameters   map[string]any `json:"parameters,omitempty"` // as written, with ${{ … }} and ${env:NAME}
	Dependencies []string       `json:"dependencies,omitempty"`
	When         string         `json:"when,omitempty"` // an expression
	Timeout      Duration       `json:"timeout,omitempty"`
	Retry        Retry          `json:"retry,omitzero"`
	Effect       Effect         `json:"effect,omitempty"` // "": the action's own
	Check        []Check        `json:"check,omitempty"`
	Budget       Budget         `json:"budget,omitzero"`
	ForEach      any            `json:"for_each,omitempty"` // a list, a range {from, to, step}, or an expression that brings a list: it runs once for each item
	Matrix       any            `json:"matrix,omitempty"`   // names with lists, or an expression that brings them: it runs once for each combination
	Parallel     int            `json:"parallel,omitempty"` // items at once; 0: as many as the plan's steps
	FailFast     bool           `json:"fail_fast,omitempty"`
	Repeat       Repeat         `json:"repeat,omitzero"`
	// Artifacts are the files that it leaves, in its folder: their paths by their names. A
	// path that is its own name may be a pattern.
	Artifacts map[string]string `json:"artifacts,omitempty"`
	Finally   bool              `json:"finally,omitempty"` // it runs at the end, however that came
	// ContinueOnError: its failure fails neither the run nor the steps behind it.
	ContinueOnError bool   `json:"continue_on_error,omitempty"`
	Undoes          string `json:"undoes,omitempty"` // the step that it undoes; it runs only for that
	Line            int    `json:"-"`                // of the file

	// Of a step as a run works through it:
	Items []string       `json:"-"` // ids of the steps of its items
	Of    string         `json:"-"` // the step of whose items it is one
	Each  map[string]any `json:"-"` // item, index and matrix
	// HasUndo: the plan says how it is undone.
	HasUndo bool `json:"-"`
}

// Effect says what may happen when a step that a crash has broken off runs again.
type Effect string

// The effects.
const (
	Pure       Effect = "pure"       // it changes nothing: it runs again, and needs no intent
	Idempotent Effect = "idempotent" // to run it twice is to run it once: it runs again, with the same key
	Once       Effect = "once"       // it stops and asks
)

// Retry says how often a step that fails is tried again, and when.
type Retry struct {
	Attempts int      `json:"attempts,omitempty"` // tries in all; 0 and 1: no second one
	Delay    Duration `json:"delay,omitempty"`    // before the second try; 1 s
	Factor   float64  `json:"factor,omitempty"`   // by which it grows; 2
	Max      Duration `json:"max,omitempty"`      // it does not grow beyond; 1 min
	Exact    bool     `json:"exact,omitempty"`    // without jitter
}

// Repeat says how often a step runs until a condition holds.
type Repeat struct {
	Until string   `json:"until,omitempty"` // an expression over output
	While string   `json:"while,omitempty"` // the opposite
	Max   int      `json:"max,omitempty"`   // times in all; 10
	Delay Duration `json:"delay,omitempty"` // between two times
}

// Budget bounds what a run or a step may use; zero fields bound nothing.
type Budget struct {
	Tokens  int64    `json:"tokens,omitempty"`
	CostUSD float64  `json:"cost_usd,omitempty"`
	Time    Duration `json:"time,omitempty"`  // of work, over all owners
	Tries   int      `json:"tries,omitempty"` // attempts of steps
}

// Check is what must hold before an agent's step counts as completed. Of its
// fields one is set.
type Check struct {
	Run      string `json:"run,omitempty"`      // a command that Piton runs; it must succeed
	File     string `json:"file,omitempty"`     // a glob that must match a file
	Changed  string `json:"changed,omitempty"`  // a glob that must match a file the step has changed
	Verified bool   `json:"verified,omitempty"` // Piton's judge finds nothing missing
	Expr     string `json:"expr,omitempty"`     // an expression over output
}

// Duration is a time in a plan: "90s", "1.5h", a number of seconds.
type Duration time.Duration

// Resolver gives a step's parameters their values.
type Resolver struct {
	Query  string
	Inputs map[string]any
	Run    map[string]any              // id, dir, workflow
	Steps  map[string]StepValue        // those that are finished
	Getenv func(string) (string, bool) // for ${env:NAME}
	Each   map[string]any              // item, index, matrix and iteration, of a step that runs more than once
}

// StepValue is what expressions see of a finished step: steps.ID.output,
// steps.ID.status, steps.ID.artifacts.
type StepValue struct {
	Status    string
	Output    any
	Artifacts any // where the files lie that it has left, by their names; of a list, a list of these
	Error     string
}

// Known are the actions that a plan may name. Each holds a step's parameters
// against what it takes, as they are written; nil takes any. A nil Known takes any
// action.
type Known map[string]func(Step) error
