// Package runner works through a plan: it decides what may run, keeps every
// result durably, and goes on after a crash without repeating what is done
// (docs/spec.md, "Runs").
package runner

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/states"
)

// State is the state of a run as its checkpoints hold it: kind plan, in
// snake_case. It is the only record of steps and results; an intent is a step that
// is "running" in a saved state. Both spellings are read, and [State.Other] keeps
// what another program has put beside.
type State struct {
	Run     string          `json:"run_id,omitempty"`
	Query   string          `json:"query,omitempty"`
	Inputs  map[string]any  `json:"inputs,omitempty"`
	Context json.RawMessage `json:"context,omitempty"` // another program's; kept as it is
	Used    Used            `json:"used,omitzero"`
	// Budget are the caller's bounds; they go before the plan's.
	Budget plan.Budget `json:"budget,omitzero"`
	// Daemon is the home whose daemon works on the run, or did so last: after its end
	// the next one goes on. Empty where a person's own process does.
	Daemon string `json:"daemon,omitempty"`
	// Parallel and NoAuto are what the start of a queued run has asked for.
	Parallel int  `json:"parallel,omitempty"`
	NoAuto   bool `json:"no_auto_checkpoint,omitempty"`
	// Undo: what was done is undone, because a step failed or a person asked for it.
	Undo Undoing `json:"undo,omitempty"`
	// Signals are the ids of those that were used.
	Signals []string `json:"signals,omitempty"`
	// Terms are what the plan says besides the steps ([plan.Plan.Terms]).
	Terms   json.RawMessage `json:"terms,omitempty"`
	Plan    []Step          `json:"plan"`
	Index   int             `json:"current_step_index"` // the lowest unfinished step
	Results []Result        `json:"results"`
	// LastError is the newest failure that is not made good.
	LastError *LastError `json:"last_error,omitempty"`
	// Other are the members of the state that are none of the above.
	Other map[string]json.RawMessage `json:"-"`
}

// Step is a step of the plan with how far it is.
type Step struct {
	ID           string                     `json:"id"`
	Description  string                     `json:"description,omitempty"`
	Action       string                     `json:"action,omitempty"`
	Parameters   json.RawMessage            `json:"parameters,omitempty"` // as the plan has them
	Dependencies []string                   `json:"dependencies,omitempty"`
	Status       Status                     `json:"status"`
	Reason       string                     `json:"reason,omitempty"`    // why it is skipped, failed, waits, or could not be done
	Cause        piton.RunCause             `json:"cause,omitempty"`     // why it has failed, for programs
	Attempt      int                        `json:"attempt,omitempty"`   // attempts so far, over all owners
	Tried        int                        `json:"tried,omitempty"`     // of them since it was last begun anew, for its retry
	Round        int                        `json:"round,omitempty"`     // how often it was begun anew after it had been completed
	Early        bool                       `json:"early,omitempty"`     // it ran after a stop, before what it depends on had ended
	RetryAt      piton.Time                 `json:"retry_at,omitzero"`   // no attempt begins before
	StartedAt    piton.Time                 `json:"started_at,omitzero"` // of the newest attempt
	EndedAt      piton.Time                 `json:"ended_at,omitzero"`
	Words        string                     `json:"words,omitempty"`        // a person's, when it was sent back
	Shown        string                     `json:"shown,omitempty"`        // sha256 of what an approval shows, hex
	Shows        string                     `json:"shows,omitempty"`        // what it shows, without secrets
	AnsweredAt   piton.Time                 `json:"answered_at,omitzero"`   // answers up to here are used up
	Used         Used                       `json:"used,omitzero"`          // by this step, over all attempts
	Prints       []string                   `json:"fingerprints,omitempty"` // what its attempts have come to, oldest first
	Items        *int                       `json:"items,omitempty"`        // how many items it runs for; absent: its list is not made
	Of           string                     `json:"of,omitempty"`           // the step of whose items it is one
	Item         json.RawMessage            `json:"item,omitempty"`         // the item
	Iteration    int                        `json:"iteration,omitempty"`    // how often it has run before, of a step that repeats
	Undoes       string                     `json:"undoes,omitempty"`       // the step that it undoes
	DueAt        piton.Time                 `json:"due_at,omitzero"`        // until when it waits
	Signal       string                     `json:"signal,omitempty"`       // the signal that it waits for
	Child        string                     `json:"run,omitempty"`          // the run that it waits for
	Note         *action.Note               `json:"note,omitempty"`
	Other        map[string]json.RawMessage `json:"-"`
}

// Undoing says why a run is undone.
type Undoing string

// The reasons.
const (
	undoFailed Undoing = "failure"
	undoAsked  Undoing = "asked"
)

// Status says how far a step is.
type Status string

// The statuses of a step. The first five are those of every saved plan; the others
// are the runner's.
const (
	Pending   Status = "pending"
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed"
	Skipped   Status = "skipped"
	Waiting   Status = "waiting"   // for a person, a time, a signal or another run
	InDoubt   Status = "in_doubt"  // a crash broke it off, and it must not run twice
	CouldNot  Status = "could_not" // its agent could not do it
)

// Ended tells whether nothing more happens to a step by itself.
func (s Status) Ended() bool {
	return s == Completed || s == Failed || s == Skipped || s == CouldNot
}

func (s Status) failed() bool { return s == Failed || s == CouldNot }

// Done tells whether nothing of a step is left to do.
func (s Status) Done() bool { return s == Completed || s == Skipped }

// Result is what a completed step has brought.
type Result struct {
	StepID      string           `json:"step_id"`
	Output      any              `json:"output"`
	CompletedAt piton.Time       `json:"completed_at,omitzero"`
	DurationMS  int64            `json:"duration_ms"`
	Usage       piton.TokenUsage `json:"token_usage,omitzero"`
	CostUSD     float64          `json:"cost_usd,omitempty"`
	// Artifacts are the files that the step has left.
	Artifacts []piton.Artifact `json:"artifacts,omitempty"`
	// Redacted: secrets were taken out of the output, so another process must not
	// go on with it.
	Redacted bool `json:"redacted,omitempty"`
	// GivenBy is the person who has said that the step took effect, and given its output.
	GivenBy string                     `json:"given_by,omitempty"`
	Other   map[string]json.RawMessage `json:"-"`
	// output is how Output was spelt where it was read: large numbers stay as they are.
	output json.RawMessage
	// part is the result as it is written. A result never changes, so it is written
	// once.
	part *states.Part
}

// LastError is a step's failure.
type LastError struct {
	StepIndex int                        `json:"step_index"`
	Message   string                     `json:"message"`
	Timestamp piton.Time                 `json:"timestamp,omitzero"`
	Other     map[string]json.RawMessage `json:"-"`
}

// Used is what the run, or a step, has used so far, over all its owners.
type Used struct {
	Tokens  piton.TokenUsage `json:"token_usage,omitzero"`
	CostUSD float64          `json:"cost_usd,omitempty"`
	WorkMS  int64            `json:"work_ms,omitempty"`
	Tries   int              `json:"tries,omitempty"`
}

// plus adds what an attempt has used. Money is kept to a billionth of a dollar: a sum of
// cents is one.
func (u Used) plus(v Used) Used {
	return Used{u.Tokens.Plus(v.Tokens), math.Round((u.CostUSD+v.CostUSD)*1e9) / 1e9, u.WorkMS + v.WorkMS, u.Tries + v.Tries}
}

// clone copies what the runner changes of a state.
func (s State) clone() State {
	s.Plan, s.Results = slices.Clone(s.Plan), slices.Clone(s.Results)
	s.Inputs = maps.Clone(s.Inputs)
	if s.LastError != nil {
		e := *s.LastError
		s.LastError = &e
	}
	return s
}

// step is the number of a step; -1 for none.
func (s State) step(id string) int {
	return slices.IndexFunc(s.Plan, func(x Step) bool { return x.ID == id })
}

// result is a step's result; nil where there is none.
func (s State) result(id string) *Result {
	for i := range s.Results {
		if s.Results[i].StepID == id {
			return &s.Results[i]
		}
	}
	return nil
}

func (s *State) drop(id string) {
	s.Results = slices.DeleteFunc(s.Results, func(r Result) bool { return r.StepID == id })
}

func (s State) number(is Status) (n int) {
	for i := range s.Plan {
		if s.Plan[i].Status == is {
			n++
		}
	}
	return n
}

// Asks tells whether a step waits for a person's word on what it shows.
func (x Step) Asks() bool {
	return x.Status == Waiting && x.DueAt.IsZero() && x.Signal == "" && x.Child == ""
}

func (s *State) count() {
	s.Index = slices.IndexFunc(s.Plan, func(x Step) bool { return !x.Status.Done() })
	if s.Index < 0 {
		s.Index = len(s.Plan)
	}
}

// Done is how many steps are completed, or skipped for good. What is skipped because
// something before it has failed is still to be done.
func (s State) Done() (n int) {
	missed := s.missed()
	for _, x := range s.Plan {
		if x.Status.Done() && !missed[x.ID] {
			n++
		}
	}
	return n
}

// missed are the steps that have failed, and those skipped because of one, directly
// or not; nil where none has failed.
func (s State) missed() map[string]bool {
	missed := map[string]bool{}
	for _, x := range s.Plan {
		if x.Status.failed() {
			missed[x.ID] = true
		}
	}
	if len(missed) == 0 {
		return nil
	}
	for more := true; more; { // the steps may be in any order
		more = false
		for _, x := range s.Plan {
			if x.Status == Skipped && !missed[x.ID] && slices.ContainsFunc(x.Dependencies, func(d string) bool { return missed[d] }) {
				missed[x.ID], more = true, true
			}
		}
	}
	return missed
}

// kept is how many steps were completed before and have not run again since.
func kept(before, now State) (n int) {
	for _, was := range before.Plan {
		i := now.step(was.ID)
		if was.Status == Completed && i >= 0 && now.Plan[i].Status == Completed && now.Plan[i].Attempt == was.Attempt {
			n++
		}
	}
	return n
}

// named lists steps in words: "step a", "the steps a and b".
func named(ids []string) string {
	last := len(ids) - 1
	if last == 0 {
		return "step " + ids[0]
	}
	return "steps " + strings.Join(ids[:last], ", ") + " and " + ids[last]
}

// works tells whether a step is one of those that the run works on: while what was done is
// undone, these are those that undo, and the last ones.
func (s State) works(x plan.Step) bool { return s.Undo == "" || x.Undoes != "" || x.Finally }
