package states

import (
	"cmp"
	"encoding/json"

	"github.com/piton-project/piton"
)

// defaultPhases is how many phases a phases workflow has unless it says so.
const defaultPhases = 7

// kindOf finds the type of a state that nobody named, from its keys.
func kindOf(s map[string]any) string {
	switch {
	case has(s, "current_phase") && has(s, "completed_phases", "pending_phases"):
		return piton.TypeConductor
	case has(s, "current_step_index", "currentStepIndex") || has(s, "plan") && has(s, "results", "query"):
		return piton.TypePlan
	case has(s, "phase") && has(s, "phase_number", "phaseNumber"):
		return piton.TypePhases
	}
	return piton.TypeCustom
}

// Describe gives a record what its state says of itself: type, phase, step,
// progress, task, and whether the work is finished. What the record has already
// stays. Invalid when something is missing that its type requires.
func Describe(c *piton.Checkpoint, s map[string]any) error {
	c.WorkflowType = cmp.Or(c.WorkflowType, kindOf(s))
	c.TaskSummary = cmp.Or(c.TaskSummary, str(s, "task_summary", "taskSummary", "query"))
	var err error
	switch c.WorkflowType {
	case piton.TypePhases:
		err = describePhases(c, s)
	case piton.TypeConductor:
		err = describeConductor(c, s)
	case piton.TypePlan:
		err = describePlan(c, s)
	case piton.TypeSession: // a session has no phases: its todos are counted
		todos, open := todosOf(s)
		setProgress(c, len(todos)-open, len(todos))
	}
	if Finished(*c, s) {
		c.Completed, c.CompletedAt = true, c.CreatedAt
	}
	return err
}

func describePhases(c *piton.Checkpoint, s map[string]any) error {
	n, _ := number(s, "phase_number", "phaseNumber")
	total, _ := number(s, "phase_total", "phaseTotal")
	c.StepName = cmp.Or(c.StepName, str(s, "phase"))
	c.PhaseNumber = cmp.Or(c.PhaseNumber, n)
	c.PhaseTotal = cmp.Or(c.PhaseTotal, total, defaultPhases)
	switch {
	case c.StepName == "":
		return missing(c.WorkflowType, "/phase", "'phase NAME'")
	case c.PhaseNumber == 0:
		return missing(c.WorkflowType, "/phase_number", "'phase_number N'")
	case c.PhaseNumber < 1 || c.PhaseNumber > c.PhaseTotal:
		return piton.Errorf(piton.Invalid, "save a phases checkpoint", "number the phases from 1, and give 'phase_total N'",
			"/phase_number: phase %d of %d does not exist", c.PhaseNumber, c.PhaseTotal)
	}
	setProgress(c, c.PhaseNumber, c.PhaseTotal)
	return nil
}

func describeConductor(c *piton.Checkpoint, s map[string]any) error {
	current := scalar(s["current_phase"])
	if current == "" {
		return missing(c.WorkflowType, "/current_phase", "the phase at work, a string")
	}
	c.StepName = cmp.Or(c.StepName, phaseName(current))
	done, doing, pending := progressOf(*c, s)
	setProgress(c, len(done), len(done)+len(doing)+len(pending))
	return nil
}

func describePlan(c *piton.Checkpoint, s map[string]any) error {
	index, ok := number(s, "current_step_index", "currentStepIndex")
	if !ok && c.StepNumber == nil {
		return missing(c.WorkflowType, "/current_step_index", "the index of the step at work, or 'step N'")
	}
	if index < 0 {
		return piton.Errorf(piton.Invalid, "save a plan checkpoint", "count the steps from 0", "/current_step_index: %d is negative", index)
	}
	steps, state := list(s, "plan"), *c
	state.StepNumber = nil // the progress is the state's own
	c.StepNumber = cmp.Or(c.StepNumber, &index)
	if i := *c.StepNumber; c.StepName == "" && i < len(steps) {
		c.StepName = stepName(steps[i])
	}
	done, _, _ := progressOf(state, s)
	setProgress(c, len(done), len(steps))
	return nil
}

func missing(kind, path, want string) error {
	return piton.Errorf(piton.Invalid, "save a "+kind+" checkpoint", "give "+want, "%s is missing", path)
}

func setProgress(c *piton.Checkpoint, done, all int) {
	if c.Progress == nil && all > 0 {
		p := min(100*done/all, 100)
		c.Progress = &p
	}
}

// Form is the state with what its kind requires and the caller gave beside it,
// in the record: the two together have the kind's form. s is the state decoded.
func Form(c piton.Checkpoint, s map[string]any, state []byte) []byte {
	more := map[string]any{}
	switch {
	case c.WorkflowType == piton.TypePhases:
		if !has(s, "phase") {
			more["phase"] = c.StepName
		}
		if !has(s, "phase_number", "phaseNumber") {
			more["phase_number"] = c.PhaseNumber
		}
	case c.WorkflowType == piton.TypePlan && !has(s, "current_step_index", "currentStepIndex"):
		more["current_step_index"] = *c.StepNumber
	}
	b, err := json.Marshal(more)
	if err != nil || len(more) == 0 {
		return state
	}
	if len(state) == len("{}") {
		return b
	}
	return append(append(b[:len(b)-1], ','), state[1:]...)
}
