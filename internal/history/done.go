package history

import (
	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// allDone tells whether nothing is left of the work that a state describes: all
// steps of a plan are done, or all phases of a conductor and every todo. Such a
// checkpoint is completed, so its workflow is closed.
func allDone(c piton.Checkpoint, s map[string]any) bool {
	if c.WorkflowType != piton.TypePlan && c.WorkflowType != piton.TypeConductor {
		return false
	}
	if c.WorkflowType == piton.TypeConductor && !has(s, "pending_phases") {
		return false // what is left is not known
	}
	done, doing, pending := progressOf(c, s)
	if len(done) == 0 || len(doing)+len(pending) > 0 {
		return false
	}
	for _, x := range list(s, "todos") {
		if (agent.Todo{Status: str(object(x), "status")}).Open() {
			return false
		}
	}
	return true
}

// stepDone tells whether a plan's step i is done: it says so, or says nothing
// and lies before the step at work.
func stepDone(step any, i, index int) bool {
	switch str(object(step), "status") {
	case "completed", "skipped":
		return true
	case "":
		return i < index
	}
	return false
}

// stepName is what a plan's step is called.
func stepName(step any) string {
	if words, ok := step.(string); ok {
		return words
	}
	s := object(step)
	return firstOf(str(s, "description"), scalar(s["id"]), str(s, "action"))
}
