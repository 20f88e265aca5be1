package states

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// progressOf splits the work into what is done, at work and pending, for each
// kind of workflow.
func progressOf(c piton.Checkpoint, s map[string]any) (done, doing, pending []string) {
	switch c.WorkflowType {
	case piton.TypeConductor:
		current, completed := scalar(s["current_phase"]), scalars(list(s, "completed_phases"))
		for _, p := range completed {
			done = append(done, phaseName(p))
		}
		if !slices.Contains(completed, current) {
			doing = append(doing, phaseName(current))
		}
		for _, p := range scalars(list(s, "pending_phases")) {
			if p != current {
				pending = append(pending, phaseName(p))
			}
		}
	case piton.TypePhases:
		row := fmt.Sprintf("Phase %d of %d: %s", c.PhaseNumber, c.PhaseTotal, c.StepName)
		switch {
		case c.Finishes():
			return []string{row}, nil, nil
		case c.Trigger == piton.TriggerPhaseComplete:
			return []string{row}, nil, []string{fmt.Sprintf("Phase %d of %d", c.PhaseNumber+1, c.PhaseTotal)}
		}
		return nil, []string{row}, nil
	case piton.TypePlan:
		index, ok := number(s, "current_step_index", "currentStepIndex")
		if !ok && c.StepNumber != nil {
			index = *c.StepNumber
		}
		for i, x := range list(s, "plan") {
			switch name, status := stepName(x), str(object(x), "status"); {
			case status == "skipped":
				done = append(done, name+" (skipped)")
			case status == "completed" || status == "" && i < index:
				done = append(done, name)
			case status == "running" || status == "in_progress":
				doing = append(doing, name)
			case halted[status] != "":
				doing = append(doing, name+" ("+halted[status]+")")
			default:
				pending = append(pending, name)
			}
		}
	}
	return done, doing, pending
}

// halted are the steps of a plan that have begun and stand still, in words.
var halted = map[string]string{
	"failed": "failed", "could_not": "could not be done", "waiting": "waits for a person's approval",
	"in_doubt": "in doubt: nobody knows whether it took effect",
}

// phaseName turns "2.5" into "Phase 2.5" and leaves a name as it is.
func phaseName(s string) string {
	if s != "" && strings.Trim(s, "0123456789.") == "" {
		return "Phase " + s
	}
	return s
}

// stepName is what a plan's step is called.
func stepName(step any) string {
	if words, ok := step.(string); ok {
		return words
	}
	s := object(step)
	return cmp.Or(str(s, "description"), scalar(s["id"]), str(s, "action"))
}

// todosOf are the todos of a state, and how many of them are open.
func todosOf(s map[string]any) (todos []any, open int) {
	todos = list(s, "todos")
	for _, x := range todos {
		if (agent.Todo{Status: str(object(x), "status")}).Open() {
			open++
		}
	}
	return todos, open
}

// Finished reports whether nothing is left of the work that a state describes:
// all steps of a plan are done, or all phases of a conductor and every todo.
// Such a checkpoint is completed, so its workflow is closed.
func Finished(c piton.Checkpoint, s map[string]any) bool {
	if c.WorkflowType != piton.TypePlan && (c.WorkflowType != piton.TypeConductor || !has(s, "pending_phases")) {
		return false // what is left is not known
	}
	done, doing, pending := progressOf(c, s)
	_, open := todosOf(s)
	return len(done) > 0 && len(doing)+len(pending)+open == 0
}

// currentTask is the todo in progress, else the next one, else the step.
func currentTask(c piton.Checkpoint, s map[string]any, doing, pending []string) string {
	next := ""
	for _, x := range list(s, "todos") {
		t := object(x)
		switch str(t, "status") {
		case "in_progress":
			return str(t, "content", "subject")
		case "pending":
			next = cmp.Or(next, str(t, "content", "subject"))
		}
	}
	for _, rows := range [][]string{{next}, doing, pending} {
		if len(rows) > 0 && rows[0] != "" {
			return rows[0]
		}
	}
	return c.TaskSummary
}
