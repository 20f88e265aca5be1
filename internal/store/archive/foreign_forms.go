package archive

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// phases is how many there are where a file does not say.
const phases = 7

// A phase checkpoint is one object: id, sessionId, phase, phaseNumber,
// createdAt, completed, taskSummary, iscCriteria, metadata. All of it is the
// state; its workflow is the session.
func isPhases(o object) bool { return o.has("phase") && o.has("phaseNumber", "phase_number") }

func readPhases(o object, f form) (store.Entry, error) {
	var e store.Entry
	var id, of string
	c := &e.Checkpoint
	c.PhaseTotal = phases
	c.Trigger = piton.TriggerPhaseComplete
	var err error
	c.CreatedAt, err = o.when("createdAt", "created_at")
	err = errors.Join(err,
		o.into(&id, "id"), o.into(&of, "sessionId", "session_id"), o.into(&c.StepName, "phase"),
		o.into(&c.PhaseNumber, "phaseNumber", "phase_number"), o.into(&c.PhaseTotal, "phaseTotal", "phase_total"),
		o.into(&c.Completed, "completed"), o.into(&c.TaskSummary, "taskSummary", "task_summary"))
	if err != nil {
		return e, err
	}
	if c.PhaseNumber < 1 || c.PhaseNumber > c.PhaseTotal {
		return e, errors.New(`the member "phaseNumber": there is no such phase`)
	}
	if e.State, err = state(o.text); err != nil {
		return e, err
	}
	c.ID = store.ImportedID(piton.CheckpointPrefix, f.name, idOr(id, e.State))
	c.Progress = share(c.PhaseNumber, c.PhaseTotal)
	e.Workflow = workflow(f, piton.TypePhases, of)
	e.Workflow.SessionID = session(f, of)
	c.SessionName = nameOf(of)
	return e, nil
}

// A conductor's snapshot: checkpoint_id, workflow_id, workflow_type,
// created_at, step_number, step_name, state, and metadata with
// parent_checkpoint, branch, trigger, estimated_completion.
func isConductor(o object) bool { return o.has("checkpoint_id") }

func readConductor(o object, f form) (store.Entry, error) {
	var e store.Entry
	var id, of, parent, trigger string
	kind := piton.TypeConductor
	c, meta := &e.Checkpoint, o.sub("metadata")
	var err error
	c.CreatedAt, err = o.when("created_at")
	err = errors.Join(err,
		o.into(&id, "checkpoint_id"), o.into(&of, "workflow_id"), o.into(&kind, "workflow_type"),
		o.into(&c.StepNumber, "step_number"), o.into(&c.StepName, "step_name"),
		o.into(&c.Name, "name"), meta.into(&c.Name, "name"), meta.into(&parent, "parent_checkpoint"),
		meta.into(&c.Branch, "branch"), meta.into(&trigger, "trigger"))
	if err != nil {
		return e, err
	}
	if e.State, err = state(o.get("state")); err != nil {
		return e, fmt.Errorf(`the member "state": %w`, err)
	}
	c.ID = store.ImportedID(piton.CheckpointPrefix, f.name, id)
	if parent != "" {
		c.ParentID = store.ImportedID(piton.CheckpointPrefix, f.name, parent)
	}
	if c.Trigger = piton.Trigger(trigger); !slices.Contains(piton.Triggers, c.Trigger) {
		c.Trigger = piton.TriggerAuto
		if trigger != "" {
			c.Tags = []string{"trigger:" + trigger}
		}
	}
	c.Progress = percent(meta.get("estimated_completion"))
	if c.Progress != nil && *c.Progress == 100 {
		c.Completed, c.CompletedAt = true, c.CreatedAt
	}
	e.Workflow = workflow(f, kind, of)
	return e, nil
}

// percent reads "60%", "60" or 60; nil for anything else.
func percent(raw jsontext.Value) *int {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.Trim(string(raw), `"`), "%"))
	if err != nil || n < 0 || n > 100 {
		return nil
	}
	return &n
}

// A plan's state has currentStepIndex with plan, results, context. It comes
// bare, as the member state of a checkpoint (id, sessionId, stepNumber,
// createdAt, metadata), or as text in the column state_json of a row.
func isPlan(o object) bool {
	return o.has("state_json") || isPlanState(o) || isPlanState(o.sub("state")) ||
		o.get("state").Kind() == '{' && o.has("stepNumber", "step_number", "sessionId", "session_id")
}

func isPlanState(o object) bool { return o.has("currentStepIndex", "current_step_index") }

func readPlan(o object, f form) (store.Entry, error) {
	var e store.Entry
	var id, of, trigger, text string
	raw := o.get("state")
	if isPlanState(o) {
		raw, of = o.text, f.file
	}
	err := o.into(&text, "state_json")
	if err == nil && text != "" {
		raw, err = unquoted(o.get("state_json"))
	}
	if err != nil {
		return e, err
	}
	if e.State, err = state(raw); err != nil {
		return e, fmt.Errorf(`the member "state": %w`, err)
	}
	c, meta := &e.Checkpoint, object{members: append(o.sub("metadata").members, o.members...)}
	var tokens int64
	c.CreatedAt, err = o.when("createdAt", "created_at")
	err = errors.Join(err,
		o.into(&id, "id"), o.into(&of, "sessionId", "session_id"), o.into(&c.StepNumber, "stepNumber", "step_number"),
		meta.into(&c.Description, "description"), meta.into(&trigger, "triggerType", "trigger_type"),
		meta.into(&c.DurationMS, "durationMs", "duration_ms"), meta.into(&tokens, "tokenUsage", "token_usage"))
	if err != nil {
		return e, err
	}
	c.ID = store.ImportedID(piton.CheckpointPrefix, f.name, idOr(id, e.State))
	if c.Trigger = piton.Trigger(trigger); !slices.Contains(piton.Triggers, c.Trigger) {
		c.Trigger = piton.TriggerAuto
	}
	if tokens != 0 {
		// Only the total is known; it is kept where most of it belongs.
		c.TokenUsage = &piton.TokenUsage{Input: tokens}
	}
	describePlan(c, e.State)
	e.Workflow = workflow(f, piton.TypePlan, of)
	if !isPlanState(o) {
		e.Workflow.SessionID = session(f, of)
		c.SessionName = nameOf(of)
	}
	return e, nil
}

// describePlan fills the record from the plan: step, progress, and whether all
// of it is done. A plan of another shape says nothing of these.
func describePlan(c *piton.Checkpoint, state []byte) {
	o := read(state)
	var steps []struct{ ID, Description, Status string }
	if o.into(&steps, "plan") != nil {
		steps = nil
	}
	if o.into(&c.TaskSummary, "query") != nil {
		c.TaskSummary = ""
	}
	if c.StepNumber == nil && o.into(&c.StepNumber, "currentStepIndex", "current_step_index") != nil {
		c.StepNumber = nil
	}
	done, over := 0, 0
	for _, s := range steps {
		switch s.Status {
		case "completed":
			done++
			over++
		case "skipped":
			over++
		}
	}
	if n := c.StepNumber; n != nil && *n >= 0 && *n < len(steps) {
		if c.StepName = steps[*n].Description; c.StepName == "" {
			c.StepName = steps[*n].ID
		}
	}
	c.Progress = share(done, len(steps))
	if len(steps) > 0 && over == len(steps) {
		c.Completed, c.CompletedAt = true, c.CreatedAt
	}
}

// unwrap finds the checkpoint in what surrounds it: a memory's content, which
// is text, or an answer with checkpoint and state side by side.
func unwrap(o object) (object, error) {
	if raw := o.get("content"); raw.Kind() == '"' && !o.has("checkpoint_id", "state", "phase") {
		inner, err := unquoted(raw)
		if err != nil {
			return object{}, err
		}
		if inner, err = compacted(inner); err != nil {
			return object{}, fmt.Errorf(`the member "content": %w`, err)
		}
		return read(inner), nil
	}
	if c := o.sub("checkpoint"); c.members != nil && o.has("state") {
		c.members = append(c.members, member{"state", o.get("state")})
		return c, nil
	}
	return o, nil
}

// idOr is another program's id of a checkpoint; the state's sum where it has
// none.
func idOr(id string, state []byte) string {
	if id != "" {
		return id
	}
	sum := sha256.Sum256(state)
	return string(sum[:])
}

// form is what reading one value needs beside the value.
type form struct {
	name string // the foreign form's
	file string // the file's name without its folder
}

// workflow is the workflow that another program's id stands for; it bears that
// id as its name, where it can be one.
func workflow(f form, kind, id string) piton.Workflow {
	w := piton.Workflow{ID: store.ImportedID(piton.WorkflowPrefix, f.name, id), Type: kind}
	if len(id) <= 200 && !strings.HasPrefix(id, piton.WorkflowPrefix) {
		w.Name = id
	}
	return w
}

// session is our id for another program's session; none where it has none.
func session(f form, id string) string {
	if id == "" || id == "unknown" {
		return ""
	}
	return store.ImportedID(piton.SessionPrefix, f.name, id)
}

// share is how many of all in percent; nil of none.
func share(done, all int) *int {
	if all <= 0 {
		return nil
	}
	p := min(100*done/all, 100)
	return &p
}
