package history

import (
	"encoding/json"

	"github.com/piton-project/piton"
)

// validate holds a state against the form of its kind.
func (k Keeper) validate(c piton.Checkpoint, s map[string]any, state []byte) error {
	if k.Validate == nil {
		return nil
	}
	return k.Validate(c.WorkflowType, filled(c, s, state))
}

// filled is the state with what its kind requires and the caller gave beside
// it, with flags: the two together are the kind's form.
func filled(c piton.Checkpoint, s map[string]any, state []byte) []byte {
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
	if len(s) == 0 {
		return b
	}
	return append(append(b[:len(b)-1], ','), state[1:]...)
}
