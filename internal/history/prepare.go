package history

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store"
)

// schemaVersion is the version of the record that this program writes.
const schemaVersion = 1

// Draft is what a caller asks to save.
type Draft struct {
	Workflow    string // id, an id's beginning, or a name; empty: the session's current one, else a new one
	Type        string // empty: the workflow's, else found from what is saved
	Session     string // our id or the client's; empty: none
	Project     string // a project id
	Branch      string // empty: main
	Parent      string // the head the caller expects; empty: whatever it is
	Step        *int
	StepName    string
	Phase       string
	PhaseNumber int
	PhaseTotal  int
	Name        string
	Description string
	Task        string
	Tags        []string
	Trigger     piton.Trigger // empty: manual, with a phase phase_complete
	Progress    *int
	DurationMS  int64
	TokenUsage  *piton.TokenUsage
	Origin      piton.Origin
	State       []byte // JSON; nil: what a hook would capture, else the head's again, else {}
	// Collected: nobody typed these texts; they were found in prompts, file names,
	// logs. What does not fit is made to fit, where a caller's own is refused.
	Collected bool
}

// Prepare does all of a save that needs no store: it validates, compacts,
// takes secrets out, finds the kind and sums. It returns what Append takes and
// how many secrets were taken out. Invalid when the draft is not acceptable;
// the error names the place and the way out (docs/spec.md, "Bad input").
func (k Keeper) Prepare(d Draft) (store.Prepared, int, error) {
	clean, err := k.Recent.Clean(states.Line{Workflow: d.Workflow, Session: d.Session, Branch: d.Branch}, d.State, k.Redact)
	if err != nil {
		return store.Prepared{}, 0, err
	}
	origin := originFields(&d.Origin)
	taken := append(inExport(clean.TakenOut), takeOut(k.Redact, append(d.fields(), origin...)...)...)
	if d.Collected {
		d.fit()
	}
	for _, f := range origin { // nobody types one
		*f.text = fitted(*f.text, f.max)
	}
	if err := d.check(); err != nil {
		return store.Prepared{}, 0, err
	}
	c := piton.Checkpoint{
		ID: piton.NewID(piton.CheckpointPrefix), WorkflowType: d.Type, Project: d.Project, Branch: d.Branch,
		StepNumber: d.Step, StepName: cmp.Or(d.StepName, d.Phase), PhaseNumber: d.PhaseNumber, PhaseTotal: d.PhaseTotal,
		Name: d.Name, Description: d.Description, TaskSummary: d.Task, Tags: d.Tags, Trigger: d.Trigger,
		CreatedAt: k.now(), Progress: d.Progress, DurationMS: d.DurationMS, TokenUsage: d.TokenUsage,
		SHA256: sumOf(clean.JSON.Get()), StateBytes: int64(len(clean.JSON.Get())), SchemaVersion: schemaVersion, Origin: d.Origin,
	}
	c.Origin.Host = cmp.Or(c.Origin.Host, k.Host)
	if c.WorkflowType == "" && d.isPhase() {
		c.WorkflowType = piton.TypePhases
	}
	if err := k.describe(&c, clean); err != nil {
		return store.Prepared{}, 0, err
	}
	return store.Prepared{Record: c, State: clean.JSON, Parent: d.Parent, TakenOut: taken}, len(taken), nil
}

// describe gives the record what its state says of itself, and checks the state
// against the form of its kind.
func (k Keeper) describe(c *piton.Checkpoint, state states.Clean) error {
	said, err := state.Said()
	if err != nil {
		return err
	}
	if err := states.Describe(c, said); err != nil {
		return err
	}
	// The state keeps its spelling; the record, which every list shows, is
	// bounded.
	form := states.Form(*c, said, state.JSON.Get())
	c.StepName, c.TaskSummary = fitted(c.StepName, maxName), fitted(c.TaskSummary, maxText)
	if k.Validate == nil {
		return nil
	}
	return k.Validate(c.WorkflowType, form)
}

// sumOf is the sum by which a state is known.
func sumOf(state []byte) string {
	sum := sha256.Sum256(state)
	return hex.EncodeToString(sum[:])
}

// isPhase reports whether the draft names a phase.
func (d *Draft) isPhase() bool { return d.Phase != "" || d.PhaseNumber > 0 }

// fields are the draft's own texts.
func (d *Draft) fields() []field {
	return append(tagFields(&d.Tags),
		field{"/step_name", "the step's name", &d.StepName, maxName, false},
		field{"/phase", "the phase", &d.Phase, maxName, false},
		field{"/name", "the name", &d.Name, maxName, false},
		field{"/description", "the description", &d.Description, maxText, false},
		field{"/task_summary", "the task", &d.Task, maxText, false},
		field{"/branch", "the branch", &d.Branch, maxName, true},
		field{"/workflow_type", "the type", &d.Type, maxName, false})
}

// fit makes the draft's texts and numbers fit a record: nothing that was only
// collected is a reason to lose a save.
func (d *Draft) fit() {
	for _, f := range d.fields() {
		*f.text = fitted(*f.text, f.max)
	}
	d.Tags = slices.DeleteFunc(d.Tags, func(t string) bool { return t == "" })
	d.Tags = d.Tags[:min(len(d.Tags), maxTags)]
	if d.Progress != nil {
		p := min(max(*d.Progress, 0), 100)
		d.Progress = &p
	}
	if d.Step != nil && *d.Step < 0 {
		d.Step = nil
	}
	d.PhaseNumber, d.PhaseTotal, d.DurationMS = max(d.PhaseNumber, 0), max(d.PhaseTotal, 0), max(d.DurationMS, 0)
	if d.Trigger != "" && !slices.Contains(piton.Triggers, d.Trigger) {
		d.Trigger = piton.TriggerManual
	}
}

// check refuses what a record does not hold, and sets the trigger.
func (d *Draft) check() error {
	invalid := func(hint, format string, args ...any) error {
		return piton.Errorf(piton.Invalid, "save", hint, format, args...)
	}
	for _, f := range d.fields() {
		if err := checkText(f.what, *f.text, f.max); err != nil {
			return err
		}
	}
	if d.Trigger == "" && d.isPhase() {
		d.Trigger = piton.TriggerPhaseComplete
	}
	d.Trigger = cmp.Or(d.Trigger, piton.TriggerManual)
	switch {
	case len(d.Tags) > maxTags:
		return invalid("", "%d tags are more than %d", len(d.Tags), maxTags)
	case slices.Contains(d.Tags, ""):
		return invalid("", "a tag is empty")
	case d.Progress != nil && (*d.Progress < 0 || *d.Progress > 100):
		return invalid("give a whole number from 0 to 100", "progress %d is out of range", *d.Progress)
	case d.Step != nil && *d.Step < 0:
		return invalid("", "step %d is negative", *d.Step)
	case d.PhaseNumber < 0 || d.PhaseTotal < 0:
		return invalid("number the phases from 1", "phase %d of %d does not exist", d.PhaseNumber, d.PhaseTotal)
	case d.DurationMS < 0:
		return invalid("", "the duration %d is negative", d.DurationMS)
	case !slices.Contains(piton.Triggers, d.Trigger):
		return invalid("one of "+strings.Trim(strings.Join(strings.Fields(fmt.Sprint(piton.Triggers)), ", "), "[]"), "unknown trigger %q", d.Trigger)
	}
	return nil
}
