package runs

import (
	"encoding/json"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
)

// Status says how a run has ended, for now.
type Status = piton.RunStatus

// Outcome is how a run has ended, for now.
type Outcome struct {
	Success bool
	RunID   string
	Status  Status
	Error   string // why it did not succeed
	// Cause is why a run that is stopped or failed does not go on, for programs.
	Cause piton.RunCause
	Hint  string // what a person can do about it
	Steps []StepOutcome
	// Recovered is how many steps were done before and not run again.
	Recovered int
	// Existing: it had begun before under Options.Key, and nothing was run.
	Existing bool
	Duration time.Duration // of work, over all processes
}

// StepOutcome is how far a step is.
type StepOutcome struct {
	ID, Status, Reason string
	output             any
}

// outcome is a result in the words of this package.
func outcome(x planruns.RunResult) Outcome {
	o := Outcome{
		Success: x.Success, RunID: x.RunID, Status: x.Status, Error: x.Error, Cause: x.Cause, Hint: x.Hint, Recovered: x.Recovered, Existing: x.Existing,
		Duration: time.Duration(x.DurationMS) * time.Millisecond,
	}
	outputs := map[string]any{}
	for _, r := range x.State.Results {
		outputs[r.StepID] = r.Output
	}
	for _, p := range x.State.Plan {
		o.Steps = append(o.Steps, StepOutcome{p.ID, string(p.Status), p.Reason, outputs[p.ID]})
	}
	return o
}

// Output decodes what a completed step has brought. NotFound where the step is not
// completed, Invalid where it does not fit T.
func Output[T any](o Outcome, step string) (T, error) {
	var v T
	for _, s := range o.Steps {
		if s.ID != step || s.Status != "completed" {
			continue
		}
		b, err := json.Marshal(s.output)
		if err == nil {
			err = json.Unmarshal(b, &v)
		}
		if err != nil {
			return v, &piton.Error{Code: piton.Invalid, Op: "read the output of step " + step, Err: err}
		}
		return v, nil
	}
	return v, piton.Errorf(piton.NotFound, "read the output of step "+step, "see Outcome.Steps", "the step is not completed")
}
