package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// defaultPhases is how many phases a phases workflow has unless it says so.
const defaultPhases = 7

// summaryWords is how much of a task is shown in one line.
const summaryWords = 8

// kindOf finds the type of a state that nobody named, from its keys.
func kindOf(s map[string]any) string {
	switch {
	case has(s, "current_phase") && has(s, "completed_phases", "pending_phases"):
		return piton.TypeConductor
	case has(s, "plan") && has(s, "current_step_index", "currentStepIndex", "results", "query"):
		return piton.TypePlan
	case has(s, "phase") && has(s, "phase_number", "phaseNumber"):
		return piton.TypePhases
	}
	return piton.TypeCustom
}

// has tells whether the state has one of the keys.
func has(s map[string]any, keys ...string) bool {
	for _, k := range keys {
		if _, ok := s[k]; ok {
			return true
		}
	}
	return false
}

// describe gives the record what its state says of itself: kind, phase, step,
// progress, task. What the caller has said stands. Once the record has all
// that its kind requires, the state is held against the kind's form. said
// is the state, or as much of it as is looked at here.
func (k Keeper) describe(c *piton.Checkpoint, d Draft, said, state []byte) error {
	s, err := decode(said)
	if err != nil {
		return &piton.Error{Code: piton.Invalid, Op: "read the state", Err: err}
	}
	if c.WorkflowType == "" {
		c.WorkflowType = kindOf(s)
		if d.Phase != "" || d.PhaseNumber > 0 {
			c.WorkflowType = piton.TypePhases
		}
	}
	if c.TaskSummary == "" {
		c.TaskSummary = str(s, "task_summary", "taskSummary", "query")
	}
	switch c.WorkflowType {
	case piton.TypePhases:
		err = describePhases(c, s)
	case piton.TypeConductor:
		err = describeConductor(c, s)
	case piton.TypePlan:
		err = describePlan(c, s)
	case piton.TypeSession:
		describeSession(c, s)
	}
	if err == nil {
		err = k.validate(*c, s, state)
	}
	if allDone(*c, s) {
		c.Completed, c.CompletedAt = true, c.CreatedAt
	}
	// The state keeps its spelling; the record, which every list shows, is
	// bounded.
	c.StepName, c.TaskSummary = fitted(c.StepName, maxName, false), fitted(c.TaskSummary, maxText, true)
	return err
}

func describePhases(c *piton.Checkpoint, s map[string]any) error {
	if c.StepName == "" {
		c.StepName = str(s, "phase")
	}
	if c.PhaseNumber == 0 {
		n, _ := number(s, "phase_number", "phaseNumber")
		c.PhaseNumber = n
	}
	if c.PhaseTotal == 0 {
		n, _ := number(s, "phase_total", "phaseTotal")
		c.PhaseTotal = n
	}
	if c.PhaseTotal == 0 {
		c.PhaseTotal = defaultPhases
	}
	switch {
	case c.StepName == "":
		return missing(c.WorkflowType, "/phase", "--phase NAME")
	case c.PhaseNumber == 0:
		return missing(c.WorkflowType, "/phase_number", "--phase-number N")
	case c.PhaseNumber < 1 || c.PhaseNumber > c.PhaseTotal:
		return piton.Errorf(piton.Invalid, "save a phases checkpoint", "number the phases from 1, and give --phase-total N",
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
	if c.StepName == "" {
		c.StepName = phaseName(current)
	}
	done, pending := list(s, "completed_phases"), list(s, "pending_phases")
	all := len(done) + len(pending)
	if !contains(done, current) && !contains(pending, current) {
		all++
	}
	setProgress(c, len(done), all)
	return nil
}

func describePlan(c *piton.Checkpoint, s map[string]any) error {
	index, ok := number(s, "current_step_index", "currentStepIndex")
	if !ok && c.StepNumber == nil {
		return missing(c.WorkflowType, "/current_step_index", "the index of the step at work, or --step N")
	}
	if index < 0 {
		return piton.Errorf(piton.Invalid, "save a plan checkpoint", "count the steps from 0", "/current_step_index: %d is negative", index)
	}
	if c.StepNumber == nil {
		c.StepNumber = &index
	}
	steps := list(s, "plan")
	done := 0
	for i, x := range steps {
		if stepDone(x, i, index) {
			done++
		}
	}
	if i := *c.StepNumber; c.StepName == "" && i < len(steps) {
		c.StepName = stepName(steps[i])
	}
	setProgress(c, done, len(steps))
	return nil
}

// describeSession counts the todos: a session has no phases.
func describeSession(c *piton.Checkpoint, s map[string]any) {
	todos := list(s, "todos")
	done := 0
	for _, x := range todos {
		if !(agent.Todo{Status: str(object(x), "status")}).Open() {
			done++
		}
	}
	setProgress(c, done, len(todos))
}

func missing(kind, path, want string) error {
	return piton.Errorf(piton.Invalid, "save a "+kind+" checkpoint", "give "+want, "%s is missing", path)
}

func setProgress(c *piton.Checkpoint, done, all int) {
	if c.Progress != nil || all <= 0 {
		return
	}
	p := min(100*done/all, 100)
	c.Progress = &p
}

// phaseName turns "2.5" into "Phase 2.5" and leaves a name as it is.
func phaseName(s string) string {
	if s != "" && strings.Trim(s, "0123456789.") == "" {
		return "Phase " + s
	}
	return s
}

// decode reads a state for looking at it; numbers keep their spelling.
func decode(state []byte) (map[string]any, error) {
	var s map[string]any
	dec := json.NewDecoder(bytes.NewReader(state))
	dec.UseNumber()
	err := dec.Decode(&s)
	return s, err
}

func object(x any) map[string]any { m, _ := x.(map[string]any); return m }

// str returns the first of the keys that holds a string.
func str(s map[string]any, keys ...string) string {
	for _, k := range keys {
		if v, ok := s[k].(string); ok && v != "" {
			return v
		}
	}
	return ""
}

// list returns the first of the keys that holds an array.
func list(s map[string]any, keys ...string) []any {
	for _, k := range keys {
		if v, ok := s[k].([]any); ok {
			return v
		}
	}
	return nil
}

// number returns the first of the keys that holds a whole number.
func number(s map[string]any, keys ...string) (int, bool) {
	for _, k := range keys {
		if v, ok := s[k].(json.Number); ok {
			if f, err := v.Float64(); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<31 {
				return int(f), true
			}
		}
	}
	return 0, false
}

// scalar writes a string, number or boolean as text; "" for the rest.
func scalar(x any) string {
	switch v := x.(type) {
	case string:
		return v
	case json.Number, bool:
		return fmt.Sprint(v)
	}
	return ""
}

func contains(xs []any, s string) bool {
	for _, x := range xs {
		if scalar(x) == s {
			return true
		}
	}
	return false
}

func firstOf(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}

// Summary is a task in at most eight words.
func Summary(task string) string {
	words := strings.Fields(task)
	if len(words) > summaryWords {
		return strings.Join(words[:summaryWords], " ") + " …"
	}
	return strings.Join(words, " ")
}
