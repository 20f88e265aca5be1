package history

import (
	"fmt"

	"github.com/piton-project/piton"
)

// progressOf splits the work into done, at work and waiting, for each kind.
func progressOf(c piton.Checkpoint, s map[string]any) (done, doing, pending []string) {
	switch c.WorkflowType {
	case piton.TypeConductor:
		current := scalar(s["current_phase"])
		for _, p := range texts(list(s, "completed_phases")) {
			done = append(done, phaseName(p))
		}
		if !contains(list(s, "completed_phases"), current) {
			doing = append(doing, phaseName(current))
		}
		for _, p := range texts(list(s, "pending_phases")) {
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
			name, status := stepName(x), str(object(x), "status")
			switch {
			case status == "skipped":
				done = append(done, name+" (skipped)")
			case stepDone(x, i, index):
				done = append(done, name)
			case status == "running" || status == "in_progress":
				doing = append(doing, name)
			case status == "failed":
				doing = append(doing, name+" (failed)")
			default:
				pending = append(pending, name)
			}
		}
	}
	return done, doing, pending
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
			next = firstOf(next, str(t, "content", "subject"))
		}
	}
	if next != "" {
		return next
	}
	for _, rows := range [][]string{doing, pending} {
		if len(rows) > 0 {
			return rows[0]
		}
	}
	return c.TaskSummary
}
